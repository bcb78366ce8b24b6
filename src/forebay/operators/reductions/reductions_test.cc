// Reductions over axes: shapes, types, what is refused. tests/parity compares their values with DALI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

Tensor reduced(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string reduction_error(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(Reductions, KeepShapeAndLayoutOfTheAxesThatAreLeft) {
  const Tensor in = counted<uint8_t>({2, 4, 3}, "HWC");
  const Tensor columns = reduced("reductions.sum", {in}, {.constants = {{"axes", Ints{0, -1}}}});
  EXPECT_EQ(columns.spec(), (TensorSpec{{4}, DType::kUint64, "W"}));
  EXPECT_THAT(values_of<uint64_t>(columns), ElementsAre(42, 60, 78, 96));
  const Tensor kept =
      reduced("reductions.max", {in}, {.constants = {{"axis_names", "HC"}, {"keep_dims", true}}});
  EXPECT_EQ(kept.spec(), (TensorSpec{{1, 4, 1}, DType::kUint8, "HWC"}));
  EXPECT_EQ(reduced("reductions.mean", {in}).spec(), (TensorSpec{Shape(), DType::kFloat, {}}));
  EXPECT_EQ(reduced("reductions.min", {in}, {.constants = {{"axes", Ints{}}}}).shape(), in.shape());
}

TEST(Reductions, AddIntegersExactly) {
  const Tensor big = tensor_of<int64_t>({(int64_t{1} << 62) + 1, -3, 1}, {3});
  EXPECT_THAT(values_of<int64_t>(reduced("reductions.sum", {big})), ElementsAre((int64_t{1} << 62) - 1));
  const Tensor negative = tensor_of<int8_t>({-100, -100}, {2});
  EXPECT_THAT(values_of<int64_t>(reduced("reductions.sum", {negative})), ElementsAre(-200));
  const Given as_int8{.constants = {{"dtype", static_cast<int64_t>(DType::kInt8)}}};
  EXPECT_THAT(values_of<int8_t>(reduced("reductions.sum", {negative}, as_int8)), ElementsAre(-128));
}

TEST(Reductions, PassOverNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor in = tensor_of<float>({nan, 3, -7, nan}, {4});
  EXPECT_THAT(values_of<float>(reduced("reductions.min", {in})), ElementsAre(-7));
  EXPECT_THAT(values_of<float>(reduced("reductions.max", {in})), ElementsAre(3));
}

TEST(Reductions, TakeOneMeanOrOneForEachOutput) {
  const Tensor in = tensor_of<float>({1, 10, 3, 30}, {2, 2});
  const Given rows{.constants = {{"axes", Ints{0}}}};
  EXPECT_THAT(values_of<float>(reduced("reductions.variance", {in, tensor_of<float>({2, 20}, {2})}, rows)),
              ElementsAre(1, 100));
  EXPECT_THAT(values_of<float>(reduced("reductions.std_dev", {in, scalar_of(2)}, rows)),
              ElementsAre(1, ::testing::FloatEq(std::sqrt(424.0f))));
  EXPECT_THAT(reduction_error("reductions.variance", {in, counted<float>({3})}, rows), HasSubstr("3 means"));
}

TEST(Reductions, NameWhatIsWrong) {
  const Tensor in = counted<uint8_t>({2, 3}, "HW");
  EXPECT_THAT(reduction_error("reductions.sum", {in}, {.constants = {{"axes", Ints{2}}}}),
              HasSubstr("axis 2"));
  EXPECT_THAT(reduction_error("reductions.sum", {in}, {.constants = {{"axes", Ints{0, -2}}}}),
              HasSubstr("twice"));
  EXPECT_THAT(reduction_error("reductions.sum", {in}, {.constants = {{"axis_names", "C"}}}),
              HasSubstr("'C'"));
  EXPECT_THAT(
      reduction_error("reductions.sum", {in}, {.constants = {{"axis_names", "H"}, {"axes", Ints{0}}}}),
      HasSubstr("either"));
  EXPECT_THAT(reduction_error("reductions.min", {counted<uint8_t>({0, 3})}), HasSubstr("no elements"));
}

}  // namespace
}  // namespace forebay::operators::testing
