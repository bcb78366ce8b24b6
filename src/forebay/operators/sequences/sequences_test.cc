// element_extract, sequence_rearrange, per_frame: sequences and their frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

Tensor of_frames(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string frame_error(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(ElementExtract, SharesTheFrames) {
  const Tensor in = counted<uint8_t>({4, 2, 3}, "FHW");
  const auto out = run_operator("element_extract", {in}, {.constants = {{"element_map", Ints{3, 0}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 2);
  EXPECT_EQ((*out)[0].spec(), (TensorSpec{{2, 3}, DType::kUint8, "HW"}));
  EXPECT_THAT(values_of<uint8_t>((*out)[0]), ElementsAre(18, 19, 20, 21, 22, 23));
  EXPECT_EQ((*out)[1].data(), in.data());
}

TEST(ElementExtract, NamesWhatIsWrong) {
  const Tensor in = counted<uint8_t>({4, 2, 3}, "FHW");
  EXPECT_THAT(frame_error("element_extract", {in}, {.constants = {{"element_map", Ints{4}}}}),
              HasSubstr("frame 4"));
  EXPECT_THAT(frame_error("element_extract", {in}, {.constants = {{"element_map", Ints{-1}}}}),
              HasSubstr("frame -1"));
  EXPECT_THAT(frame_error("element_extract", {in}, {.constants = {{"element_map", Ints{}}}}),
              HasSubstr("no frame"));
  EXPECT_THAT(frame_error("element_extract", {counted<uint8_t>({4, 3}, "HW")},
                          {.constants = {{"element_map", Ints{0}}}}),
              HasSubstr("axis F"));
  EXPECT_THAT(
      frame_error("element_extract", {counted<uint8_t>({4})}, {.constants = {{"element_map", Ints{0}}}}),
      HasSubstr("axis F"));
}

TEST(SequenceRearrange, RepeatsAndLeavesOut) {
  const Tensor in = counted<int16_t>({3, 2}, "FX");
  const Tensor out = of_frames("sequence_rearrange", {in}, {.constants = {{"new_order", Ints{2, 0, 0, 2}}}});
  EXPECT_EQ(out.spec(), (TensorSpec{{4, 2}, DType::kInt16, "FX"}));
  EXPECT_THAT(values_of<int16_t>(out), ElementsAre(4, 5, 0, 1, 0, 1, 4, 5));
  EXPECT_THAT(frame_error("sequence_rearrange", {in}, {.constants = {{"new_order", Ints{3}}}}),
              HasSubstr("frame 3"));
  EXPECT_THAT(frame_error("sequence_rearrange", {in}, {.constants = {{"new_order", Ints{-1}}}}),
              HasSubstr("frame -1"));
  EXPECT_THAT(
      frame_error("sequence_rearrange", {in}, {.tensors = {{"new_order", tensor_of<int32_t>({}, {0})}}}),
      HasSubstr("empty"));
}

TEST(PerFrame, NamesTheFirstAxis) {
  const Tensor in = counted<uint8_t>({3, 2});
  EXPECT_EQ(of_frames("per_frame", {in}).layout(), Layout("F*"));
  EXPECT_EQ(of_frames("per_frame", {in}).data(), in.data());
  const Tensor named = counted<uint8_t>({3, 2}, "HW");
  EXPECT_EQ(of_frames("per_frame", {named}, {.constants = {{"replace", true}}}).layout(), Layout("FW"));
  EXPECT_THAT(frame_error("per_frame", {named}), HasSubstr("replace=True"));
  EXPECT_THAT(frame_error("per_frame", {scalar_of(1)}), HasSubstr("no axis"));
}

}  // namespace
}  // namespace forebay::operators::testing
