// The operator table as data: what Python functions, stubs and documentation are generated from.
#include "forebay/operators/operator.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/text.h"
#include "bindings/pipeline/values.h"
#include "forebay/operators/added_operators.h"
#include "forebay/plugin/load.h"

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
  row["newer_name"] = text(parameter.newer_name);
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

/// Of an added operator, whose library is given, none is made to count its outputs.
nb::dict operator_row(const OperatorSpec& spec, const std::string& library = {}) {
  nb::dict row;
  row["name"] = text(spec.name);
  row["doc"] = text(spec.doc);
  row["source"] = text(spec.source);
  row["family"] = text(spec.family);
  row["library"] = text(library);
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
  row["gives_list"] = !library.empty() || gives_list(spec);
  row["output_doc"] = text(spec.output_doc);
  nb::list parameters;
  for (const ParameterSpec& parameter : spec.parameters) {
    parameters.append(parameter_row(parameter));
  }
  row["parameters"] = parameters;
  return row;
}

nb::list added_rows() {
  nb::list rows;
  for (const operators::AddedOperators* added : operators::added_operators()) {
    for (const OperatorSpec& spec : added->rows) {
      rows.append(operator_row(spec, added->library));
    }
  }
  return rows;
}

void load_operators(nb::handle path, bool global_symbols, std::vector<std::string> reserved_names) {
  const std::string file = text_from_python(path);
  const plugin::LoadOptions options{global_symbols, std::move(reserved_names)};
  check(without_gil([&] { return plugin::load_operators(file, options); }));
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
        table.extend(added_rows());
        return table;
      },
      "Every operator, as a list of dictionaries.");
  module.def("added_operators", &added_rows,
             "The operators of libraries that were loaded, in the order of loading.");
  module.def("load_operators", &load_operators, nb::arg("path"), nb::arg("global_symbols"),
             nb::arg("reserved_names"),
             "Loads a library of operators; ones that begin with reserved names are refused.");
}

}  // namespace forebay::bindings
