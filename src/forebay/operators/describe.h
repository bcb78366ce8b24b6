// describe<T>(): makes an operator's row in the table from a struct whose members are the operator's
// parameters.
//
//   struct Flip {
//     Arg<int64_t> horizontal = 1;              // Arg<>: a constant or a tensor
//     std::string mode = "fast";                // constant only
//     Status run(Sample& sample) const;
//   };
//   OperatorSpec flip() {
//     return describe<Flip>("flip", "Mirrors images.")
//         .input("data", "Image or volume.")
//         .param("horizontal", &Flip::horizontal, "1 mirrors left to right.")
//         .build();
//   }
//
// Defaults come from the struct. The members of T determine the scope: `run_batch(span<Sample>)`,
// `run_group(span<Sample>, span<Status>)` with `kGroupSize`, `expand_count(sample)`, `open_source(order)`,
// with `kDecodesRecords` also `run(Sample&)` on what the source has read. T
// may have `Status prepare(const Arguments&)`, called once when the arguments are set, to check what can be
// checked before data flows and to make tables, and `int num_outputs() const`. With `output_spec(sample)` and
// `launch(group, queue)` it also runs on devices (device_launch.h).
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/operators/arg.h"
#include "forebay/operators/operator.h"
#include "forebay/operators/parameter.h"

namespace forebay::operators {

/// Wraps a T as an Operator.
template <class T>
class DescribedOperator final : public Operator {
 public:
  explicit DescribedOperator(T parameters) : parameters_(std::move(parameters)) {}

  Scope scope() const override {
    if constexpr (requires(const dataset::OrderOptions& order) { parameters_.open_source(order); }) {
      return Scope::kSource;
    } else if constexpr (requires(const Sample& sample) { parameters_.expand_count(sample); }) {
      return Scope::kExpand;
    } else if constexpr (requires { parameters_.scope(); }) {
      return parameters_.scope();
    } else if constexpr (kTakesGroups) {
      return Scope::kGroup;
    } else if constexpr (requires(std::span<Sample> samples) { parameters_.run_batch(samples); }) {
      return Scope::kBatch;
    } else {
      return Scope::kSample;
    }
  }

  int num_outputs() const override {
    if constexpr (requires { parameters_.num_outputs(); }) {
      return parameters_.num_outputs();
    } else {
      return 1;
    }
  }

  Status run(Sample& sample) const override {
    if constexpr (kTakesGroups) {
      Status result;
      parameters_.run_group({&sample, 1}, {&result, 1});
      return result;
    } else if constexpr (requires { parameters_.run(sample); }) {
      return parameters_.run(sample);
    } else {
      return internal_error("the operator does not run on single samples");
    }
  }

  int group_size() const override {
    if constexpr (kTakesGroups) {
      static_assert(T::kGroupSize >= 1 && T::kGroupSize <= kLargestGroup);
      return T::kGroupSize;
    } else {
      return 1;
    }
  }

  void run_group(std::span<Sample> samples, std::span<Status> results) const override {
    if constexpr (kTakesGroups) {
      parameters_.run_group(samples, results);
    } else {
      Operator::run_group(samples, results);
    }
  }

  Status run_batch(std::span<Sample> samples) const override {
    if constexpr (requires { parameters_.run_batch(samples); }) {
      return parameters_.run_batch(samples);
    } else {
      return Operator::run_batch(samples);
    }
  }

  Result<int64_t> expand_count(const Sample& sample) const override {
    if constexpr (requires { parameters_.expand_count(sample); }) {
      return parameters_.expand_count(sample);
    } else {
      return Operator::expand_count(sample);
    }
  }

  Result<std::shared_ptr<dataset::Source>> open_source(const dataset::OrderOptions& order) const override {
    if constexpr (requires { parameters_.open_source(order); }) {
      return parameters_.open_source(order);
    } else {
      return Operator::open_source(order);
    }
  }

  Result<dataset::OrderOptions> order_options(uint64_t seed, int64_t batch_size) const override {
    if constexpr (requires { parameters_.order_options(seed, batch_size); }) {
      return parameters_.order_options(seed, batch_size);
    } else {
      return Operator::order_options(seed, batch_size);
    }
  }

  bool decodes_records() const override {
    if constexpr (requires { T::kDecodesRecords; }) {
      return T::kDecodesRecords;
    } else {
      return false;
    }
  }

  bool runs_on_devices() const override { return kHasDeviceSide; }

  Status output_specs(const Sample& sample, std::span<TensorSpec> specs) const override {
    if constexpr (kHasDeviceSide) {
      FOREBAY_ASSIGN_OR_RETURN(specs[0], parameters_.output_spec(sample));
      return ok_status();
    } else {
      return Operator::output_specs(sample, specs);
    }
  }

  Status launch(std::span<Sample> group, LaunchQueue& queue) const override {
    if constexpr (kHasDeviceSide) {
      return parameters_.launch(group, queue);
    } else {
      return Operator::launch(group, queue);
    }
  }

  const void* parameters() const override { return &parameters_; }

 private:
  static constexpr bool kTakesGroups =
      requires(const T& parameters, std::span<Sample> samples, std::span<Status> results) {
        parameters.run_group(samples, results);
      };
  static constexpr bool kHasDeviceSide =
      requires(const T& parameters, const Sample& sample, std::span<Sample> group, LaunchQueue& queue) {
        { parameters.output_spec(sample) } -> std::same_as<Result<TensorSpec>>;
        { parameters.launch(group, queue) } -> std::same_as<Status>;
      };

  T parameters_;
};

template <class T>
class Description {
 public:
  Description(std::string name, std::string doc) {
    spec_.name = std::move(name);
    spec_.doc = std::move(doc);
    const DescribedOperator<T> defaults(T{});
    spec_.scope = defaults.scope();
    spec_.group_size = defaults.group_size();
  }

  Description& input(std::string name, std::string doc) {
    spec_.inputs.push_back({std::move(name), std::move(doc)});
    spec_.max_inputs = static_cast<int>(spec_.inputs.size());
    spec_.min_inputs = spec_.max_inputs;
    return *this;
  }
  /// An optional input; must come after all others.
  Description& optional_input(std::string name, std::string doc) {
    const int required = spec_.min_inputs;
    input(std::move(name), std::move(doc));
    spec_.min_inputs = required;
    return *this;
  }
  /// Between `least` and `most` inputs of one kind.
  Description& variadic_inputs(std::string name, std::string doc, int least, int most = 999) {
    spec_.inputs.push_back({std::move(name), std::move(doc)});
    spec_.min_inputs = least;
    spec_.max_inputs = most;
    return *this;
  }

  /// A parameter: a member of T or of a base of T. Its type decides which values are accepted (parameter.h).
  template <class Member, class Owner>
    requires std::derived_from<T, Owner>
  Description& param(std::string name, Member Owner::*member, std::string doc) {
    using Traits = ParameterTraits<Member>;
    const T defaults{};
    ParameterSpec row;
    row.name = name;
    row.kind = Traits::kKind;
    row.accepts_tensor = Traits::kAcceptsTensor;
    row.default_value = Traits::to_value(defaults.*member);
    row.doc = std::move(doc);
    spec_.parameters.push_back(std::move(row));
    setters_.push_back([member](T& target, const ParameterSpec& given, const Arguments& arguments) -> Status {
      return set_parameter<Member>(given, target.*member, arguments);
    });
    return *this;
  }
  /// An older name of the parameter declared last (`member`); cannot be given together with the new name.
  template <class Member, class Owner>
  Description& old_name(std::string name, Member Owner::*member) {
    const std::string newer_name = spec_.parameters.back().name;
    param(std::move(name), member, "Old name of `" + newer_name + "`.");
    spec_.parameters.back().default_value = {};
    spec_.parameters.back().newer_name = newer_name;
    return *this;
  }
  /// A parameter that scripts pass but that has no effect here. It is checked like any other.
  template <class Member>
  Description& ignored(std::string name, const Member& default_value,
                       std::string doc = "Accepted for compatibility; has no effect.") {
    using Traits = ParameterTraits<Member>;
    ParameterSpec row;
    row.name = name;
    row.kind = Traits::kKind;
    row.default_value = Traits::to_value(default_value);
    row.doc = std::move(doc);
    spec_.parameters.push_back(std::move(row));
    setters_.push_back([](T&, const ParameterSpec& given, const Arguments& arguments) -> Status {
      Member dropped{};
      return set_parameter<Member>(given, dropped, arguments);
    });
    return *this;
  }
  /// Makes the parameter declared last required.
  Description& required() {
    spec_.parameters.back().is_required = true;
    return *this;
  }
  /// Sets the allowed values of the parameter declared last, a string.
  Description& choices(std::vector<std::string> values) {
    spec_.parameters.back().choices = std::move(values);
    return *this;
  }
  /// Lets the parameter declared last be NaN or infinite, which others must not be.
  Description& any_number() { return takes_odd(OddNumbers::kAll, " May be NaN or infinite."); }
  /// Lets it be infinite, as a bound.
  Description& or_infinite() { return takes_odd(OddNumbers::kInfinities, " May be infinite."); }
  /// Adds a group of parameters shared by several operators.
  template <class Group>
  Description& group(Group&& add_parameters) {
    add_parameters(*this);
    return *this;
  }

  Description& outputs(std::string doc) {
    spec_.output_doc = std::move(doc);
    return *this;
  }
  Description& matches(std::string source) {
    spec_.source = std::move(source);
    return *this;
  }
  Description& close() {
    spec_.numerics = Numerics::kClose;
    return *this;
  }
  Description& random() {
    spec_.is_random = true;
    return *this;
  }
  Description& internal() {
    spec_.is_internal = true;
    return *this;
  }

  OperatorSpec build() {
    OperatorSpec row = spec_;
    row.create = [spec = spec_,
                  setters = setters_](const Arguments& arguments) -> Result<std::unique_ptr<Operator>> {
      FOREBAY_RETURN_IF_ERROR(check_arguments(spec, arguments));
      T parameters{};
      for (size_t i = 0; i < setters.size(); ++i) {
        FOREBAY_RETURN_IF_ERROR(annotate(setters[i](parameters, spec.parameters[i], arguments), spec.name));
      }
      if constexpr (requires { parameters.prepare(arguments); }) {
        FOREBAY_RETURN_IF_ERROR(annotate(parameters.prepare(arguments), spec.name));
      }
      return std::make_unique<DescribedOperator<T>>(std::move(parameters));
    };
    return row;
  }

 private:
  Description& takes_odd(OddNumbers numbers, const char* doc) {
    spec_.parameters.back().takes_odd = numbers;
    spec_.parameters.back().doc += doc;
    return *this;
  }

  OperatorSpec spec_;
  std::vector<std::function<Status(T&, const ParameterSpec&, const Arguments&)>> setters_;  // of each row
};

template <class T>
Description<T> describe(std::string name, std::string doc) {
  return Description<T>(std::move(name), std::move(doc));
}

}  // namespace forebay::operators
