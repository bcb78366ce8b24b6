// tensor_resize and resize_crop_mirror: axes, windows, errors. tests/parity compares their values with
// DALI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Extents = std::vector<double>;
using Places = std::vector<int64_t>;

Result<Tensor> resized(const char* name, const Tensor& in, std::map<std::string, Value> constants) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                           run_operator(name, {in}, {.constants = std::move(constants)}));
  return out[0];
}

std::string resize_error(const char* name, const Tensor& in, std::map<std::string, Value> constants) {
  return std::string(message(resized(name, in, std::move(constants)).status()));
}

TEST(TensorResize, ResizesAnyAxes) {
  const Tensor line = tensor_of<float>({0, 10, 20, 30}, {4});
  const auto shorter = resized("tensor_resize", line, {{"sizes", Extents{2}}, {"antialias", false}});
  ASSERT_TRUE(shorter.ok()) << shorter.status();
  EXPECT_THAT(values_of<float>(*shorter), ElementsAre(5, 25));
  const Tensor deep = test_image({2, 3, 4, 5, 6}, "");
  const auto shape = [&](std::map<std::string, Value> constants) {
    const auto out = resized("tensor_resize", deep, std::move(constants));
    EXPECT_TRUE(out.ok()) << out.status();
    return out->shape();
  };
  EXPECT_EQ(shape({{"sizes", Extents{7, 8}}, {"axes", Places{1, -2}}}), (Shape{2, 7, 4, 8, 6}));
  EXPECT_EQ(shape({{"scales", Extents{2}}, {"axes", Places{4}}}), (Shape{2, 3, 4, 5, 12}));
  EXPECT_EQ(shape({{"sizes", Extents{2, 3, 4, 5, 6}}}), (Shape{2, 3, 4, 5, 6}));
}

TEST(TensorResize, TakesASingleAxisForRowsUnlessItIsTheLast) {
  const auto lengthened = [](const Shape& shape, int64_t axis) {
    const auto out = resized("tensor_resize", counted<uint8_t>(shape),
                             {{"sizes", Extents{12}}, {"axes", Places{axis}}, {"interp_type", int64_t{0}}});
    EXPECT_TRUE(out.ok()) << out.status();
    return values_of<uint8_t>(*out);
  };
  EXPECT_THAT(lengthened({8, 1}, 0), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7));
  EXPECT_THAT(lengthened({1, 8, 1}, 1), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7));
  EXPECT_THAT(lengthened({8}, 0), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7));
  EXPECT_THAT(lengthened({1, 8}, 1), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7));
}

TEST(TensorResize, NamesWhatIsWrong) {
  const Tensor image = test_image({4, 5, 3});
  const auto error = [&](std::map<std::string, Value> constants) {
    return resize_error("tensor_resize", image, std::move(constants));
  };
  EXPECT_THAT(error({}), HasSubstr("`sizes` or as `scales`"));
  EXPECT_THAT(error({{"sizes", Extents{1, 2}}}), HasSubstr("sizes has 2 numbers for 3 axes"));
  EXPECT_THAT(error({{"sizes", Extents{1}}, {"axes", Places{3}}}), HasSubstr("3"));
  EXPECT_THAT(error({{"sizes", Extents{1, 1}}, {"axes", Places{0, 0}}}), HasSubstr("0"));
  EXPECT_THAT(error({{"scales", Extents{1}}, {"mode", std::string("not_larger")}}),
              HasSubstr("needs `sizes`"));
  EXPECT_THAT(error({{"scales", Extents{1e30}}}), HasSubstr("max_size"));
  EXPECT_THAT(error({{"sizes", Extents{1}}, {"roi_start", Extents{1}}}), HasSubstr("together"));
  EXPECT_THAT(resize_error("tensor_resize", test_image({2, 3, 4, 5}, ""), {{"sizes", Extents{9}}}),
              HasSubstr("at most 3 neighbours"));
  EXPECT_THAT(resize_error("tensor_resize", tensor_of<float>({1}, {}), {{"sizes", Extents{9}}}),
              HasSubstr("axes"));
}

TEST(ResizeCropMirror, IsTheCropOfTheResizedImage) {
  const Tensor image = test_image({6, 8, 3});
  const auto whole = resized("resize", image, {{"size", Extents{12, 16}}});
  ASSERT_TRUE(whole.ok()) << whole.status();
  const auto cropped = resized("crop", *whole, {{"crop", Extents{5, 7}}});
  const auto flipped = resized("flip", *cropped, {{"horizontal", int64_t{1}}});
  const auto at_once = resized("resize_crop_mirror", image,
                               {{"size", Extents{12, 16}}, {"crop", Extents{5, 7}}, {"mirror", int64_t{1}}});
  ASSERT_TRUE(at_once.ok()) << at_once.status();
  ASSERT_EQ(at_once->spec(), flipped->spec());
  const std::vector<uint8_t> expected = values_of<uint8_t>(*flipped);
  const std::vector<uint8_t> found = values_of<uint8_t>(*at_once);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1) << i;  // halves may be rounded either way
  }
}

TEST(ResizeCropMirror, NamesWhatIsWrong) {
  const Tensor image = test_image({6, 8, 3});
  for (const char* name : {"resize_crop_mirror", "fast_resize_crop_mirror"}) {
    EXPECT_THAT(resize_error(name, image, {{"crop", Extents{5, 7}}}), HasSubstr("exactly one way"));
    EXPECT_THAT(resize_error(name, image, {{"size", Extents{5, 7}}, {"crop_h", 3.0}}), HasSubstr("crop_w"));
    EXPECT_THAT(resize_error(name, image, {{"size", Extents{5, 7}}, {"crop", Extents{5, 1e10}}}),
                HasSubstr("not in [0"));
  }
}

}  // namespace
}  // namespace forebay::operators::testing
