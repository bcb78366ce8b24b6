#include "forebay/plugin/read_library.h"

#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "forebay/base/utf8.h"
#include "forebay/operators/parameter.h"
#include "forebay/plugin/call.h"
#include "forebay/plugin/names.h"
#include "forebay/plugin/plugin_operator.h"
#include "forebay/plugin/values.h"

namespace forebay::plugin {
namespace {

using operators::OddNumbers;
using operators::OperatorSpec;
using operators::ParameterSpec;

constexpr uint32_t kMaxOperators = 4096;
constexpr uint32_t kMaxInputs = 999;
constexpr uint32_t kMaxParameters = 256;
constexpr uint32_t kMaxChoices = 1024;
constexpr size_t kLongestDocument = size_t{1} << 16;

/// What a pointer leads to, if it is there and as large as this version has it.
template <class T>
Result<T> read(const T* from, std::string_view what) {
  if (from == nullptr) {
    return invalid_argument("{} is missing", what);
  }
  if (from->struct_bytes < sizeof(T)) {
    return invalid_argument("{} says that it has {} bytes, {} are the least", what, from->struct_bytes,
                            sizeof(T));
  }
  return *from;
}

template <class T>
Status check_array(const T* items, uint32_t count, uint32_t most, std::string_view what) {
  if (count > most) {
    return invalid_argument("{} {} are more than the {} that are allowed", count, what, most);
  }
  if (items == nullptr && count != 0) {
    return invalid_argument("the table of {} {} is missing", count, what);
  }
  return ok_status();
}

/// A text that ends with a zero; null gives an empty one.
Result<std::string> read_text(const char* text, std::string_view what) {
  if (text == nullptr) {
    return std::string();
  }
  const size_t length = ::strnlen(text, kLongestDocument + 1);
  if (length > kLongestDocument) {
    return invalid_argument("{} is longer than {} bytes", what, kLongestDocument);
  }
  std::string copy(text, length);
  if (!is_utf8(copy)) {
    return invalid_argument("{} is not UTF-8: {}", what, readable(copy));
  }
  return copy;
}

Result<std::string> read_name(const char* text, std::string_view what) {
  FOREBAY_ASSIGN_OR_RETURN(std::string name, read_text(text, what));
  if (!is_identifier(name)) {
    return invalid_argument(
        "{} is '{}': a name is letters of ASCII, digits and _, not a digit first, at most 128, and no "
        "keyword of "
        "Python",
        what, name);
  }
  return name;
}

Result<std::vector<std::string>> read_choices(const ForebayPluginParameter& parameter, ArgumentKind kind) {
  FOREBAY_RETURN_IF_ERROR(check_array(parameter.choices, parameter.choice_count, kMaxChoices, "choices"));
  if (parameter.choice_count != 0 && kind != ArgumentKind::kString) {
    return invalid_argument("choices are for strings");
  }
  std::vector<std::string> choices;
  for (uint32_t i = 0; i < parameter.choice_count; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(choices.emplace_back(), read_text(parameter.choices[i], "a choice"));
  }
  return choices;
}

bool may_be_tensor(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kBool:
    case ArgumentKind::kInt:
    case ArgumentKind::kFloat:
    case ArgumentKind::kIntList:
    case ArgumentKind::kFloatList:
      return true;
    default:
      return false;
  }
}

Result<ParameterSpec> read_parameter(const ForebayPluginParameter& parameter) {
  ParameterSpec row;
  FOREBAY_ASSIGN_OR_RETURN(row.kind, argument_kind_of(parameter.kind));
  FOREBAY_ASSIGN_OR_RETURN(row.doc, read_text(parameter.doc, "the documentation"));
  row.accepts_tensor = (parameter.flags & kForebayPluginTakesTensor) != 0;
  row.is_required = (parameter.flags & kForebayPluginIsRequired) != 0;
  row.takes_odd = OddNumbers::kAll;  // what fits is the plugin's to say
  if ((parameter.flags & ~uint32_t{kForebayPluginTakesTensor | kForebayPluginIsRequired}) != 0) {
    return invalid_argument("there are no flags {:#x}", parameter.flags);
  }
  if (row.accepts_tensor && !may_be_tensor(row.kind)) {
    return invalid_argument("a parameter of this kind cannot take a tensor");
  }
  FOREBAY_ASSIGN_OR_RETURN(row.default_value, value_of(parameter.default_value, row.kind));
  FOREBAY_ASSIGN_OR_RETURN(row.choices, read_choices(parameter, row.kind));
  return row;
}

/// Names of inputs and parameters are those of one function.
Status take_name(const std::string& name, std::set<std::string>* taken) {
  if (is_common_argument(name)) {
    return invalid_argument("'{}' is an argument that every operator has", name);
  }
  if (!taken->insert(name).second) {
    return invalid_argument("'{}' is there twice", name);
  }
  return ok_status();
}

Status read_inputs(const ForebayPluginOperator& table, std::set<std::string>* taken, OperatorSpec* row) {
  FOREBAY_RETURN_IF_ERROR(check_array(table.inputs, table.input_count, kMaxInputs, "inputs"));
  const bool is_more = table.max_inputs > table.input_count;
  if (table.min_inputs > table.max_inputs || table.max_inputs > kMaxInputs ||
      table.max_inputs < table.input_count || (is_more && table.input_count == 0)) {
    return invalid_argument("{} to {} inputs, of which {} are described, are not possible", table.min_inputs,
                            table.max_inputs, table.input_count);
  }
  for (uint32_t i = 0; i < table.input_count; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(const ForebayPluginInput input,
                             read(table.inputs[i], fmt::format("input {}", i)));
    FOREBAY_ASSIGN_OR_RETURN(std::string name, read_name(input.name, fmt::format("the name of input {}", i)));
    FOREBAY_RETURN_IF_ERROR(take_name(name, taken));
    FOREBAY_ASSIGN_OR_RETURN(std::string doc,
                             read_text(input.doc, "the documentation of input '" + name + "'"));
    row->inputs.push_back({std::move(name), std::move(doc)});
  }
  row->min_inputs = static_cast<int>(table.min_inputs);
  row->max_inputs = static_cast<int>(table.max_inputs);
  return ok_status();
}

Status read_parameters(const ForebayPluginOperator& table, std::set<std::string>* taken, OperatorSpec* row) {
  FOREBAY_RETURN_IF_ERROR(check_array(table.parameters, table.parameter_count, kMaxParameters, "parameters"));
  for (uint32_t i = 0; i < table.parameter_count; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(const ForebayPluginParameter parameter,
                             read(table.parameters[i], fmt::format("parameter {}", i)));
    FOREBAY_ASSIGN_OR_RETURN(std::string name,
                             read_name(parameter.name, fmt::format("the name of parameter {}", i)));
    FOREBAY_RETURN_IF_ERROR(take_name(name, taken));
    Result<ParameterSpec> made = read_parameter(parameter);
    FOREBAY_RETURN_IF_ERROR(annotate(made.status(), "parameter '" + name + "'"));
    made->name = std::move(name);
    row->parameters.push_back(*std::move(made));
  }
  return ok_status();
}

Status check_functions(const ForebayPluginOperator& table) {
  for (const auto& [name, is_there] :
       {std::pair("create", table.create != nullptr), std::pair("destroy", table.destroy != nullptr),
        std::pair("infer", table.infer != nullptr), std::pair("run", table.run != nullptr)}) {
    if (!is_there) {
      return invalid_argument("the function `{}` is missing", name);
    }
  }
  if (table.output_count > kMaxOutputs) {
    return invalid_argument("{} outputs are more than the {} that are allowed", table.output_count,
                            kMaxOutputs);
  }
  if (table.output_count == 0 && table.count_outputs == nullptr) {
    return invalid_argument("the number of outputs is 0, and the function `count_outputs` is missing");
  }
  return ok_status();
}

Status read_operator(const ForebayPluginOperator& table, OperatorSpec* row) {
  FOREBAY_RETURN_IF_ERROR(check_functions(table));
  FOREBAY_ASSIGN_OR_RETURN(row->doc, read_text(table.doc, "the documentation"));
  if (row->doc.empty()) {
    return invalid_argument("there is no documentation: say in a sentence what it does");
  }
  FOREBAY_ASSIGN_OR_RETURN(row->output_doc, read_text(table.output_doc, "the documentation of outputs"));
  FOREBAY_ASSIGN_OR_RETURN(row->source, read_text(table.source, "the source"));
  if ((table.flags & ~uint32_t{kForebayPluginIsRandom | kForebayPluginIsClose}) != 0) {
    return invalid_argument("there are no flags {:#x}", table.flags);
  }
  row->is_random = (table.flags & kForebayPluginIsRandom) != 0;
  row->numerics =
      (table.flags & kForebayPluginIsClose) != 0 ? operators::Numerics::kClose : operators::Numerics::kExact;
  std::set<std::string> taken;
  FOREBAY_RETURN_IF_ERROR(read_inputs(table, &taken, row));
  return read_parameters(table, &taken, row);
}

Result<OperatorSpec> row_of(const ForebayPluginOperator* from, uint32_t index) {
  FOREBAY_ASSIGN_OR_RETURN(const ForebayPluginOperator table, read(from, fmt::format("operator {}", index)));
  const auto row = std::make_shared<LibraryRow>();
  row->table = table;
  FOREBAY_ASSIGN_OR_RETURN(row->spec.name,
                           read_text(table.name, fmt::format("the name of operator {}", index)));
  if (!is_operator_name(row->spec.name)) {
    return invalid_argument(
        "the name of operator {} is '{}': names of letters of ASCII, digits and _, beginning with a letter, "
        "are joined "
        "by points, and none is a keyword of Python",
        index, row->spec.name);
  }
  const std::string name = row->spec.name;
  FOREBAY_RETURN_IF_ERROR(annotate(read_operator(table, &row->spec), "operator '" + name + "'"));
  OperatorSpec spec = row->spec;
  spec.create = [row = std::shared_ptr<const LibraryRow>(row)](const operators::Arguments& arguments) {
    return PluginOperator::create(row, arguments);
  };
  return spec;
}

Result<std::vector<OperatorSpec>> rows_of(const ForebayPluginLibrary* from) {
  FOREBAY_ASSIGN_OR_RETURN(const ForebayPluginLibrary library, read(from, "the table of the library"));
  FOREBAY_RETURN_IF_ERROR(read_name(library.name, "the name of the library").status());
  FOREBAY_RETURN_IF_ERROR(read_text(library.version, "the version of the library").status());
  FOREBAY_RETURN_IF_ERROR(check_array(library.operators, library.operator_count, kMaxOperators, "operators"));
  if (library.operator_count == 0) {
    return invalid_argument("the table of the library has no operators");
  }
  std::vector<OperatorSpec> rows;
  for (uint32_t i = 0; i < library.operator_count; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(rows.emplace_back(), row_of(library.operators[i], i));
  }
  return rows;
}

}  // namespace

Result<std::vector<operators::OperatorSpec>> read_library(const ForebayPluginLibrary* library,
                                                          const std::string& file_name) {
  Result<std::vector<OperatorSpec>> rows = rows_of(library);
  if (!rows.ok()) {
    return annotate(rows.status(), "the library '" + file_name + "'");
  }
  return rows;
}

}  // namespace forebay::plugin
