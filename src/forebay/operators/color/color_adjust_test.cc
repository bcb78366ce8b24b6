// color_twist, hsv, hue, saturation, brightness, contrast, brightness_contrast and color_space_conversion,
// against the formulas in double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"
#include "forebay/operators/types.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Constants = std::map<std::string, Value>;
using Matrix = std::array<std::array<double, 3>, 3>;

constexpr Matrix kToYiq{{{.299, .587, .114}, {.596, -.274, -.321}, {.211, -.523, .311}}};
constexpr Matrix kFromYiq{{{1, .956, .621}, {1, -.272, -.647}, {1, -1.107, 1.705}}};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        c[i][j] += a[i][k] * b[k][j];
      }
    }
  }
  return c;
}

struct Twist {
  double hue = 0, saturation = 1, value = 1, contrast = 1, brightness = 1;
};

std::array<double, 3> twisted(const std::array<double, 3>& rgb, const Twist& twist, double half) {
  const double angle = twist.hue * std::numbers::pi / 180;
  const double s = twist.saturation;
  const Matrix turn{
      {{1, 0, 0}, {0, std::cos(angle), std::sin(angle)}, {0, -std::sin(angle), std::cos(angle)}}};
  const Matrix scale{{{twist.value, 0, 0}, {0, s * twist.value, 0}, {0, 0, s * twist.value}}};
  const Matrix all = product(kFromYiq, product(product(turn, scale), kToYiq));
  std::array<double, 3> out{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[i] += all[i][j] * rgb[j];
    }
    out[i] = twist.brightness * (twist.contrast * (out[i] - half) + half);
  }
  return out;
}

Tensor colours(const Layout& layout = "HWC") {
  std::vector<uint8_t> values;
  for (int i = 0; i < 2 * 8 * 3; ++i) {
    values.push_back(static_cast<uint8_t>(i * 37));
  }
  return layout == Layout("HWC") ? tensor_of(values, {2, 8, 3}, layout)
                                 : tensor_of(values, {1, 2, 8, 3}, layout);
}

Result<Tensor> changed(const char* name, Constants constants, Tensor in) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out, run_operator(name, {in}, {.constants = constants}));
  return out[0];
}

void expect_twisted(const char* name, const Constants& constants, const Twist& twist) {
  const Tensor in = colours();
  const auto out = changed(name, constants, in);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->spec(), in.spec());
  const std::vector<uint8_t> from = values_of<uint8_t>(in);
  const std::vector<uint8_t> to = values_of<uint8_t>(*out);
  for (size_t i = 0; i < from.size(); i += 3) {
    const auto expected = twisted({double(from[i]), double(from[i + 1]), double(from[i + 2])}, twist, 128);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(to[i + c], std::clamp(std::round(expected[c]), 0.0, 255.0), 1) << name << " " << i + c;
    }
  }
}

TEST(ColorTwist, FollowsItsFormula) {
  expect_twisted("color_twist", {}, {});
  expect_twisted("color_twist", {{"hue", 40.0}, {"saturation", 1.5}, {"contrast", 0.7}, {"brightness", 1.2}},
                 {.hue = 40, .saturation = 1.5, .contrast = 0.7, .brightness = 1.2});
  expect_twisted("hue", {{"hue", -75.0}}, {.hue = -75});
  expect_twisted("saturation", {{"saturation", 0.25}}, {.saturation = 0.25});
  expect_twisted("hsv", {{"hue", 10.0}, {"saturation", 0.5}, {"value", 1.25}},
                 {.hue = 10, .saturation = 0.5, .value = 1.25});
}

TEST(ColorTwist, TakesTensorsTypesAndSequences) {
  const auto out =
      run_operator("color_twist", {colours("FHWC")}, {.tensors = {{"brightness", scalar_of(0.0f)}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].layout(), Layout("FHWC"));
  EXPECT_THAT(values_of<uint8_t>((*out)[0]), ::testing::Each(0));
  const Constants to_float{{"dtype", static_cast<int64_t>(DType::kFloat)}};
  EXPECT_EQ(changed("saturation", to_float, colours())->dtype(), DType::kFloat);
  EXPECT_EQ(changed("hsv", {}, tensor_of<float>({1, 2, 300}, {1, 1, 3}, "HWC"))->dtype(), DType::kUint8);
  EXPECT_EQ(changed("hue", {}, counted<uint8_t>({1, 1, 3}))->layout(), Layout("HWC"));
}

TEST(ColorTwist, NamesWhatDoesNotFit) {
  const auto error = [](Tensor in) { return std::string(message(changed("color_twist", {}, in).status())); };
  EXPECT_THAT(error(counted<uint8_t>({1, 1, 4}, "HWC")), HasSubstr("3 channels"));
  EXPECT_THAT(error(counted<uint8_t>({3, 1, 3}, "CHW")), HasSubstr("HWC"));
  EXPECT_THAT(error(scalar_of<uint8_t>(1)), HasSubstr("HWC"));
}

TEST(BrightnessContrast, FollowsItsFormula) {
  const Tensor in = tensor_of<uint8_t>({0, 50, 128, 200, 255, 7}, {1, 2, 3}, "HWC");
  const auto values = [&](const char* name, const Constants& constants) {
    const auto out = changed(name, constants, in);
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? values_of<uint8_t>(*out) : std::vector<uint8_t>();
  };
  EXPECT_THAT(values("brightness", {{"brightness", 0.5}}), ElementsAre(0, 25, 64, 100, 128, 4));
  EXPECT_THAT(values("brightness", {{"brightness_shift", 0.2}}), ElementsAre(51, 101, 179, 251, 255, 58));
  EXPECT_THAT(values("contrast", {{"contrast", 0.5}}), ElementsAre(64, 89, 128, 164, 192, 68));
  EXPECT_THAT(values("contrast", {{"contrast", 2.0}, {"contrast_center", 50.0}}),
              ElementsAre(0, 50, 206, 255, 255, 0));
  EXPECT_THAT(values("brightness_contrast", {{"brightness", 2.0}, {"contrast", 0.5}}),
              ElementsAre(128, 178, 255, 255, 255, 135));
}

TEST(ColorSpaceConversion, ConvertsAndChecksChannels) {
  const auto converted = [](ImageType from, ImageType to, Tensor in) {
    return changed("color_space_conversion",
                   {{"image_type", static_cast<int64_t>(from)}, {"output_type", static_cast<int64_t>(to)}},
                   in);
  };
  const Tensor rgb = tensor_of<uint8_t>({255, 0, 0, 10, 20, 30}, {1, 2, 3}, "HWC");
  EXPECT_THAT(values_of<uint8_t>(*converted(ImageType::kRGB, ImageType::kBGR, rgb)),
              ElementsAre(0, 0, 255, 30, 20, 10));
  const Tensor grey = *converted(ImageType::kRGB, ImageType::kGRAY, rgb);
  EXPECT_EQ(grey.shape(), (Shape{1, 2, 1}));
  EXPECT_THAT(values_of<uint8_t>(grey), ElementsAre(76, 18));
  EXPECT_EQ(converted(ImageType::kGRAY, ImageType::kRGB, grey)->shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(converted(ImageType::kRGB, ImageType::kRGB, rgb)->data(), rgb.data());
  EXPECT_THAT(std::string(message(converted(ImageType::kGRAY, ImageType::kRGB, rgb).status())),
              HasSubstr("1 channels"));
  EXPECT_THAT(std::string(message(converted(ImageType::kRGB, ImageType::kAnyData, rgb).status())),
              HasSubstr("output_type must be"));
}

}  // namespace
}  // namespace forebay::operators::testing
