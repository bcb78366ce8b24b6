#include "forebay/operators/resampling/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/resampling/pass_order.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using testing::counted;
using ::testing::ElementsAre;
using testing::Given;
using ::testing::HasSubstr;
using testing::run_operator;
using testing::same_bytes;
using testing::tensor_of;
using testing::test_image;
using testing::values_of;

using Floats = std::vector<double>;
using Constants = std::map<std::string, Value>;

std::string shape_after(Constants constants, Shape in = {30, 40, 3}, Layout layout = "HWC") {
  const auto out = run_operator("resize", {test_image(in, layout)}, {.constants = std::move(constants)});
  return out.ok() ? (*out)[0].shape().to_string() : std::string(message(out.status()));
}

TEST(Resize, SizesAsDali) {
  EXPECT_EQ(shape_after({{"size", Floats{0, 0}}}), "30x40x3");
  EXPECT_EQ(shape_after({{"size", 20.0}}), "20x20x3");
  EXPECT_EQ(shape_after({{"size", Floats{10, 0}}}), "10x13x3");
  EXPECT_EQ(shape_after({{"size", Floats{2.5, 3.5}}}), "3x4x3");
  EXPECT_EQ(shape_after({{"size", Floats{0.2, 0.4}}}), "1x1x3");
  EXPECT_EQ(shape_after({{"size", Floats{-10, 20}}}), "10x20x3");
  EXPECT_EQ(shape_after({{"size", Floats{10, 0}}, {"mode", "stretch"}}), "10x40x3");
  EXPECT_EQ(shape_after({{"size", 20.0}, {"mode", "not_larger"}}), "15x20x3");
  EXPECT_EQ(shape_after({{"size", 20.0}, {"mode", "not_smaller"}}), "20x27x3");
  EXPECT_EQ(shape_after({{"size", 20.0}, {"mode", "not_smaller"}, {"max_size", 22.0}}), "17x22x3");
  EXPECT_EQ(shape_after({{"size", Floats{20, 0}}, {"max_size", Floats{5, 6}}}), "5x6x3");
  EXPECT_EQ(shape_after({{"resize_shorter", 10.0}}), "10x13x3");
  EXPECT_EQ(shape_after({{"resize_shorter", 100.0}, {"max_size", 110.0}}), "83x110x3");
  EXPECT_EQ(shape_after({{"resize_longer", 10.0}}), "8x10x3");
  EXPECT_EQ(shape_after({{"resize_x", 10.0}}), "8x10x3");
  EXPECT_EQ(shape_after({{"resize_x", 10.0}, {"resize_y", -7.0}}), "7x10x3");
  EXPECT_EQ(shape_after({{"resize_z", 3.0}, {"resize_x", 2.0}}), "2x2x3");
  EXPECT_EQ(shape_after({{"size", Floats{0, 10}}, {"mode", "not_smaller"}}), "8x10x3");
}

TEST(Resize, TakesScalesOfTheRegion) {
  const Constants region{{"roi_start", Floats{5, 5}}, {"roi_end", Floats{15, 25}}};
  Constants constants = region;
  constants["size"] = Floats{10, 0};
  EXPECT_EQ(shape_after(constants), "10x20x3");
  constants = {{"roi_start", Floats{0.1, 0.1}}, {"roi_end", Floats{0.5, 0.9}}, {"roi_relative", true}};
  constants["resize_shorter"] = 8.0;
  EXPECT_EQ(shape_after(constants), "8x21x3");
  constants = {{"roi_start", Floats{5, 5}}, {"roi_end", Floats{5, 5}}, {"size", 10.0}};
  EXPECT_EQ(shape_after(constants), "10x10x3");
}

TEST(Resize, KnowsLayouts) {
  EXPECT_EQ(shape_after({{"size", Floats{5, 6}}}, {6, 10, 12, 2}, "FHWC"), "6x5x6x2");
  EXPECT_EQ(shape_after({{"size", Floats{5, 6}}}, {6, 10, 12, 2}, ""), "6x5x6x2");
  EXPECT_EQ(shape_after({{"size", Floats{5, 6}}}, {2, 3, 10, 12}, "CFHW"), "2x3x5x6");
  EXPECT_EQ(shape_after({{"size", Floats{4, 5, 6}}}, {6, 10, 12, 2}, "DHWC"), "4x5x6x2");
  EXPECT_EQ(shape_after({{"size", Floats{4, 5, 6}}}, {2, 6, 10, 12}, "CDHW"), "2x4x5x6");
  EXPECT_EQ(shape_after({{"resize_z", 3.0}}, {6, 10, 12, 2}, "DHWC"), "3x5x6x2");
  EXPECT_EQ(shape_after({{"size", 5.0}}, {0, 40, 3}), "0x5x3");
  EXPECT_THAT(shape_after({{"size", 5.0}}, {4, 4}, "AB"), HasSubstr("layout 'AB'"));
}

TEST(Resize, PlanesOfAPlanarImageAreThoseOfTheInterleaved) {
  const Tensor in = test_image({20, 30, 3});
  const auto* pixels = in.view().as<uint8_t>();
  std::vector<uint8_t> planar;
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 20 * 30; ++i) {
      planar.push_back(pixels[i * 3 + c]);
    }
  }
  const Given given{.constants = {{"size", Floats{9, 41}}, {"interp_type", int64_t{2}}}};
  const auto interleaved = run_operator("resize", {in}, given);
  const auto planes = run_operator("resize", {tensor_of<uint8_t>(planar, {3, 20, 30}, "CHW")}, given);
  ASSERT_TRUE(interleaved.ok() && planes.ok());
  const auto* a = (*interleaved)[0].view().as<uint8_t>();
  const auto* b = (*planes)[0].view().as<uint8_t>();
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 9 * 41; ++i) {
      ASSERT_EQ(a[i * 3 + c], b[c * 9 * 41 + i]);
    }
  }
}

TEST(Resize, NegativeSizeIsAReversedRegion) {
  const Tensor in = test_image({20, 30, 3});
  const auto negative = run_operator("resize", {in}, {.constants = {{"size", Floats{10, -15}}}});
  const auto reversed = run_operator(
      "resize", {in},
      {.constants = {{"size", Floats{10, 15}}, {"roi_start", Floats{0, 30}}, {"roi_end", Floats{20, 0}}}});
  ASSERT_TRUE(negative.ok() && reversed.ok());
  EXPECT_TRUE(same_bytes((*negative)[0], (*reversed)[0]));
}

TEST(Resize, SavesTheInputsSize) {
  const auto out =
      run_operator("resize", {test_image({20, 30, 3})}, {.constants = {{"size", 7.0}, {"save_attrs", true}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values_of<int32_t>((*out)[1]), ElementsAre(20, 30));
}

TEST(Resize, TakesArgumentsOfTheSample) {
  const Given given{
      .tensors = {{"size", tensor_of<float>({4, 5}, {2})}, {"interp_type", *Tensor::scalar<int32_t>(0)}}};
  const auto out = run_operator("resize", {test_image({20, 30, 3})}, given);
  const auto constant = run_operator("resize", {test_image({20, 30, 3})},
                                     {.constants = {{"size", Floats{4, 5}}, {"interp_type", int64_t{0}}}});
  ASSERT_TRUE(out.ok() && constant.ok());
  EXPECT_TRUE(same_bytes((*out)[0], (*constant)[0]));
}

TEST(Resize, GivesFloatWhereAsked) {
  const auto out = run_operator("resize", {test_image({20, 30, 3})},
                                {.constants = {{"size", 7.0}, {"dtype", int64_t{9}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].dtype(), DType::kFloat);
}

TEST(Resize, SaysWhatIsWrong) {
  EXPECT_THAT(shape_after({}), HasSubstr("exactly one way"));
  EXPECT_THAT(shape_after({{"size", 5.0}, {"resize_x", 5.0}}), HasSubstr("exactly one way"));
  EXPECT_THAT(shape_after({{"resize_shorter", 5.0}, {"mode", "stretch"}}), HasSubstr("`mode`"));
  EXPECT_THAT(shape_after({{"size", Floats{1, 2, 3}}}), HasSubstr("3 entries"));
  EXPECT_THAT(shape_after({{"size", 5.0}, {"roi_start", Floats{1, 1}}}), HasSubstr("roi_end"));
  EXPECT_THAT(shape_after({{"size", 5.0}, {"dtype", int64_t{5}}}), HasSubstr("input's type"));
  EXPECT_THAT(shape_after({{"size", 1e20}}), HasSubstr("at most"));
  EXPECT_EQ(shape_after({{"size", 50.0}, {"max_size", Floats{-1, 40}}}), "50x40x3");
  EXPECT_EQ(shape_after({{"size", 50.0}, {"max_size", 1e9}}), "50x50x3");
  EXPECT_THAT(shape_after({{"size", 5.0}, {"interp_type", int64_t{17}}}), HasSubstr("17"));
  EXPECT_THAT(shape_after({{"size", Floats{-5, 5}}, {"numerics", "pillow"}}), HasSubstr("flip"));
  EXPECT_THAT(shape_after({{"size", 5.0}, {"numerics", "pillow"}, {"interp_type", int64_t{5}}}),
              HasSubstr("Gaussian"));
  EXPECT_THAT(shape_after({{"size", 5.0}, {"numerics", "torchvision"}}), HasSubstr("INTERP_NN alone"));
}

std::vector<uint8_t> nearest_bytes(const Tensor& in, Constants constants) {
  constants["interp_type"] = int64_t{0};
  const auto out = run_operator("resize", {in}, {.constants = std::move(constants)});
  EXPECT_TRUE(out.ok()) << out.status();
  return values_of<uint8_t>((*out)[0]);
}

TEST(Resize, NearestRowsAndColumnsAsTheNumericsSay) {
  const Tensor column = counted<uint8_t>({8, 1, 1}, "HWC");
  const Tensor row = counted<uint8_t>({1, 8, 1}, "HWC");
  const Constants taller{{"size", Floats{12, 1}}};
  const Constants wider{{"size", Floats{1, 12}}};
  const auto with = [](Constants constants, const char* numerics) {
    constants["numerics"] = std::string(numerics);
    return constants;
  };
  EXPECT_THAT(nearest_bytes(column, taller), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7));
  EXPECT_THAT(nearest_bytes(row, wider), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7));
  for (const char* numerics : {"exact", "torchvision"}) {
    EXPECT_EQ(nearest_bytes(column, with(taller, numerics)), nearest_bytes(row, with(wider, numerics)));
  }
  EXPECT_THAT(nearest_bytes(column, with(taller, "exact")), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7));
  EXPECT_THAT(nearest_bytes(row, with(wider, "torchvision")),
              ElementsAre(0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7));
}

TEST(PassOrder, IsTheCheapest) {
  const auto first = [](int64_t rows, int64_t new_rows, int64_t columns, int64_t new_columns) {
    const std::vector<ResizedAxis> axes{{rows, new_rows, 0, static_cast<float>(rows)},
                                        {columns, new_columns, 0, static_cast<float>(columns)}};
    return first_pass(axes);
  };
  EXPECT_EQ(first(100, 10, 100, 90), 0);
  EXPECT_EQ(first(100, 90, 100, 10), 1);
  EXPECT_EQ(first(100, 50, 100, 50), 0);
  EXPECT_EQ(first(50, 100, 50, 100), 1);
  const std::vector<ResizedAxis> volume{{30, 10, 0, 30}, {30, 30, 0, 30}, {30, 29, 0, 30}};
  EXPECT_EQ(first_pass(volume), 0);
}

TEST(PassOrder, CountsPixelsOfTheRegion) {
  const std::vector<ResizedAxis> axes{{100, 50, 0, 50}, {100, 90, 0, 100}};
  EXPECT_EQ(first_pass(axes), 1);
  EXPECT_EQ(first_pixel({.in_size = 9, .out_size = 1, .lo = 6.5F, .hi = 3.5F}), 3);
  EXPECT_EQ(first_pixel({.in_size = 9, .out_size = 1, .lo = -4, .hi = -2}), 0);
  EXPECT_EQ(first_pixel({.in_size = 9, .out_size = 1, .lo = 12, .hi = 20}), 8);
}

TEST(ExperimentalResize, GivesTheBitsOfResize) {
  const Tensor in = test_image({20, 30, 3});
  for (int64_t filter = 0; filter < 6; ++filter) {
    for (const bool antialias : {false, true}) {
      const Given given{.constants = {{"size", Floats{9, -41}},
                                      {"interp_type", filter},
                                      {"antialias", antialias},
                                      {"save_attrs", true}}};
      const auto ours = run_operator("experimental.resize", {in}, given);
      const auto expected = run_operator("resize", {in}, given);
      ASSERT_TRUE(ours.ok() && expected.ok()) << ours.status();
      ASSERT_EQ(ours->size(), 2);
      EXPECT_TRUE(same_bytes((*ours)[0], (*expected)[0]) && same_bytes((*ours)[1], (*expected)[1]));
    }
  }
}

TEST(RandomResizedCrop, EqualsAResizeOfItsWindow) {
  const Tensor in = test_image({40, 50, 3});
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Given given{.constants = {{"size", std::vector<int64_t>{9, 11}}}, .seed = seed};
    const auto out = run_operator("random_resized_crop", {in}, given);
    ASSERT_TRUE(out.ok()) << out.status();
    const CropWindow window = RandomCropArguments{}.draw(
        RandomStream(mix64(random_key(seed, 0, hash64("random_resized_crop")), 0), 0), 40, 50);
    const Floats start{static_cast<double>(window.y), static_cast<double>(window.x)};
    const Floats end{start[0] + static_cast<double>(window.height),
                     start[1] + static_cast<double>(window.width)};
    const auto resized = run_operator(
        "resize", {in}, {.constants = {{"size", Floats{9, 11}}, {"roi_start", start}, {"roi_end", end}}});
    ASSERT_TRUE(resized.ok()) << resized.status();
    EXPECT_TRUE(same_bytes((*out)[0], (*resized)[0]));
  }
}

TEST(RandomResizedCrop, SaysWhatIsWrong) {
  const auto message_of = [](Constants constants, Layout layout = "HWC") {
    const Shape shape = layout.size() == 4 ? Shape{2, 4, 4, 3} : Shape{4, 4, 3};
    return std::string(message(
        run_operator("random_resized_crop", {test_image(shape, layout)}, {.constants = std::move(constants)})
            .status()));
  };
  EXPECT_THAT(message_of({}), HasSubstr("'size' must be given"));
  EXPECT_THAT(message_of({{"size", int64_t{0}}}), HasSubstr("not the size"));
  EXPECT_THAT(message_of({{"size", int64_t{5}}}, "DHWC"), HasSubstr("not a volume"));
  EXPECT_THAT(message_of({{"size", int64_t{5}}, {"random_area", Floats{0.5, 0.2}}}),
              HasSubstr("random_area"));
}

}  // namespace
}  // namespace forebay::operators
