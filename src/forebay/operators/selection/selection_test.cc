// Operators that choose among tensors without making any: keep, _merge, permute_batch, copy; and constant,
// shapes, one_hot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

int64_t type(DType dtype) {
  return static_cast<int64_t>(dtype);
}

TEST(Keep, ForwardsAllInputsOrNone) {
  const Tensor a = counted<uint8_t>({3});
  const Tensor b = counted<float>({2});
  for (const bool where : {true, false}) {
    const Given given{.tensors = {{"where", scalar_of(where)}}};
    EXPECT_EQ(*expand_count("keep", {a, b}, given), where ? 1 : 0);
  }
  const auto out = run_operator("keep", {a, b}, {.tensors = {{"where", scalar_of(true)}}});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 2);
  EXPECT_EQ((*out)[0].data(), a.data());
  EXPECT_EQ((*out)[1].data(), b.data());
}

TEST(Merge, TakesTheBranchThatHasRun) {
  const Tensor a = counted<uint8_t>({3});
  EXPECT_EQ((*run_operator("_merge", {a, Tensor()}))[0].data(), a.data());
  EXPECT_EQ((*run_operator("_merge", {Tensor(), a}))[0].data(), a.data());
  EXPECT_FALSE(run_operator("_merge", {a, a}).ok());
  EXPECT_FALSE(run_operator("_merge", {Tensor(), Tensor()}).ok());
}

TEST(Predicate, IsAScalarAndABoolWhereThatIsAsked) {
  const Given of_if{.constants = {{"of", std::string("if")}}};
  const Given of_and{.constants = {{"of", std::string("and")}, {"boolean", true}}};
  const Tensor number = scalar_of(0.5f);
  EXPECT_EQ((*run_operator("_predicate", {number}, of_if))[0].data(), number.data());
  EXPECT_TRUE(run_operator("_predicate", {scalar_of(true)}, of_and).ok());
  EXPECT_THAT(run_operator("_predicate", {counted<uint8_t>({1})}, of_if).status().message(),
              HasSubstr("`if` asks for a scalar, not for a tensor of"));
  const Given lenient{.constants = {{"of", std::string("if")}, {"takes_one", true}}};
  EXPECT_TRUE(run_operator("_predicate", {counted<uint8_t>({1, 1})}, lenient).ok());
  EXPECT_FALSE(run_operator("_predicate", {counted<uint8_t>({2})}, lenient).ok());
  EXPECT_THAT(run_operator("_predicate", {number}, of_and).status().message(),
              HasSubstr("`and` asks for a bool, not for float"));
}

std::vector<std::vector<Tensor>> batch_of(std::vector<Tensor> samples) {
  std::vector<std::vector<Tensor>> batch;
  for (Tensor& sample : samples) {
    batch.push_back({std::move(sample)});
  }
  return batch;
}

TEST(PermuteBatch, ReordersByConstantsAndTensors) {
  const auto in = batch_of({counted<uint8_t>({1}), counted<uint8_t>({2}), counted<uint8_t>({3})});
  auto out = run_operator_batch("permute_batch", in, {.constants = {{"indices", Ints{2, 0, 0}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0][0].data(), in[2][0].data());
  EXPECT_EQ((*out)[1][0].data(), in[0][0].data());
  EXPECT_EQ((*out)[2][0].data(), in[0][0].data());
  out = run_operator_batch(
      "permute_batch", in, {},
      {{{"indices", scalar_of(1)}}, {{"indices", scalar_of(2)}}, {{"indices", scalar_of(0)}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[1][0].data(), in[2][0].data());
}

TEST(PermuteBatch, RefusesIndicesOutsideOfTheBatch) {
  const auto in = batch_of({counted<uint8_t>({1}), counted<uint8_t>({2})});
  const auto error = [&](Ints indices) {
    const auto out = run_operator_batch("permute_batch", in, {.constants = {{"indices", indices}}});
    return std::string(message(out.status()));
  };
  EXPECT_THAT(error({0, 2}), HasSubstr("indices[1] is 2"));
  EXPECT_THAT(error({-1, 0}), HasSubstr("indices[0] is -1"));
  EXPECT_THAT(error({0}), HasSubstr("1 indices"));
}

TEST(Copy, SharesTheInput) {
  const Tensor in = counted<uint8_t>({3}, "X");
  EXPECT_EQ((*run_operator("copy", {in}))[0].data(), in.data());
}

TEST(Shapes, GivesExtents) {
  const Tensor in = counted<uint8_t>({2, 4, 3}, "HWC");
  EXPECT_THAT(values_of<int64_t>((*run_operator("shapes", {in}))[0]), ElementsAre(2, 4, 3));
  const auto out = run_operator("shapes", {in}, {.constants = {{"dtype", type(DType::kFloat)}}});
  EXPECT_THAT(values_of<float>((*out)[0]), ElementsAre(2, 4, 3));
  EXPECT_EQ((*run_operator("shapes", {scalar_of(1)}))[0].shape(), (Shape{0}));
}

Result<Tensor> constant(std::map<std::string, Value> constants) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                           run_operator("constant", {}, {.constants = constants}));
  return out[0];
}

TEST(Constant, HoldsWhatIsGiven) {
  EXPECT_THAT(values_of<int32_t>(*constant({{"idata", Ints{1, 2}}})), ElementsAre(1, 2));
  EXPECT_THAT(values_of<float>(*constant({{"fdata", Floats{1.5, 2}}})), ElementsAre(1.5f, 2.0f));
  EXPECT_EQ(constant({{"idata", int64_t{1}}})->shape(), (Shape{1}));
  EXPECT_EQ(constant({{"idata", int64_t{1}}, {"shape", Ints{}}})->shape(), Shape());
  const Tensor filled =
      *constant({{"idata", int64_t{7}}, {"shape", Ints{2, 2}}, {"layout", std::string("HW")}});
  EXPECT_EQ(filled.spec(), (TensorSpec{{2, 2}, DType::kInt32, "HW"}));
  EXPECT_THAT(values_of<int32_t>(filled), ElementsAre(7, 7, 7, 7));
}

TEST(Constant, SaturatesToItsType) {
  EXPECT_THAT(values_of<uint8_t>(*constant({{"idata", Ints{-1, 300}}, {"dtype", type(DType::kUint8)}})),
              ElementsAre(0, 255));
  EXPECT_THAT(values_of<int32_t>(*constant({{"fdata", Floats{1.5, 2.5}}, {"dtype", type(DType::kInt32)}})),
              ElementsAre(2, 3));
  EXPECT_THAT(values_of<int32_t>(*constant({{"idata", int64_t{5000000000}}})), ElementsAre(2147483647));
}

TEST(Constant, NamesWhatIsWrong) {
  EXPECT_FALSE(constant({{"shape", Ints{2}}}).ok());
  EXPECT_FALSE(constant({{"idata", Ints{1}}, {"fdata", Floats{1}}}).ok());
  EXPECT_THAT(std::string(message(constant({{"idata", Ints{1, 2, 3}}, {"shape", Ints{2, 2}}}).status())),
              HasSubstr("do not fill"));
  EXPECT_FALSE(constant({{"idata", int64_t{1}}, {"shape", Ints{int64_t{1} << 40, int64_t{1} << 40}}}).ok());
}

Result<Tensor> one_hot(Tensor in, std::map<std::string, Value> constants) {
  constants["num_classes"] = int64_t{4};
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                           run_operator("one_hot", {in}, {.constants = constants}));
  return out[0];
}

TEST(OneHot, SwitchesTheClassOn) {
  EXPECT_THAT(values_of<float>(*one_hot(scalar_of(2), {})), ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(one_hot(tensor_of<int32_t>({2}, {1}), {})->shape(), (Shape{4}));
  const Tensor rows = *one_hot(tensor_of<int32_t>({2, 7}, {2}), {});
  EXPECT_EQ(rows.shape(), (Shape{2, 4}));
  EXPECT_THAT(values_of<float>(rows), ElementsAre(0, 0, 1, 0, 0, 0, 0, 0));
}

TEST(OneHot, PutsTheNewAxisWhereAsked) {
  const Tensor in = tensor_of<int32_t>({2, 0, -1}, {3}, "X");
  const Tensor out =
      *one_hot(in, {{"axis", int64_t{0}}, {"axis_name", std::string("K")}, {"dtype", type(DType::kUint8)}});
  EXPECT_EQ(out.spec(), (TensorSpec{{4, 3}, DType::kUint8, "KX"}));
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0));
  EXPECT_FALSE(one_hot(in, {{"axis", int64_t{2}}}).ok());
  EXPECT_FALSE(one_hot(in, {{"axis", int64_t{-2}}}).ok());
  EXPECT_FALSE(one_hot(tensor_of<int32_t>({2, 0, -1}, {3}), {{"axis_name", std::string("K")}}).ok());
}

}  // namespace
}  // namespace forebay::operators::testing
