#include "forebay/plugin/plugin_operator.h"

#include <deque>

#include "forebay/base/log/log.h"
#include "forebay/operators/parameter.h"
#include "forebay/plugin/call.h"
#include "forebay/plugin/call_tensors.h"
#include "forebay/plugin/values.h"

namespace forebay::plugin {
namespace {

using operators::Arguments;
using operators::ParameterSpec;

/// The arguments of an operator as a library gets them.
struct GivenArguments {
  std::deque<GivenValue> values;
  std::deque<ForebayPluginArgument> arguments;
  std::vector<const ForebayPluginArgument*> pointers;
};

Status add(const ParameterSpec& parameter, const Arguments& arguments, GivenArguments* given) {
  const auto constant = arguments.constants.find(parameter.name);
  const bool is_constant =
      constant != arguments.constants.end() && !std::holds_alternative<std::monostate>(constant->second);
  const bool is_tensor = arguments.tensors.contains(parameter.name);
  GivenValue& value = given->values.emplace_back();
  const Status filled =
      fill(is_constant ? constant->second : parameter.default_value, parameter.kind, &value);
  FOREBAY_RETURN_IF_ERROR(annotate(filled, parameter.name));
  ForebayPluginArgument& argument = given->arguments.emplace_back();
  argument.struct_bytes = sizeof(argument);
  argument.is_given = is_constant || is_tensor ? 1 : 0;
  argument.is_tensor = is_tensor ? 1 : 0;
  argument.value = &value.value;
  given->pointers.push_back(&argument);
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<operators::Operator>> PluginOperator::create(std::shared_ptr<const LibraryRow> row,
                                                                    const Arguments& arguments) {
  FOREBAY_RETURN_IF_ERROR(operators::check_arguments(row->spec, arguments));
  std::unique_ptr<PluginOperator> made(new PluginOperator(row));
  FOREBAY_RETURN_IF_ERROR(annotate(made->make(arguments), row->spec.name));
  FOREBAY_RETURN_IF_ERROR(annotate(made->count_outputs(), row->spec.name));
  return std::unique_ptr<operators::Operator>(std::move(made));
}

Status PluginOperator::make(const Arguments& arguments) {
  GivenArguments given;
  for (const ParameterSpec& parameter : row_->spec.parameters) {
    FOREBAY_RETURN_IF_ERROR(add(parameter, arguments, &given));
    const auto slot = arguments.tensors.find(parameter.name);
    slots_.push_back(slot == arguments.tensors.end() ? -1 : slot->second);
  }
  ForebayPluginArguments view = {};
  view.struct_bytes = sizeof(view);
  view.input_count = static_cast<uint32_t>(arguments.num_inputs);
  view.argument_count = static_cast<uint32_t>(given.pointers.size());
  view.arguments = given.pointers.data();
  FOREBAY_RETURN_IF_ERROR(outcome_of(nullptr, [&](ForebayPluginError* error) {
    return row_->table.create(row_->table.context, &view, &instance_, error);
  }));
  is_made_ = true;
  return ok_status();
}

Status PluginOperator::count_outputs() {
  num_outputs_ = row_->table.output_count;
  if (row_->table.count_outputs != nullptr) {
    FOREBAY_RETURN_IF_ERROR(outcome_of(nullptr, [&](ForebayPluginError* error) {
      return row_->table.count_outputs(instance_, &num_outputs_, error);
    }));
  }
  if (num_outputs_ < 1 || num_outputs_ > kMaxOutputs) {
    return invalid_argument("the library says that it has {} outputs; 1 to {} are possible", num_outputs_,
                            kMaxOutputs);
  }
  return ok_status();
}

PluginOperator::~PluginOperator() {
  if (is_made_) {
    const Status outcome = outcome_of(nullptr, [&](ForebayPluginError*) -> int32_t {
      row_->table.destroy(instance_);
      return kForebayPluginOk;
    });
    if (!outcome.ok()) {
      log_warning("{}: {}", row_->spec.name, message(outcome));
    }
  }
}

Status PluginOperator::run(operators::Sample& sample) const {
  ForebayPluginCall call(sample, slots_);
  CallTensors tensors(&call, num_outputs_);
  FOREBAY_RETURN_IF_ERROR(outcome_of(&call, [&](ForebayPluginError* error) {
    return row_->table.infer(instance_, &tensors.sample(), error);
  }));
  std::vector<tensor::TensorSpec> specs(num_outputs_);
  for (size_t output = 0; output < specs.size(); ++output) {
    FOREBAY_ASSIGN_OR_RETURN(specs[output], spec_of(tensors.output(output), output));
  }
  for (size_t output = 0; output < specs.size(); ++output) {
    FOREBAY_ASSIGN_OR_RETURN(const auto view, sample.output(static_cast<int>(output), specs[output]));
    tensors.set_output(output, view);
  }
  return outcome_of(
      &call, [&](ForebayPluginError* error) { return row_->table.run(instance_, &tensors.sample(), error); });
}

}  // namespace forebay::plugin
