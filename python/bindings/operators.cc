// The operator table as data: what Python functions, stubs and documentation are generated from.
#include "forebay/operators/operator.h"

#include "bindings/bindings.h"
#include "bindings/values.h"

namespace forebay::bindings {
namespace {

using operators::OperatorSpec;
using operators::ParameterSpec;

nb::str text(std::string_view view) {
  return nb::str(view.data(), view.size());
}

const char* scope_name(operators::Scope scope) {
  switch (scope) {
    case operators::Scope::kSample:
      return "sample";
    case operators::Scope::kGroup:
      return "group";
    case operators::Scope::kBatch:
      return "batch";
    case operators::Scope::kExpand:
      return "expand";
    case operators::Scope::kSource:
      return "source";
  }
  return "sample";
}

nb::dict parameter_row(const ParameterSpec& parameter) {
  nb::dict row;
  row["name"] = text(parameter.name);
  row["kind"] = text(operators::name_of(parameter.kind));
  row["accepts_tensor"] = parameter.accepts_tensor;
  row["is_required"] = parameter.is_required;
  row["default"] = to_python(parameter.default_value);
  row["doc"] = text(parameter.doc);
  row["choices"] = to_python(parameter.choices);
  return row;
}

/// Whether the operator may have another number of outputs than one.
bool gives_list(const OperatorSpec& spec) {
  if (spec.scope == operators::Scope::kSource || spec.scope == operators::Scope::kExpand) {
    return true;
  }
  operators::Arguments arguments;
  arguments.num_inputs = spec.min_inputs;
  const auto made = spec.create(arguments);
  return made.ok() && (*made)->num_outputs() != 1;
}

nb::dict operator_row(const OperatorSpec& spec) {
  nb::dict row;
  row["name"] = text(spec.name);
  row["doc"] = text(spec.doc);
  row["source"] = text(spec.source);
  row["scope"] = scope_name(spec.scope);
  row["is_exact"] = spec.numerics == operators::Numerics::kExact;
  row["is_random"] = spec.is_random;
  row["is_internal"] = spec.is_internal;
  nb::list inputs;
  for (const operators::InputSpec& input : spec.inputs) {
    inputs.append(nb::make_tuple(text(input.name), text(input.doc)));
  }
  row["inputs"] = inputs;
  row["min_inputs"] = spec.min_inputs;
  row["max_inputs"] = spec.max_inputs;
  row["gives_list"] = gives_list(spec);
  row["output_doc"] = text(spec.output_doc);
  nb::list parameters;
  for (const ParameterSpec& parameter : spec.parameters) {
    parameters.append(parameter_row(parameter));
  }
  row["parameters"] = parameters;
  return row;
}

}  // namespace

void bind_operators(nb::module_& module) {
  module.def(
      "operator_table",
      [] {
        nb::list table;
        for (const OperatorSpec& spec : operators::all_operators()) {
          table.append(operator_row(spec));
        }
        return table;
      },
      "Every operator, as a list of dictionaries.");
}

}  // namespace forebay::bindings
