// The C++ face of plugin_api.h: a library of operators, each a struct whose members are its parameters.
//
//   #include "forebay/plugin/operator.h"
//   using namespace forebay::plugin;
//
//   struct Blend {
//     Arg<float> weight = 0.5f;              // a constant, or a tensor with a value a sample
//     std::string mode = "linear";           // a constant
//
//     TensorSpec output_spec(const Sample& sample) const { return sample.input(0).spec; }
//     Status run(const Sample& sample) const;
//   };
//
//   OperatorSpec blend() {
//     return describe<Blend>("my_lab.blend", "Mixes two pictures.")
//         .input("first", "A picture.")
//         .input("second", "One of the same shape.")
//         .param("weight", &Blend::weight, "How much of the second; 0 to 1.")
//         .param("mode", &Blend::mode, "How they are mixed.").choices({"linear", "square"})
//         .outputs("The mixed picture.")
//         .build();
//   }
//   FOREBAY_PLUGIN("my_lab", "1.0", blend())
//
// Members of T:
//   output_spec(sample) gives the TensorSpec of the one output, before memory is taken for it. Or
//     output_specs(sample, specs) fills in a Span<TensorSpec>, one for each output.
//   run(sample) writes all elements of the outputs. It returns a Status or nothing.
//   prepare(arguments) -> Status, if there is one, is called once when the parameters are set: to check them
//   and
//     to make tables.
//   num_outputs() -> int, if there is one; else there is one output.
// All but prepare() are const, and are called for several samples at once by several threads. Exceptions
// become errors of the sample. Inputs may have any element type, shape and layout: check what the operator
// relies on.
//
// Everything is in headers, in C++17; nothing is linked. Compile with
// `forebay.sysconfig.get_compile_flags()`, or with CMake's target forebay::plugin_api.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/plugin/operator_row.h"

namespace forebay::plugin {
inline namespace v1 {

/// An operator as described, for FOREBAY_PLUGIN.
class OperatorSpec {
 public:
  explicit OperatorSpec(std::shared_ptr<detail::Row> row) : row_(std::move(row)) {}
  const std::shared_ptr<detail::Row>& row() const { return row_; }

 private:
  std::shared_ptr<detail::Row> row_;
};

template <class T>
class Description {
 public:
  Description(std::string name, std::string doc) : row_(std::make_shared<detail::TypedRow<T>>()) {
    row_->name = std::move(name);
    row_->doc = std::move(doc);
  }

  Description& input(std::string name, std::string doc) {
    row_->inputs.push_back({std::move(name), std::move(doc), {}});
    row_->table.max_inputs = static_cast<uint32_t>(row_->inputs.size());
    row_->table.min_inputs = row_->table.max_inputs;
    return *this;
  }
  /// An optional input; must come after all others.
  Description& optional_input(std::string name, std::string doc) {
    const uint32_t required = row_->table.min_inputs;
    input(std::move(name), std::move(doc));
    row_->table.min_inputs = required;
    return *this;
  }
  /// Between `least` and `most` inputs of one kind.
  Description& variadic_inputs(std::string name, std::string doc, uint32_t least, uint32_t most = 999) {
    row_->inputs.push_back({std::move(name), std::move(doc), {}});
    row_->table.min_inputs = least;
    row_->table.max_inputs = most;
    return *this;
  }

  /// A parameter: a member of T or of a base of T. Its type says what it takes: bool, int64_t, int32_t,
  /// float, double, std::string, std::vector of numbers or strings, DType, ImageType, InterpType, LayoutName;
  /// as std::optional without a default, as Arg<> also a tensor. T{} has the default.
  template <class Member, class Owner>
  Description& param(std::string name, Member Owner::*member, std::string doc) {
    static_assert(std::is_base_of_v<Owner, T>, "a parameter is a member of the operator's struct");
    using Traits = detail::MemberTraits<Member>;
    using ValueTraits = detail::ParameterTraits<typename Traits::Value>;
    detail::Row::Parameter& parameter = row_->parameters.emplace_back();
    parameter.name = std::move(name);
    parameter.doc = std::move(doc);
    parameter.table.kind = ValueTraits::kKind;
    parameter.table.flags = Traits::kTakesTensor ? uint32_t{kForebayPluginTakesTensor} : 0;
    const T defaults{};
    if (const auto* value = Traits::default_of(defaults.*member)) {
      parameter.default_value.value.struct_bytes = sizeof(ForebayPluginValue);
      parameter.default_value.value.kind = ValueTraits::kKind;
      ValueTraits::put(*value, &parameter.default_value);
      parameter.has_default = true;
    }
    row_->setters.push_back([member](T& target, const ForebayPluginArgument& argument, uint32_t index) {
      Traits::set(&(target.*member), argument, index);
    });
    return *this;
  }
  /// Makes the parameter declared last required.
  Description& required() {
    row_->parameters.back().table.flags |= kForebayPluginIsRequired;
    row_->parameters.back().has_default = false;
    return *this;
  }
  /// Sets the allowed values of the parameter declared last, a string.
  Description& choices(std::vector<std::string> values) {
    row_->parameters.back().choices = std::move(values);
    return *this;
  }

  Description& outputs(std::string doc) {
    row_->output_doc = std::move(doc);
    return *this;
  }
  /// Whose behaviour it matches, or the paper.
  Description& matches(std::string source) {
    row_->source = std::move(source);
    return *this;
  }
  /// Results may differ between machines, within the tolerance that the documentation states.
  Description& close() {
    row_->table.flags |= kForebayPluginIsClose;
    return *this;
  }
  /// Draws random numbers (Sample::random()): takes the argument `seed`.
  Description& random() {
    row_->table.flags |= kForebayPluginIsRandom;
    return *this;
  }

  OperatorSpec build() const { return OperatorSpec(row_); }

 private:
  std::shared_ptr<detail::TypedRow<T>> row_;
};

/// `name` is the operator's path below `fn`, "my_lab.blend"; the first line of `doc` is one sentence.
template <class T>
Description<T> describe(std::string name, std::string doc) {
  return Description<T>(std::move(name), std::move(doc));
}

namespace detail {

class LibraryTable {
 public:
  LibraryTable(const char* name, const char* version, std::vector<OperatorSpec> operators)
      : operators_(std::move(operators)) {
    for (const OperatorSpec& spec : operators_) {
      pointers_.push_back(spec.row()->link());
    }
    table_.struct_bytes = sizeof(table_);
    table_.operator_count = static_cast<uint32_t>(pointers_.size());
    table_.name = name;
    table_.version = version;
    table_.operators = pointers_.data();
  }
  LibraryTable(const LibraryTable&) = delete;
  LibraryTable& operator=(const LibraryTable&) = delete;

  const ForebayPluginLibrary* table() const { return &table_; }

 private:
  std::vector<OperatorSpec> operators_;
  std::vector<const ForebayPluginOperator*> pointers_;
  ForebayPluginLibrary table_{};
};

/// The table, made at the first call, which lives as long as the process; null for an error.
template <class Make>
const ForebayPluginLibrary* library_of(const char* name, const char* version, ForebayPluginError* error,
                                       Make make) {
  const ForebayPluginLibrary* library = nullptr;
  guarded(error, [&] {
    static const LibraryTable* const made = new LibraryTable(name, version, make());
    library = made->table();
    return ok_status();
  });
  return library;
}

}  // namespace detail

}  // namespace v1
}  // namespace forebay::plugin

/// Once in a library: its name, its version, and its operators, each an OperatorSpec.
#define FOREBAY_PLUGIN(name, version, ...)                                                               \
  extern "C" FOREBAY_PLUGIN_EXPORT uint32_t forebay_plugin_abi() {                                       \
    return FOREBAY_PLUGIN_ABI;                                                                           \
  }                                                                                                      \
  extern "C" FOREBAY_PLUGIN_EXPORT const ForebayPluginLibrary* forebay_plugin_library(                   \
      const ForebayPluginHost*, ForebayPluginError* error) {                                             \
    return ::forebay::plugin::detail::library_of(                                                        \
        name, version, error, [] { return std::vector<::forebay::plugin::OperatorSpec>{__VA_ARGS__}; }); \
  }
