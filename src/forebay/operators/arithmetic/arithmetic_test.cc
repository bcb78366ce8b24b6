// _arithmetic and cast: types, broadcasting, layouts, errors. The kernels' own tests check the values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Tensor> computed(const std::string& op, std::vector<Tensor> operands) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                           run_operator("_arithmetic", std::move(operands), {.constants = {{"op", op}}}));
  return out[0];
}

std::string arithmetic_error(const std::string& op, std::vector<Tensor> operands) {
  return std::string(message(computed(op, std::move(operands)).status()));
}

TEST(Arithmetic, PromotesAsPythonScalarsNeed) {
  const Tensor bytes = tensor_of<uint8_t>({200, 255}, {2});
  EXPECT_THAT(values_of<int32_t>(*computed("add", {bytes, scalar_of<int32_t>(1)})), ElementsAre(201, 256));
  EXPECT_THAT(values_of<float>(*computed("mul", {bytes, scalar_of(0.5f)})), ElementsAre(100, 127.5f));
  EXPECT_THAT(values_of<uint8_t>(*computed("add", {bytes, bytes})), ElementsAre(144, 254));
  EXPECT_THAT(values_of<int16_t>(*computed("mul", {bytes, tensor_of<int8_t>({-100, 1}, {2})})),
              ElementsAre(-20000, 255));
  EXPECT_EQ(computed("fdiv", {bytes, bytes})->dtype(), DType::kFloat);
  EXPECT_EQ(computed("sub", {scalar_of(1.0), scalar_of(1.0f)})->dtype(), DType::kFloat64);
}

TEST(Arithmetic, ComparesToBool) {
  const Tensor a = tensor_of<uint8_t>({200, 1, 7}, {3});
  const Tensor b = tensor_of<int8_t>({-1, 1, 9}, {3});
  EXPECT_THAT(values_of<bool>(*computed("lt", {a, b})), ElementsAre(false, false, true));
  EXPECT_THAT(values_of<bool>(*computed("geq", {a, b})), ElementsAre(true, true, false));
  EXPECT_THAT(values_of<bool>(*computed("eq", {a, b})), ElementsAre(false, true, false));
}

TEST(Arithmetic, BroadcastsWithLayouts) {
  const Tensor image = counted<uint8_t>({2, 4, 3}, "HWC");
  const Tensor channels = tensor_of<uint8_t>({10, 20, 30}, {3}, "C");
  const Tensor sum = *computed("add", {channels, image});
  EXPECT_EQ(sum.spec(), image.spec());
  EXPECT_EQ(values_of<uint8_t>(sum)[23], 53);
  EXPECT_EQ(computed("add", {image, scalar_of<uint8_t>(1)})->layout(), Layout("HWC"));
  EXPECT_THAT(arithmetic_error("add", {image, tensor_of<uint8_t>({1, 2, 3}, {3}, "W")}),
              HasSubstr("layouts"));
  EXPECT_FALSE(computed("add", {image, tensor_of<uint8_t>({1, 2}, {2})}).ok());
}

TEST(Arithmetic, RefusesWhatHasNoMeaning) {
  const Tensor flag = scalar_of(true);
  EXPECT_FALSE(computed("add", {flag, flag}).ok());
  EXPECT_FALSE(computed("bitand", {scalar_of(1.0f), scalar_of(1.0f)}).ok());
  EXPECT_FALSE(computed("nonsense", {flag}).ok());
  EXPECT_THAT(arithmetic_error("add", {flag}), HasSubstr("takes 2 operands, not 1"));
  EXPECT_THAT(arithmetic_error("div", {scalar_of(7), tensor_of<int32_t>({1, 0}, {2})}), HasSubstr("by zero"));
  EXPECT_TRUE(computed("div", {scalar_of(7.0f), scalar_of(0.0f)}).ok());
}

TEST(Cast, RoundsAndSaturates) {
  const auto cast = [](Tensor in, DType dtype) {
    return (*run_operator("cast", {in}, {.constants = {{"dtype", static_cast<int64_t>(dtype)}}}))[0];
  };
  const Tensor floats = tensor_of<float>({-1, 0.5f, 1.5f, 2.5f, 300, std::nanf(""), INFINITY}, {7}, "C");
  EXPECT_THAT(values_of<uint8_t>(cast(floats, DType::kUint8)), ElementsAre(0, 1, 2, 3, 255, 0, 255));
  EXPECT_EQ(cast(floats, DType::kUint8).layout(), Layout("C"));
  EXPECT_EQ(cast(floats, DType::kFloat).data(), floats.data());
  EXPECT_THAT(values_of<bool>(cast(tensor_of<float>({-1.5f, 0, 0.1f}, {3}), DType::kBool)),
              ElementsAre(true, false, false));
}

TEST(Cast, RefusesNumbersThatAreNoType) {
  for (const int64_t number : {-1, 12, 1000}) {
    const auto out = run_operator("cast", {scalar_of(1.0f)}, {.constants = {{"dtype", number}}});
    EXPECT_THAT(std::string(message(out.status())), HasSubstr("is not a DALIDataType"));
  }
}

TEST(CastLike, TakesTheTypeOfTheOther) {
  const auto out = run_operator("cast_like", {tensor_of<uint8_t>({1, 2}, {2}), scalar_of(1.0f)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values_of<float>((*out)[0]), ElementsAre(1, 2));
}

}  // namespace
}  // namespace forebay::operators::testing
