// Matrices, maps and points that come as inputs, with numbers that are NaN, infinite or huge: what has no
// place lies outside, or an error says why; whatever the type of the image.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "forebay/operators/testing/conformance_cases.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"
#include "forebay/operators/types.h"

namespace forebay::operators::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr float kOddEntries[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 3e9f, 1e-38f};
constexpr DType kSampledTypes[] = {DType::kUint8, DType::kInt16, DType::kUint16, DType::kInt32,
                                   DType::kFloat};

Value number_of(InterpType filter) {
  return static_cast<int64_t>(filter);
}

/// `usual` with one entry after the other replaced by one odd number after the other.
template <class Try>
void with_each_odd_entry(const std::vector<float>& usual, const Shape& shape, Try each) {
  for (size_t entry = 0; entry < usual.size(); ++entry) {
    for (const float odd : kOddEntries) {
      SCOPED_TRACE(fmt::format("entry {} is {}", entry, odd));
      std::vector<float> entries = usual;
      entries[entry] = odd;
      each(tensor_of<float>(entries, shape));
    }
  }
}

/// The same result twice, or an error in words.
void expect_result_or_error(const char* name, const std::vector<Tensor>& inputs, const Given& given) {
  const auto once = run_operator(name, inputs, given);
  if (!once.ok()) {
    EXPECT_EQ(once.status().code(), StatusCode::kInvalidArgument) << once.status();
    EXPECT_THAT(std::string(message(once.status())), HasSubstr("cannot be inverted"));
    return;
  }
  const auto again = run_operator(name, inputs, given);
  EXPECT_TRUE(same_bytes((*once)[0], (*again)[0]));
}

/// Through all types, filters and directions.
void try_matrix(const char* name, const Shape& shape, const Layout& layout, const Tensor& matrix,
                const std::vector<InterpType>& filters, const std::map<std::string, Value>& constants) {
  for (const DType dtype : kSampledTypes) {
    const Tensor image = noise({shape, dtype, layout}, 1);
    for (const InterpType filter : filters) {
      for (const bool inverse_map : {true, false}) {
        Given given{.constants = constants};
        given.constants["interp_type"] = number_of(filter);
        given.constants["inverse_map"] = inverse_map;
        expect_result_or_error(name, {image, matrix}, given);
      }
    }
  }
}

TEST(OddMatrices, OfWarpAffine) {
  const std::vector<InterpType> filters{InterpType::kNearest, InterpType::kLinear};
  with_each_odd_entry({1, 0.1f, 2, -0.1f, 1, 1}, {2, 3}, [&](const Tensor& matrix) {
    for (const int64_t channels : {1, 2, 3}) {
      try_matrix("warp_affine", {5, 6, channels}, "HWC", matrix, filters, {});
      try_matrix("warp_affine", {5, 6, channels}, "HWC", matrix, filters, {{"fill_value", 7.0}});
    }
  });
  with_each_odd_entry({1, 0.1f, 0, 2, -0.1f, 1, 0, 1, 0, 0, 1, 0}, {3, 4}, [&](const Tensor& matrix) {
    try_matrix("warp_affine", {3, 4, 5, 1}, "DHWC", matrix, filters, {});
    try_matrix("warp_affine", {3, 4, 5, 1}, "DHWC", matrix, filters, {{"fill_value", 7.0}});
  });
}

TEST(OddMatrices, OfWarpPerspective) {
  const std::vector<InterpType> filters{InterpType::kNearest, InterpType::kLinear, InterpType::kCubic};
  with_each_odd_entry({1, 0.1f, 2, -0.1f, 1, 1, 0.01f, 0.02f, 1}, {3, 3}, [&](const Tensor& matrix) {
    for (const char* border : {"constant", "replicate", "reflect", "reflect_101", "wrap"}) {
      for (const int64_t channels : {1, 3}) {
        try_matrix("experimental.warp_perspective", {5, 6, channels}, "HWC", matrix, filters,
                   {{"border_mode", std::string(border)}});
      }
    }
  });
}

TEST(OddMatrices, WhatHasNoPlaceLiesOutside) {
  const Tensor image = counted<uint8_t>({4, 5, 3}, "HWC");
  for (const InterpType filter : {InterpType::kNearest, InterpType::kLinear}) {
    const Given given{.constants = {{"fill_value", 99.0}, {"interp_type", number_of(filter)}}};
    for (const float odd : {NAN, INFINITY, -INFINITY, 1e30f}) {
      const Tensor affine = tensor_of<float>({1, 0, odd, 0, 1, 0}, {2, 3});
      EXPECT_THAT(values_of<uint8_t>((*run_operator("warp_affine", {image, affine}, given))[0]), Each(99));
      const Tensor perspective = tensor_of<float>({1, 0, odd, 0, 1, 0, 0, 0, 1}, {3, 3});
      EXPECT_THAT(values_of<uint8_t>(
                      (*run_operator("experimental.warp_perspective", {image, perspective}, given))[0]),
                  Each(99));
    }
  }
}

TEST(OddMatrices, OfRemapAreOddInTheirPixelAlone) {
  for (const DType dtype : kSampledTypes) {
    const Tensor image = noise({{4, 5, 3}, dtype, "HWC"}, 1);
    const size_t pixel_bytes = image.size_bytes() / 20;
    for (const auto filter : {InterpType::kNearest, InterpType::kLinear, InterpType::kCubic}) {
      const Given given{.constants = {{"interp", number_of(filter)}}};
      const std::vector<float> usual{0.5f, 1.25f, 2.75f, 3.5f};
      const Tensor ys = tensor_of<float>(usual, {2, 2});
      const Tensor before = (*run_operator("experimental.remap", {image, ys, ys}, given))[0];
      for (size_t pixel = 0; pixel < usual.size(); ++pixel) {
        for (const float odd : {NAN, INFINITY, -INFINITY, 1e30f}) {
          std::vector<float> places = usual;
          places[pixel] = odd;
          const Tensor xs = tensor_of<float>(places, {2, 2});
          const Tensor out = (*run_operator("experimental.remap", {image, xs, ys}, given))[0];
          for (size_t at = 0; at < out.size_bytes(); ++at) {
            const bool is_outside = at / pixel_bytes == pixel;
            ASSERT_EQ(out.bytes()[at], is_outside ? std::byte{0} : before.bytes()[at]);
          }
        }
      }
    }
  }
}

TEST(OddMatrices, OfTransformsGoThrough) {
  const std::map<std::string, std::map<std::string, Value>> transforms{
      {"transforms.translation", {{"offset", std::vector<double>{1, 2}}}},
      {"transforms.scale", {{"scale", std::vector<double>{1, 2}}}},
      {"transforms.rotation", {{"angle", 30.0}}},
      {"transforms.shear", {{"shear", std::vector<double>{1, 2}}}},
      {"transforms.crop",
       {{"from_start", std::vector<double>{1, 2}}, {"from_end", std::vector<double>{3, 5}}}},
      {"transforms.combine", {}}};
  for (const auto& [name, constants] : transforms) {
    SCOPED_TRACE(name);
    with_each_odd_entry({1, 0, 0, 0, 1, 0}, {2, 3}, [&](const Tensor& matrix) {
      std::vector<Tensor> inputs{matrix};
      inputs.resize(name == "transforms.combine" ? 2 : 1, matrix);
      const auto out = run_operator(name, inputs, {.constants = constants});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].shape(), (Shape{2, 3}));
    });
  }
}

TEST(OddMatrices, OfCoordTransformAreNamed) {
  const Tensor points = tensor_of<float>({1, 2, 3, 4}, {2, 2});
  for (const char* name : {"M", "T", "MT"}) {
    for (const float odd : {NAN, INFINITY}) {
      const auto out =
          run_operator("coord_transform", {points}, {.tensors = {{name, tensor_of<float>({odd}, {1})}}});
      EXPECT_EQ(std::string(message(out.status())),
                fmt::format("argument '{}' is {}; it must be finite", name, odd));
    }
  }
}

TEST(OddMatrices, PointsSaturateAndNaNIsZero) {
  const Tensor points = tensor_of<float>({NAN, INFINITY, -INFINITY, 1e30f}, {2, 2});
  for (const DType dtype : all_dtypes()) {
    const Given given{.constants = {{"M", 1e9}, {"dtype", static_cast<int64_t>(dtype)}}};
    EXPECT_TRUE(run_operator("coord_transform", {points}, given).ok()) << tensor::name_of(dtype);
  }
  const Given given{
      .constants = {{"M", std::vector<double>{2, 0, 0, 2}}, {"dtype", static_cast<int64_t>(DType::kUint8)}}};
  const Tensor huge = tensor_of<float>({1e30f, -1e30f, NAN, 1}, {2, 2});
  EXPECT_THAT(values_of<uint8_t>((*run_operator("coord_transform", {huge}, given))[0]),
              ::testing::ElementsAre(255, 0, 0, 0));
}

}  // namespace
}  // namespace forebay::operators::testing
