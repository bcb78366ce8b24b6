// NaN and infinities as arguments, for every row: refused by name, as a constant and where a tensor is read,
// unless the row takes them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "forebay/base/caught.h"
#include "forebay/operators/testing/conformance_cases.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using Outputs = std::vector<std::vector<Tensor>>;

constexpr float kOddNumbers[] = {NAN, INFINITY, -INFINITY};

bool takes_floats(const ParameterSpec& row) {
  const bool is_float = row.kind == ArgumentKind::kFloat || row.kind == ArgumentKind::kFloatList;
  return is_float && row.newer_name.empty();
}

/// How many numbers an argument has that is like `value`; one that is not given has one.
size_t count_of(const Value& value) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  return list == nullptr || list->empty() ? 1 : list->size();
}

bool takes(const ParameterSpec& row, float number) {
  return row.takes_odd == OddNumbers::kAll ||
         (row.takes_odd == OddNumbers::kInfinities && std::isinf(number));
}

Value constant_of(const ParameterSpec& row, size_t count, float number) {
  return row.kind == ArgumentKind::kFloat ? Value(double{number}) : Value(std::vector<double>(count, number));
}

Tensor filled(const Shape& shape, const Layout& layout, float number) {
  return tensor_of<float>(std::vector<float>(static_cast<size_t>(shape.volume()), number), shape, layout);
}

TEST(OddArguments, AConstantIsRefusedByName) {
  for (const OperatorSpec& spec : all_operators()) {
    for (const ParameterSpec& row : spec.parameters) {
      for (const float number : kOddNumbers) {
        if (takes_floats(row) && !takes(row, number)) {
          const Given given{.constants = {{row.name, constant_of(row, count_of(row.default_value), number)}}};
          const auto made = make_operator(spec.name, given, spec.min_inputs);
          const std::string wanted =
              fmt::format("{}: argument '{}' is {}; it must be {}", spec.name, row.name, number,
                          row.takes_odd == OddNumbers::kNone ? "finite" : "a number");
          EXPECT_EQ(std::string(message(made.status())), wanted);
        }
      }
    }
  }
}

TEST(OddArguments, AConstantBeyondTheFloatsIsNotCalledInfinite) {
  for (const double number : {1e39, -1e39}) {
    const auto made = make_operator("color_twist", {.constants = {{"brightness", number}}}, 1);
    EXPECT_EQ(std::string(message(made.status())),
              fmt::format("color_twist: argument 'brightness' is {}; that is too large for a float", number));
  }
}

TEST(OddArguments, TheDocumentationNamesThoseThatAreTaken) {
  for (const OperatorSpec& spec : all_operators()) {
    for (const ParameterSpec& row : spec.parameters) {
      SCOPED_TRACE(spec.name + ", " + row.name);
      EXPECT_EQ(row.doc.ends_with(". May be NaN or infinite."), row.takes_odd == OddNumbers::kAll);
      EXPECT_EQ(row.doc.ends_with(". May be infinite."), row.takes_odd == OddNumbers::kInfinities);
    }
  }
}

TEST(OddArguments, BoundsMayBeInfinite) {
  const auto makes = [](const char* op, const char* argument, const Value& value) {
    return make_operator(op, {.constants = {{argument, value}}}, 1).ok();
  };
  EXPECT_TRUE(makes("random_bbox_crop", "aspect_ratio", std::vector<double>{0, INFINITY}));
  EXPECT_TRUE(makes("random_bbox_crop", "scaling", std::vector<double>{0.5, INFINITY}));
  EXPECT_TRUE(makes("segmentation.random_mask_pixel", "threshold", double{-INFINITY}));
}

class OddArgumentsOf : public ::testing::TestWithParam<ConformanceCase> {
 protected:
  /// What the case makes of its first sample with `value` for the argument.
  static Result<Outputs> run_with(const std::string& argument, std::optional<Value> constant,
                                  std::optional<Tensor> tensor) {
    const ConformanceCase& the_case = GetParam();
    Given given{.constants = the_case.constants};
    for (const auto& [name, make] : the_case.tensors) {
      given.tensors[name] = make(0);
    }
    given.constants.erase(argument);
    given.tensors.erase(argument);
    if (constant) {
      given.constants[argument] = *constant;
    }
    if (tensor) {
      given.tensors[argument] = *tensor;
    }
    std::vector<Tensor> inputs;
    for (const auto& make : the_case.inputs) {
      inputs.push_back(make(0));
    }
    try {
      return run_operator_batch(the_case.op, {inputs}, given);
    } catch (const ThrownStatus& refused) {  // the executor makes it the sample's error
      return refused.status();
    }
  }

  static Result<Outputs> run_with_tensor(const ParameterSpec& row, float number) {
    const ConformanceCase& the_case = GetParam();
    if (const auto given = the_case.tensors.find(row.name); given != the_case.tensors.end()) {
      const Tensor usual = given->second(0);
      return run_with(row.name, {}, filled(usual.shape(), usual.layout(), number));
    }
    const auto constant = the_case.constants.find(row.name);
    const size_t count =
        count_of(constant == the_case.constants.end() ? row.default_value : constant->second);
    const Shape shape = row.kind == ArgumentKind::kFloat ? Shape{} : Shape{static_cast<int64_t>(count)};
    return run_with(row.name, {}, filled(shape, {}, number));
  }

  static const OperatorSpec& spec() { return **find_operator(GetParam().op); }
};

bool are_same(const Outputs& a, const Outputs& b) {
  return std::ranges::equal(a, b, [](const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
    return std::ranges::equal(x, y, same_bytes);
  });
}

TEST_P(OddArgumentsOf, ATensorIsRefusedByNameWhereItIsRead) {
  for (const ParameterSpec& row : spec().parameters) {
    for (const float number : kOddNumbers) {
      if (!takes_floats(row) || !row.accepts_tensor || takes(row, number)) {
        continue;
      }
      SCOPED_TRACE(fmt::format("{}={}", row.name, number));
      const Result<Outputs> odd = run_with_tensor(row, number);
      const std::string text(message(odd.status()));
      if (!odd.ok()) {
        EXPECT_EQ(odd.status().code(), StatusCode::kInvalidArgument) << odd.status();
        const bool is_named = text.find(fmt::format("'{}' is {}", row.name, number)) != std::string::npos;
        EXPECT_TRUE(is_named || text.find(fmt::format(" {}", number)) == std::string::npos) << text;
      } else if (const Result<Outputs> usual = run_with_tensor(row, 1); usual.ok()) {
        EXPECT_TRUE(are_same(*odd, *usual)) << "it is read and not refused";
      }
    }
  }
}

TEST_P(OddArgumentsOf, WhatIsTakenIsUsedOrRefusedInWords) {
  for (const ParameterSpec& row : spec().parameters) {
    for (const float number : kOddNumbers) {
      if (takes_floats(row) && takes(row, number)) {
        SCOPED_TRACE(fmt::format("{}={}", row.name, number));
        const auto constant = GetParam().constants.find(row.name);
        const bool is_given = constant != GetParam().constants.end();
        const size_t count = count_of(is_given ? constant->second : row.default_value);
        const Result<Outputs> found = run_with(row.name, constant_of(row, count, number), {});
        const StatusCode code = found.status().code();
        EXPECT_TRUE(found.ok() || code == StatusCode::kInvalidArgument || code == StatusCode::kOutOfRange)
            << found.status();
      }
    }
  }
}

std::string odd_test_name(const ::testing::TestParamInfo<ConformanceCase>& info) {
  std::string name = info.param.name();
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, OddArgumentsOf, ::testing::ValuesIn(conformance_cases()), odd_test_name);

}  // namespace
}  // namespace forebay::operators::testing
