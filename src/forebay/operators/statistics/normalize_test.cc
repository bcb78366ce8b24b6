// normalize against sums in double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Constants = std::map<std::string, Value>;
using Ints = std::vector<int64_t>;

Result<Tensor> normalized(Given given, Tensor in) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out, run_operator("normalize", {in}, given));
  return out[0];
}

std::string normalize_error(Given given, Tensor in) {
  return std::string(message(normalized(std::move(given), std::move(in)).status()));
}

Tensor table() {
  return tensor_of<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30}, {4, 3}, "WC");
}

std::vector<float> reference(const std::vector<float>& in, double ddof, double epsilon) {
  double mean = 0, squares = 0;
  for (const float value : in) {
    mean += value / in.size();
  }
  for (const float value : in) {
    squares += (value - mean) * (value - mean);
  }
  std::vector<float> out;
  for (const float value : in) {
    out.push_back(static_cast<float>((value - mean) / std::sqrt(squares / (in.size() - ddof) + epsilon)));
  }
  return out;
}

TEST(Normalize, OverAllAxes) {
  const std::vector<float> in = values_of<float>(table());
  EXPECT_THAT(values_of<float>(*normalized({}, table())), Pointwise(FloatNear(1e-5f), reference(in, 0, 0)));
  EXPECT_THAT(values_of<float>(*normalized({.constants = {{"ddof", int64_t{1}}, {"epsilon", 2.0}}}, table())),
              Pointwise(FloatNear(1e-5f), reference(in, 1, 2)));
}

TEST(Normalize, OverNamedAxes) {
  for (const Constants& axes : {Constants{{"axes", Ints{0}}}, Constants{{"axis_names", std::string("W")}}}) {
    const std::vector<float> out = values_of<float>(*normalized({.constants = axes}, table()));
    for (int c = 0; c < 3; ++c) {
      std::vector<float> column, expected;
      for (int w = 0; w < 4; ++w) {
        column.push_back(values_of<float>(table())[w * 3 + c]);
        expected.push_back(out[w * 3 + c]);
      }
      EXPECT_THAT(expected, Pointwise(FloatNear(1e-5f), reference(column, 0, 0)));
    }
  }
}

TEST(Normalize, WithGivenStatistics) {
  EXPECT_THAT(values_of<float>(*normalized({.constants = {{"mean", 1.0}, {"stddev", 2.0}, {"shift", 0.5}}},
                                           tensor_of<float>({1, 3}, {2}))),
              ElementsAre(0.5f, 1.5f));
  const Tensor means = tensor_of<float>({1, 2, 3}, {1, 3});
  const Tensor out = *normalized({.constants = {{"stddev", 2.0}}, .tensors = {{"mean", means}}}, table());
  EXPECT_THAT(values_of<float>(out), ElementsAre(-.5f, -.5f, -.5f, 1, 1, 1, 2.5f, 2.5f, 2.5f, 4, 4, 13.5f));
  const Tensor own =
      *normalized({.tensors = {{"mean", means}}}, tensor_of<float>({1, 2, 3, 5, 2, 3}, {2, 3}));
  EXPECT_THAT(values_of<float>(own), Pointwise(FloatNear(1e-6f), {0.0f, 0.0f, 0.0f, 1.4142135f, 0.0f, 0.0f}));
  const Tensor scalar =
      *normalized({.tensors = {{"mean", scalar_of(1.0f)}, {"stddev", scalar_of(2.0f)}}}, table());
  EXPECT_FLOAT_EQ(values_of<float>(scalar)[11], 14.5f);
}

TEST(Normalize, OfConstantDataIsTheShift) {
  const Tensor flat = tensor_of<float>({5, 5, 5}, {3});
  EXPECT_THAT(values_of<float>(*normalized({.constants = {{"shift", 7.0}}}, flat)), ElementsAre(7, 7, 7));
}

TEST(Normalize, RoundsToIntegers) {
  const Tensor out = *normalized({.constants = {{"dtype", int64_t{0}}, {"scale", 64.0}, {"shift", 128.0}}},
                                 tensor_of<uint8_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {4, 3}));
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(26, 45, 63, 82, 100, 119, 137, 156, 174, 193, 211, 230));
}

TEST(Normalize, OverABatch) {
  const std::vector<float> all{1, 2, 3, 10, 20};
  const auto out =
      run_operator_batch("normalize", {{tensor_of<float>({1, 2, 3}, {3})}, {tensor_of<float>({10, 20}, {2})}},
                         {.constants = {{"batch", true}}});
  ASSERT_TRUE(out.ok()) << out.status();
  std::vector<float> together = values_of<float>((*out)[0][0]);
  for (const float value : values_of<float>((*out)[1][0])) {
    together.push_back(value);
  }
  EXPECT_THAT(together, Pointwise(FloatNear(1e-5f), reference(all, 0, 0)));
  EXPECT_EQ((*make_operator("normalize", {.constants = {{"batch", true}}}, 1))->scope(), Scope::kBatch);
  EXPECT_EQ((*make_operator("normalize", {}, 1))->scope(), Scope::kSample);
}

TEST(Normalize, NamesWhatIsWrong) {
  EXPECT_THAT(normalize_error({.constants = {{"axes", Ints{}}}}, table()), HasSubstr("at least one axis"));
  EXPECT_THAT(normalize_error({.constants = {{"axes", Ints{0}}, {"axis_names", std::string("W")}}}, table()),
              HasSubstr("either"));
  EXPECT_THAT(normalize_error({.constants = {{"axes", Ints{0}}, {"mean", 1.0}, {"stddev", 1.0}}}, table()),
              HasSubstr("leave them out"));
  EXPECT_THAT(normalize_error({.constants = {{"axes", Ints{1}}},
                               .tensors = {{"mean", tensor_of<float>({1, 2, 3}, {1, 3})}}},
                              table()),
              HasSubstr("1x3"));
  EXPECT_THAT(
      normalize_error({.constants = {{"batch", true}}, .tensors = {{"mean", scalar_of(1.0f)}}}, table()),
      HasSubstr("batch=True"));
}

}  // namespace
}  // namespace forebay::operators::testing
