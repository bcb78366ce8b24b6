// Writes the header forebay/fn.h from the operator table: for each operator, a struct of its arguments and a
// function that adds it to a pipeline.
//
//   forebay_generate_fn FILE
#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "forebay/operators/operator.h"

namespace {

using forebay::operators::ArgumentKind;
using forebay::operators::Arguments;
using forebay::operators::OperatorSpec;
using forebay::operators::ParameterSpec;
using forebay::operators::Scope;

constexpr char kHead[] =
    R"(// Generated from the operator table. The operators as functions: each takes its inputs (or the pipeline, when it has
// none) and a struct of arguments, of which those left alone keep their defaults. An argument that may be a tensor
// takes a DataNode; one of another kind does not compile. Other errors are kept by the pipeline and returned by
// Pipeline::build().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "forebay/pipeline/pipeline.h"

namespace forebay::fn {

using Kind = operators::ArgumentKind;
using pipeline::Argument;
using pipeline::ArgumentOf;
using pipeline::kOrTensor;
)";

/// As it is called in C++.
std::string_view name_of_kind(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kBool:
      return "kBool";
    case ArgumentKind::kInt:
      return "kInt";
    case ArgumentKind::kFloat:
      return "kFloat";
    case ArgumentKind::kString:
      return "kString";
    case ArgumentKind::kIntList:
      return "kIntList";
    case ArgumentKind::kFloatList:
      return "kFloatList";
    case ArgumentKind::kStringList:
      return "kStringList";
    case ArgumentKind::kDType:
      return "kDType";
    case ArgumentKind::kImageType:
      return "kImageType";
    case ArgumentKind::kInterpType:
      return "kInterpType";
    case ArgumentKind::kLayout:
      return "kLayout";
  }
  return "";
}

std::string pascal(const std::string& name) {
  std::string text;
  bool starts = true;
  for (const char letter : name) {
    if (letter == '_') {
      starts = true;
      continue;
    }
    text += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
    starts = false;
  }
  return text;
}

/// `name`, or `name_` if that is a reserved word in C++.
std::string identifier(const std::string& name) {
  static const std::set<std::string> kWords = {"default", "operator", "template", "class", "new",
                                               "delete",  "switch",   "register", "union", "not",
                                               "and",     "or",       "xor",      "name"};
  return kWords.contains(name) ? name + "_" : name;
}

/// Whether the operator may have a number of outputs other than one.
bool gives_list(const OperatorSpec& spec) {
  if (spec.scope == Scope::kSource || spec.scope == Scope::kExpand) {
    return true;
  }
  Arguments arguments;
  arguments.num_inputs = spec.min_inputs;
  const auto made = spec.create(arguments);
  return made.ok() && (*made)->num_outputs() != 1;
}

/// Old names are only for older Python scripts.
std::vector<ParameterSpec> parameters_of(const OperatorSpec& spec) {
  std::vector<ParameterSpec> parameters = spec.parameters;
  std::erase_if(parameters, [](const ParameterSpec& parameter) { return !parameter.newer_name.empty(); });
  return parameters;
}

std::string default_text(const ParameterSpec& parameter) {
  if (parameter.is_required) {
    return "Required.";
  }
  return "Default: " + forebay::operators::to_string(parameter.default_value) + ".";
}

void write_arguments(std::ostream& out, const OperatorSpec& spec, const std::string& struct_name) {
  out << "struct " << struct_name << " {\n";
  for (const ParameterSpec& parameter : parameters_of(spec)) {
    out << "  /// " << parameter.doc << " " << default_text(parameter)
        << (parameter.accepts_tensor ? " May be a tensor." : "") << "\n";
    out << fmt::format("  ArgumentOf<Kind::{}{}> {} = {{}};\n", name_of_kind(parameter.kind),
                       parameter.accepts_tensor ? ", kOrTensor" : "", identifier(parameter.name));
  }
  out << "  /// Names the operator, in errors and for its random numbers.\n  std::string name = {};\n};\n";
}

/// The parameters of the function, and the statements that collect its inputs in `inputs`.
std::pair<std::string, std::string> inputs_of(const OperatorSpec& spec) {
  if (spec.max_inputs > static_cast<int>(spec.inputs.size())) {
    return {"const std::vector<DataNode>& inputs", ""};
  }
  std::string parameters = spec.min_inputs == 0 ? "Pipeline& pipeline" : "";
  std::string gather = "  std::vector<DataNode> inputs;\n";
  std::string optional;
  for (int i = 0; i < static_cast<int>(spec.inputs.size()); ++i) {
    const std::string input = identifier(spec.inputs[i].name) + "_input";
    if (i < spec.min_inputs) {
      parameters += fmt::format("{}const DataNode& {}", parameters.empty() ? "" : ", ", input);
      gather += fmt::format("  inputs.push_back({});\n", input);
    } else {
      optional += fmt::format(", const DataNode& {} = {{}}", input);
      gather += fmt::format("  if ({0}.is_given()) {{\n    inputs.push_back({0});\n  }}\n", input);
    }
  }
  return {parameters + "\n" + optional, gather};
}

void write_function(std::ostream& out, const OperatorSpec& spec, const std::string& short_name) {
  const std::string struct_name = pascal(short_name) + "Arguments";
  write_arguments(out, spec, struct_name);
  auto [parameters, gather] = inputs_of(spec);
  const size_t cut = parameters.find('\n');
  const std::string optional = cut == std::string::npos ? "" : parameters.substr(cut + 1);
  const bool is_list = gives_list(spec);
  out << "/// " << spec.doc << "\n";
  out << fmt::format("inline {} {}({}, const {}& arguments = {{}}{}) {{\n",
                     is_list ? "std::vector<DataNode>" : "DataNode", identifier(short_name),
                     parameters.substr(0, cut), struct_name, optional);
  out << gather << "  const std::vector<std::pair<std::string, Argument>> given = {\n";
  for (const ParameterSpec& parameter : parameters_of(spec)) {
    out << fmt::format("      {{\"{}\", arguments.{}.untyped()}},\n", parameter.name,
                       identifier(parameter.name));
  }
  const bool has_pipeline = parameters.starts_with("Pipeline&");
  out << fmt::format("  }};\n  return {}(\"{}\", inputs, given, arguments.name){};\n}}\n\n",
                     has_pipeline ? "pipeline.add" : "pipeline::add_operator", spec.name,
                     is_list ? "" : "[0]");
}

/// "experimental::readers" of "experimental.readers".
std::string namespace_of(std::string folder) {
  for (size_t dot = folder.find('.'); dot != std::string::npos; dot = folder.find('.', dot)) {
    folder.replace(dot, 1, "::");
  }
  return folder;
}

void write_header(std::ostream& out) {
  std::map<std::string, std::vector<const OperatorSpec*>> folders;
  for (const OperatorSpec& spec : forebay::operators::all_operators()) {
    if (!spec.is_internal) {
      const size_t dot = spec.name.rfind('.');
      folders[dot == std::string::npos ? "" : spec.name.substr(0, dot)].push_back(&spec);
    }
  }
  out << kHead;
  for (const auto& [folder, specs] : folders) {
    out << (folder.empty() ? "\n" : "\nnamespace " + namespace_of(folder) + " {\n\n");
    for (const OperatorSpec* spec : specs) {
      write_function(out, *spec, spec->name.substr(folder.empty() ? 0 : folder.size() + 1));
    }
    out << (folder.empty() ? "" : "}  // namespace " + namespace_of(folder) + "\n");
  }
  out << "\n}  // namespace forebay::fn\n";
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::cerr << "usage: forebay_generate_fn FILE\n";
    return 2;
  }
  std::ofstream out(arguments[1]);
  write_header(out);
  out.close();
  return out.good() ? 0 : 1;
}
