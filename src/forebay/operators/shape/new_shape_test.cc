// reshape, reinterpret, squeeze, expand_dims: they share memory, so only shapes and layouts are checked.
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

TensorSpec spec_after(const char* name, std::map<std::string, Value> constants, std::vector<Tensor> inputs) {
  const void* memory = inputs[0].data();
  auto out = run_operator(name, std::move(inputs), {.constants = std::move(constants)});
  EXPECT_TRUE(out.ok()) << out.status();
  if (!out.ok()) {
    return {};
  }
  EXPECT_EQ((*out)[0].data(), memory) << "nothing is copied";
  return (*out)[0].spec();
}

std::string new_shape_error(const char* name, std::map<std::string, Value> constants,
                            std::vector<Tensor> inputs) {
  return std::string(
      message(run_operator(name, std::move(inputs), {.constants = std::move(constants)}).status()));
}

Tensor small_image() {
  return counted<uint8_t>({2, 4, 3}, "HWC");
}

TensorSpec bytes_spec(Shape shape, Layout layout) {
  return {shape, DType::kUint8, layout};
}

TEST(Reshape, TakesAbsoluteShapes) {
  EXPECT_EQ(spec_after("reshape", {{"shape", Ints{4, 2, 3}}}, {small_image()}), bytes_spec({4, 2, 3}, "HWC"));
  EXPECT_EQ(spec_after("reshape", {{"shape", Ints{8, -1}}}, {small_image()}), bytes_spec({8, 3}, ""));
  EXPECT_EQ(spec_after("reshape", {{"layout", std::string("ABC")}}, {small_image()}),
            bytes_spec({2, 4, 3}, "ABC"));
  EXPECT_EQ(spec_after("reshape", {}, {small_image(), tensor_of<int32_t>({6, 4}, {2})}),
            bytes_spec({6, 4}, ""));
  EXPECT_EQ(spec_after("reshape", {{"shape", Ints{}}}, {counted<uint8_t>({1, 1}, "HW")}),
            bytes_spec(Shape(), ""));
}

TEST(Reshape, TakesRelativeShapesAndSourceAxes) {
  EXPECT_EQ(spec_after("reshape", {{"rel_shape", Floats{0.5, 2, 1}}}, {small_image()}),
            bytes_spec({1, 8, 3}, "HWC"));
  EXPECT_EQ(spec_after("reshape", {{"rel_shape", Floats{0.5, -1}}}, {small_image()}),
            bytes_spec({1, 24}, ""));
  EXPECT_EQ(spec_after("reshape", {{"rel_shape", Floats{1, 1, 1, -1}}}, {small_image()}),
            bytes_spec({2, 4, 3, 1}, ""));
  EXPECT_EQ(spec_after("reshape", {{"rel_shape", Floats{1.3, -1}}}, {small_image()}), bytes_spec({3, 8}, ""));
  EXPECT_EQ(
      spec_after("reshape", {{"rel_shape", Floats{2, 1, 0.5}}, {"src_dims", Ints{1, 2, 0}}}, {small_image()}),
      bytes_spec({8, 3, 1}, "HWC"));
  EXPECT_EQ(spec_after("reshape", {{"src_dims", Ints{0, -1, 1, 2}}}, {small_image()}),
            bytes_spec({2, 1, 4, 3}, ""));
  EXPECT_EQ(
      spec_after("reshape", {{"rel_shape", Floats{1, 3, -1}}, {"src_dims", Ints{0, -1, 1}}}, {small_image()}),
      bytes_spec({2, 3, 4}, "HWC"));
}

TEST(Reshape, NamesWhatIsWrong) {
  EXPECT_THAT(new_shape_error("reshape", {{"shape", Ints{5, 5}}}, {small_image()}),
              HasSubstr("number of bytes would change"));
  EXPECT_THAT(new_shape_error("reshape", {{"shape", Ints{5, -1}}}, {small_image()}),
              HasSubstr("number of bytes would change"));
  EXPECT_THAT(new_shape_error("reshape", {{"shape", Ints{-1, -1}}}, {small_image()}),
              HasSubstr("only one extent"));
  EXPECT_THAT(
      new_shape_error("reshape", {{"shape", Ints{8, 3}}, {"layout", std::string("ABC")}}, {small_image()}),
      HasSubstr("does not fit"));
  EXPECT_THAT(new_shape_error("reshape", {}, {small_image()}), HasSubstr("neither a new shape"));
  EXPECT_THAT(new_shape_error("reshape", {{"shape", Ints{24}}, {"rel_shape", Floats{-1}}}, {small_image()}),
              HasSubstr("once"));
  EXPECT_THAT(new_shape_error("reshape", {{"src_dims", Ints{0, 7}}}, {small_image()}), HasSubstr("axis 7"));
  EXPECT_THAT(new_shape_error("reshape", {}, {small_image(), tensor_of<float>({24}, {1})}),
              HasSubstr("must be integers"));
  EXPECT_THAT(new_shape_error("reshape", {{"shape", Ints{1LL << 40, 1LL << 40}}}, {small_image()}),
              HasSubstr("cannot take"));
}

TEST(Reinterpret, ChangesTheInnermostExtentWithTheType) {
  const auto type = [](DType dtype) { return static_cast<int64_t>(dtype); };
  const Tensor bytes = counted<uint8_t>({2, 3, 4}, "HWC");
  EXPECT_EQ(spec_after("reinterpret", {{"dtype", type(DType::kUint32)}}, {bytes}),
            (TensorSpec{{2, 3, 1}, DType::kUint32, "HWC"}));
  EXPECT_EQ(spec_after("reinterpret", {{"dtype", type(DType::kUint16)}, {"shape", Ints{3, -1}}}, {bytes}),
            (TensorSpec{{3, 4}, DType::kUint16, ""}));
  EXPECT_EQ(spec_after("reinterpret", {{"dtype", type(DType::kUint8)}}, {counted<uint16_t>({2, 3}, "HW")}),
            (TensorSpec{{2, 6}, DType::kUint8, "HW"}));
  EXPECT_THAT(new_shape_error("reinterpret", {{"dtype", type(DType::kUint16)}}, {small_image()}),
              HasSubstr("not a multiple"));
}

TEST(Squeeze, TakesOutAxesOfExtentOne) {
  const Tensor in = counted<uint8_t>({2, 1, 12, 1}, "ABCD");
  EXPECT_EQ(spec_after("squeeze", {{"axes", Ints{1, 3}}}, {in}), bytes_spec({2, 12}, "AC"));
  EXPECT_EQ(spec_after("squeeze", {{"axes", Ints{-1}}}, {in}), bytes_spec({2, 1, 12}, "ABC"));
  EXPECT_EQ(spec_after("squeeze", {{"axis_names", std::string("B")}}, {in}), bytes_spec({2, 12, 1}, "ACD"));
  EXPECT_THAT(new_shape_error("squeeze", {{"axes", int64_t{0}}}, {in}), HasSubstr("extent of 2"));
  EXPECT_THAT(new_shape_error("squeeze", {{"axes", Ints{1, 1}}}, {in}), HasSubstr("twice"));
  EXPECT_THAT(new_shape_error("squeeze", {}, {in}), HasSubstr("either"));
  EXPECT_THAT(new_shape_error("squeeze", {{"axis_names", std::string("Z")}}, {in}), HasSubstr("no axis 'Z'"));
}

TEST(ExpandDims, AddsAxesOfExtentOne) {
  EXPECT_EQ(spec_after("expand_dims", {{"axes", Ints{0, 2}}}, {small_image()}),
            bytes_spec({1, 2, 1, 4, 3}, ""));
  EXPECT_EQ(spec_after("expand_dims", {{"axes", Ints{2, 0}}, {"new_axis_names", std::string("XY")}},
                       {small_image()}),
            bytes_spec({1, 2, 1, 4, 3}, "YHXWC"));
  EXPECT_THAT(new_shape_error("expand_dims", {{"axes", int64_t{4}}}, {small_image()}),
              HasSubstr("cannot be added"));
  EXPECT_THAT(new_shape_error("expand_dims", {{"axes", int64_t{-1}}}, {small_image()}),
              HasSubstr("negative"));
  EXPECT_THAT(new_shape_error("expand_dims", {{"axes", Ints{1, 1}}}, {small_image()}), HasSubstr("twice"));
  EXPECT_THAT(new_shape_error("expand_dims", {{"axes", Ints{0, 1}}, {"new_axis_names", std::string("X")}},
                              {small_image()}),
              HasSubstr("1 letters for 2"));
}

}  // namespace
}  // namespace forebay::operators::testing
