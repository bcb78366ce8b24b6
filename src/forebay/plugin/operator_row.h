// How the table of operator.h's descriptions is kept: C structs, and the C++ objects that they point to.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/plugin/argument.h"

namespace forebay::plugin {
inline namespace v1 {

/// What T::prepare() gets to know of the operator's place in a graph.
struct Arguments {
  int num_inputs = 0;
};

namespace detail {

template <class T, class = void>
struct HasPrepare : std::false_type {};
template <class T>
struct HasPrepare<T, std::void_t<decltype(std::declval<T&>().prepare(std::declval<const Arguments&>()))>>
    : std::true_type {};

template <class T, class = void>
struct HasNumOutputs : std::false_type {};
template <class T>
struct HasNumOutputs<T, std::void_t<decltype(std::declval<const T&>().num_outputs())>> : std::true_type {};

template <class T, class = void>
struct HasOutputSpecs : std::false_type {};
template <class T>
struct HasOutputSpecs<T, std::void_t<decltype(std::declval<const T&>().output_specs(
                             std::declval<const Sample&>(), std::declval<Span<TensorSpec>>()))>>
    : std::true_type {};

/// A row of the library's table.
class Row {
 public:
  struct Input {
    std::string name;
    std::string doc;
    ForebayPluginInput table{};
  };
  struct Parameter {
    std::string name;
    std::string doc;
    std::vector<std::string> choices;
    std::vector<const char*> choice_pointers;
    Constant default_value;
    bool has_default = false;
    ForebayPluginParameter table{};
  };

  Row() = default;
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;
  virtual ~Row() = default;

  /// Completes the table when nothing is added any more.
  const ForebayPluginOperator* link() {
    input_pointers_.clear();
    for (Input& input : inputs) {
      input.table = {};
      input.table.struct_bytes = sizeof(input.table);
      input.table.name = input.name.c_str();
      input.table.doc = input.doc.c_str();
      input_pointers_.push_back(&input.table);
    }
    parameter_pointers_.clear();
    for (Parameter& parameter : parameters) {
      link(&parameter);
      parameter_pointers_.push_back(&parameter.table);
    }
    table.struct_bytes = sizeof(table);
    table.name = name.c_str();
    table.doc = doc.c_str();
    table.output_doc = output_doc.c_str();
    table.source = source.c_str();
    table.input_count = static_cast<uint32_t>(inputs.size());
    table.inputs = input_pointers_.data();
    table.parameter_count = static_cast<uint32_t>(parameters.size());
    table.parameters = parameter_pointers_.data();
    return &table;
  }

  std::string name;
  std::string doc;
  std::string output_doc;
  std::string source;
  std::deque<Input> inputs;
  std::deque<Parameter> parameters;
  ForebayPluginOperator table{};

 private:
  static void link(Parameter* parameter) {
    parameter->choice_pointers.clear();
    for (const std::string& choice : parameter->choices) {
      parameter->choice_pointers.push_back(choice.c_str());
    }
    parameter->table.struct_bytes = sizeof(parameter->table);
    parameter->table.name = parameter->name.c_str();
    parameter->table.doc = parameter->doc.c_str();
    parameter->table.choice_count = static_cast<uint32_t>(parameter->choices.size());
    parameter->table.choices = parameter->choice_pointers.data();
    parameter->table.default_value = parameter->has_default ? &parameter->default_value.value : nullptr;
  }

  std::vector<const ForebayPluginInput*> input_pointers_;
  std::vector<const ForebayPluginParameter*> parameter_pointers_;
};

/// The functions of the row, for operators that are a T.
template <class T>
class TypedRow final : public Row {
 public:
  using Setter = std::function<void(T&, const ForebayPluginArgument&, uint32_t)>;

  TypedRow() {
    table.context = this;
    table.output_count = HasNumOutputs<T>::value ? 0 : 1;
    table.create = &create;
    table.destroy = &destroy;
    table.count_outputs = HasNumOutputs<T>::value ? &count_outputs : nullptr;
    table.infer = &infer;
    table.run = &run;
  }

  std::vector<Setter> setters;

 private:
  static int32_t create(void* context, const ForebayPluginArguments* arguments, void** instance,
                        ForebayPluginError* error) {
    return guarded(error, [&]() -> Status {
      const auto& row = *static_cast<const TypedRow*>(context);
      auto made = std::make_unique<T>();
      for (uint32_t i = 0; i < row.setters.size(); ++i) {
        row.set(*made, *arguments->arguments[i], i);
      }
      if constexpr (HasPrepare<T>::value) {
        const Status status = made->prepare(Arguments{static_cast<int>(arguments->input_count)});
        if (!status.ok()) {
          return status;
        }
      }
      *instance = made.release();
      return ok_status();
    });
  }

  void set(T& target, const ForebayPluginArgument& argument, uint32_t index) const {
    if (argument.is_tensor == 0 && argument.value->kind == kForebayPluginKindNone) {
      return;
    }
    try {
      setters[index](target, argument, index);
    } catch (const Error& thrown) {
      throw Error(Status(thrown.status().code(), parameters[index].name + ": " + thrown.status().text()));
    }
  }

  static void destroy(void* instance) { delete static_cast<T*>(instance); }

  static int32_t count_outputs(const void* instance, uint32_t* count, ForebayPluginError* error) {
    return guarded(error, [&] {
      if constexpr (HasNumOutputs<T>::value) {
        *count = static_cast<uint32_t>(static_cast<const T*>(instance)->num_outputs());
      }
      return ok_status();
    });
  }

  static int32_t infer(const void* instance, const ForebayPluginSample* c_sample, ForebayPluginError* error) {
    return guarded(error, [&] {
      const T& self = *static_cast<const T*>(instance);
      const Sample sample(*c_sample);
      std::vector<TensorSpec> specs(c_sample->output_count);
      if constexpr (HasOutputSpecs<T>::value) {
        self.output_specs(sample, Span<TensorSpec>(specs.data(), specs.size()));
      } else {
        specs[0] = self.output_spec(sample);
      }
      for (size_t i = 0; i < specs.size(); ++i) {
        put(specs[i], c_sample->outputs[i]);
      }
      return ok_status();
    });
  }

  static int32_t run(const void* instance, const ForebayPluginSample* c_sample, ForebayPluginError* error) {
    return guarded(error, [&]() -> Status {
      const T& self = *static_cast<const T*>(instance);
      const Sample sample(*c_sample);
      if constexpr (std::is_void_v<decltype(self.run(sample))>) {
        self.run(sample);
        return ok_status();
      } else {
        return self.run(sample);
      }
    });
  }
};

}  // namespace detail

}  // namespace v1
}  // namespace forebay::plugin
