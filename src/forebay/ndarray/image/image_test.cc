#include "forebay/ndarray/image/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using kernels::ResampleFilter;
using tensor::DType;
using tensor::Shape;
using testing::array_of;
using ::testing::ElementsAre;
using testing::values_of;

TEST(ImageTest, WindowsAreCutAndMirrored) {
  const Array image = *reshape(*arange(0, 12, 1, 1, DType::kUint8), {3, 2, 2});
  const ImageWindow all{0, 0, 3, 2};
  EXPECT_THAT(values_of(*crop_image(image, {1, 1, 2, 1})), ElementsAre(6, 7, 10, 11));
  EXPECT_THAT(values_of(*crop_image(image, all, true)), ElementsAre(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9));
  EXPECT_THAT(values_of(*crop_image(image, all, false, true)),
              ElementsAre(8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  const Array batch = *reshape(image, {3, 1, 2, 2});
  EXPECT_THAT(values_of(*crop_image(batch, {0, 1, 1, 1})), ElementsAre(2, 3, 6, 7, 10, 11));
  for (const ImageWindow& window : {ImageWindow{0, 0, 4, 1}, ImageWindow{-1, 0, 1, 1},
                                    ImageWindow{0, 2, 1, 1}, ImageWindow{0, 0, 1, 0}}) {
    EXPECT_EQ(crop_image(image, window).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(crop_image(array_of({1}, {1}), {0, 0, 1, 1}).status().code(), StatusCode::kInvalidArgument);
}

TEST(ImageTest, AreResized) {
  const Array image = array_of({0, 100, 200, 100}, {1, 4, 1}, DType::kUint8);
  EXPECT_THAT(values_of(*resize_image(image, 1, 2, ResampleFilter::kLinear)), ElementsAre(50, 150));
  EXPECT_THAT(values_of(*resize_image(image, 2, 2, ResampleFilter::kNearest)),
              ElementsAre(100, 100, 100, 100));
  const Array pair = *reshape(image, {2, 1, 2, 1});
  EXPECT_THAT(values_of(*resize_image(pair, 1, 1, ResampleFilter::kLinear)), ElementsAre(50, 150));
  EXPECT_EQ(resize_image(image, 0, 2, ResampleFilter::kLinear).status().code(), StatusCode::kInvalidArgument);
}

TEST(ImageTest, BecomeTensors) {
  const Array image = array_of({0, 255, 51, 102}, {1, 2, 2}, DType::kUint8);
  const Array made = *image_to_tensor(image);
  EXPECT_EQ(made.shape(), (Shape{2, 1, 2}));
  EXPECT_THAT(values_of(made), ElementsAre(0, 0.2F, 1, 0.4F));
  EXPECT_EQ(values_of(*image_to_tensor(array_of({51}, {1, 1, 1}, DType::kInt32)))[0], 0.2F);
  EXPECT_EQ(image_to_tensor(*reshape(image, {1, 1, 2, 2}))->shape(), (Shape{1, 2, 1, 2}));
}

}  // namespace
}  // namespace forebay::ndarray
