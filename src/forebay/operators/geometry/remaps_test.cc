// water, sphere, jitter, remap, warp_perspective, multi_paste: what they share and what they refuse.
// tests/parity compares their values with DALI's and OpenCV's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

Tensor remapped(const std::string& name, std::vector<Tensor> inputs, const Given& given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string remap_error(const std::string& name, std::vector<Tensor> inputs, const Given& given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(Displacement, LeavesWhatIsMaskedAndSharesIt) {
  const Tensor image = test_image({5, 6, 3});
  for (const char* name : {"water", "sphere", "jitter"}) {
    const Tensor same = remapped(name, {image}, {.constants = {{"mask", int64_t{0}}}});
    EXPECT_EQ(same.data(), image.data()) << name;
    EXPECT_THAT(remap_error(name, {image}, {.constants = {{"interp_type", int64_t{2}}}}),
                HasSubstr("INTERP_NN"));
    EXPECT_THAT(remap_error(name, {counted<int64_t>({5, 6, 3}, "HWC")}), HasSubstr("cast it"));
  }
}

TEST(Water, WithoutWavesIsTheImage) {
  const Tensor image = test_image({5, 6, 3});
  const Given still{.constants = {{"ampl_x", 0.0}, {"ampl_y", 0.0}}};
  EXPECT_TRUE(same_bytes(remapped("water", {image}, still), image));
}

TEST(Jitter, StaysNearAndDependsOnTheSample) {
  const Tensor image = counted<int32_t>({20, 30, 1}, "HWC");
  Given given{.constants = {{"nDegree", int64_t{4}}}};
  const std::vector<int32_t> moved = values_of<int32_t>(remapped("jitter", {image}, given));
  for (int64_t i = 0; i < 600; ++i) {
    const int64_t from = moved[static_cast<size_t>(i)];
    EXPECT_LE(std::abs(from / 30 - i / 30), 2);
    EXPECT_LE(std::abs(from % 30 - i % 30), 2);
  }
  EXPECT_EQ(moved, values_of<int32_t>(remapped("jitter", {image}, given)));
  given.identity.position = 1;
  EXPECT_NE(moved, values_of<int32_t>(remapped("jitter", {image}, given)));
  EXPECT_THAT(remap_error("jitter", {image}, {.constants = {{"nDegree", int64_t{0}}}}),
              HasSubstr("nDegree is 0"));
}

TEST(Remap, HasTheShapeOfItsMaps) {
  const Tensor image = tensor_of<uint8_t>({1, 2, 3, 4}, {2, 2, 1}, "HWC");
  const Tensor xs = tensor_of<float>({1.5f, 0.5f, -3.0f}, {1, 3});
  const Tensor ys = tensor_of<float>({0.5f, 1.5f, 0.5f}, {1, 3});
  const Tensor out = remapped("experimental.remap", {image, xs, ys});
  EXPECT_EQ(out.shape(), (Shape{1, 3, 1}));
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(2, 3, 0));
  EXPECT_THAT(remap_error("experimental.remap", {image, xs, tensor_of<float>({1}, {1, 1})}),
              HasSubstr("alike"));
  EXPECT_THAT(remap_error("experimental.remap", {image, tensor_of<float>({1}, {1}), ys}),
              HasSubstr("two axes"));
}

TEST(WarpPerspective, TakesAMapForEachFrameInPlanes) {
  const Tensor image = tensor_of<uint8_t>({1, 2, 3, 4}, {2, 1, 1, 2}, "FCHW");
  const Tensor maps =
      tensor_of<float>({1, 0, 1, 0, 1, 0, 0, 0, 1, -1, 0, 2, 0, 1, 0, 0, 0, 1}, {2, 3, 3}, "F**");
  EXPECT_THAT(values_of<uint8_t>(remapped("experimental.warp_perspective", {image, maps})),
              ElementsAre(2, 0, 4, 3));
}

TEST(WarpPerspective, NamesWhatIsWrong) {
  const Tensor image = test_image({5, 6, 3});
  const auto error = [&](std::map<std::string, Value> constants) {
    return remap_error("experimental.warp_perspective", {image}, {.constants = std::move(constants)});
  };
  const Numbers identity{1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_THAT(error({}), HasSubstr("matrix"));
  EXPECT_THAT(error({{"matrix", Numbers{1, 2}}}), HasSubstr("nine numbers"));
  EXPECT_THAT(error({{"matrix", Numbers(9, 1.0)}, {"inverse_map", false}}), HasSubstr("cannot be inverted"));
  EXPECT_THAT(error({{"matrix", identity}, {"fill_value", Numbers{1, 2}}}),
              HasSubstr("fill_value has 2 values"));
  EXPECT_THAT(error({{"matrix", identity}, {"size", Numbers{4, 1e30}}}), HasSubstr("extent"));
}

TEST(MultiPaste, PutsLaterRegionsAbove) {
  const Tensor ones = tensor_of<uint8_t>({1, 1, 1, 1}, {2, 2, 1}, "HWC");
  const Tensor twos = tensor_of<uint8_t>({2, 3, 4, 5}, {2, 2, 1}, "HWC");
  const Tensor out = remapped("multi_paste", {ones, twos},
                              {.constants = {{"output_size", std::vector<int64_t>{2, 3}}},
                               .tensors = {{"out_anchors", tensor_of<int32_t>({0, 0, 0, 1}, {2, 2})}}});
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(1, 2, 3, 1, 4, 5));
}

TEST(MultiPaste, TakesRegionsFromTheBatch) {
  const std::vector<std::vector<Tensor>> batch{{tensor_of<uint8_t>({1, 2}, {1, 2, 1}, "HWC")},
                                               {tensor_of<uint8_t>({3, 4}, {1, 2, 1}, "HWC")}};
  const auto out = run_operator_batch(
      "multi_paste", batch, {},
      {{{"in_ids", tensor_of<int32_t>({1}, {1})}}, {{"in_ids", tensor_of<int32_t>({}, {0})}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values_of<uint8_t>((*out)[0][0]), ElementsAre(3, 4));
  EXPECT_THAT(values_of<uint8_t>((*out)[1][0]), ElementsAre(0, 0));
}

TEST(MultiPaste, NamesWhatIsWrong) {
  const Tensor image = test_image({4, 5, 3});
  const auto error = [&](std::map<std::string, Value> constants) {
    return remap_error("multi_paste", {image, image}, {.constants = std::move(constants)});
  };
  EXPECT_THAT(error({{"in_ids", int64_t{0}}}), HasSubstr("one input"));
  EXPECT_THAT(error({{"shapes", int64_t{4}}}), HasSubstr("a pair (y, x) each"));
  EXPECT_THAT(error({{"shapes", int64_t{4}}, {"shapes_rel", 1.0}}), HasSubstr("not both"));
  EXPECT_THAT(error({{"out_anchors", std::vector<int64_t>{0, 0, 1, 0}}}), HasSubstr("region 1 has 4 pixels"));
  EXPECT_THAT(error({{"in_anchors_rel", Numbers{0, 0, 2, 0}}}), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error({{"output_size", std::vector<int64_t>{-1, 3}}}), HasSubstr("output_size"));
  EXPECT_THAT(remap_error("multi_paste", {image, test_image({4, 5, 1})}), HasSubstr("channels agree"));
  const auto out = run_operator_batch("multi_paste", {{image}}, {.constants = {{"in_ids", int64_t{1}}}});
  EXPECT_THAT(std::string(message(out.status())), HasSubstr("the batch has 1"));
}

}  // namespace
}  // namespace forebay::operators::testing
