// Indices of a palette in place of its colours: PNG, BMP, TIFF and JPEG 2000, whole, in windows, row by row
// and turned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/codec/exif_orientation.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/codec/testing/encode_png.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec {
namespace {

using ::testing::HasSubstr;
using testing::PngOptions;
using testing::SampleImage;

constexpr int kPngHeight = 23;
constexpr int kPngWidth = 37;

/// `palette_size` 0: as many colours as indices can name.
SampleImage png_sample(int bit_depth, bool is_interlaced, int orientation = 0, int palette_size = 0) {
  PngOptions options{kPngHeight, kPngWidth, 3, bit_depth, is_interlaced};
  options.exif_orientation = orientation;
  const int count = palette_size == 0 ? 1 << bit_depth : palette_size;
  for (int i = 0; i < count; ++i) {
    options.palette.push_back({static_cast<uint8_t>(i * 5), static_cast<uint8_t>(255 - i), 7});
  }
  const auto samples = testing::test_samples(options);
  SampleImage sample{"png", encode_png(samples, options), ImageFormat::kPng, kPngHeight, kPngWidth, 3, {}};
  sample.name = fmt::format("png {} bits, interlaced {}", bit_depth, is_interlaced);
  sample.indices.assign(samples.begin(), samples.end());
  return sample;
}

std::vector<SampleImage> samples_with_palette() {
  std::vector<SampleImage> samples;
  for (const int bit_depth : {1, 2, 4, 8}) {
    for (const bool is_interlaced : {false, true}) {
      samples.push_back(png_sample(bit_depth, is_interlaced));
    }
  }
  samples.push_back(png_sample(8, false, 0, 21));
  for (const SampleImage& sample : testing::all_samples()) {
    if (!sample.indices.empty()) {
      samples.push_back(sample);
    }
  }
  return samples;
}

ImageDecodeOptions index_options() {
  ImageDecodeOptions options;
  options.gives_indices = true;
  return options;
}

std::vector<uint8_t> window_of(const SampleImage& sample, const Window& window) {
  std::vector<uint8_t> part;
  for (int64_t y = window.y; y < window.y + window.height; ++y) {
    const auto row = sample.indices.begin() + y * sample.width + window.x;
    part.insert(part.end(), row, row + window.width);
  }
  return part;
}

TEST(PaletteIndexTest, WholeImagesGiveTheirIndices) {
  const auto samples = samples_with_palette();
  EXPECT_GE(samples.size(), 9u + 9 + 2 + 3);
  for (const SampleImage& sample : samples) {
    const auto header = read_image_header(sample.bytes);
    ASSERT_TRUE(header.ok()) << header.status();
    const auto spec = decoded_spec(*header, index_options());
    ASSERT_TRUE(spec.ok()) << spec.status();
    EXPECT_EQ(*spec, (tensor::TensorSpec{{sample.height, sample.width, 1}, tensor::DType::kUint8, "HWC"}));
    EXPECT_EQ(pixels_of(sample.bytes, index_options()), sample.indices) << sample.name;
  }
}

TEST(PaletteIndexTest, TheOutputTypeChangesNothing) {
  for (const SampleImage& sample : samples_with_palette()) {
    for (const OutputType type :
         {OutputType::kBgr, OutputType::kGray, OutputType::kYCbCr, OutputType::kAnyData}) {
      ImageDecodeOptions options = index_options();
      options.output_type = type;
      EXPECT_EQ(pixels_of(sample.bytes, options), sample.indices) << sample.name;
    }
  }
}

TEST(PaletteIndexTest, WindowsAndRowsAreThoseOfTheWhole) {
  for (const SampleImage& sample : samples_with_palette()) {
    const auto header = read_image_header(sample.bytes);
    ASSERT_TRUE(header.ok()) << header.status();
    const int64_t height = sample.height;
    const int64_t width = sample.width;
    for (const Window& window : {Window{0, 0, 1, 1}, Window{3, 5, 7, 11}, Window{height - 4, width - 9, 4, 9},
                                 Window{0, 1, height, 3}, Window{1, 0, 2, width}}) {
      ImageDecodeOptions options = index_options();
      options.window = window;
      const auto expected = window_of(sample, window);
      EXPECT_EQ(pixels_of(sample.bytes, options), expected) << sample.name;
      std::vector<uint8_t> rows;
      const Status status =
          decode_image_rows(sample.bytes, *header, options, [&](int64_t, std::span<const uint8_t> row) {
            rows.insert(rows.end(), row.begin(), row.end());
            return ok_status();
          });
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_EQ(rows, expected) << sample.name;
    }
  }
}

void expect_turned(const SampleImage& sample, int orientation) {
  const PixelWalk walk = pixel_walk(orientation, {sample.height, sample.width});
  std::vector<uint8_t> turned(sample.indices.size());
  for (int64_t y = 0; y < sample.height; ++y) {
    for (int64_t x = 0; x < sample.width; ++x) {
      turned[walk.origin + y * walk.step_y + x * walk.step_x] = sample.indices[y * sample.width + x];
    }
  }
  EXPECT_EQ(pixels_of(sample.bytes, index_options()), turned) << sample.name << " " << orientation;
  SampleImage upright = sample;
  upright.indices = turned;
  if (swaps_axes(orientation)) {
    std::swap(upright.height, upright.width);
  }
  ImageDecodeOptions options = index_options();
  options.window = Window{2, 3, 9, 8};
  EXPECT_EQ(pixels_of(sample.bytes, options), window_of(upright, *options.window)) << sample.name;
  options = index_options();
  options.adjust_orientation = false;
  EXPECT_EQ(pixels_of(sample.bytes, options), sample.indices) << sample.name;
}

TEST(PaletteIndexTest, OrientationTurnsThem) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    expect_turned(png_sample(4, orientation % 2 == 0, orientation), orientation);
    expect_turned(testing::turned_tiff(orientation), orientation);
  }
}

std::string refusal_of(Bytes bytes, const ImageDecodeOptions& options) {
  const Status status = decode_image(bytes, options).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  return std::string(message(status));
}

TEST(PaletteIndexTest, WhatHasNoPaletteIsRefused) {
  for (const SampleImage& sample : testing::all_samples()) {
    if (sample.indices.empty()) {
      EXPECT_THAT(refusal_of(sample.bytes, index_options()), HasSubstr("indices of a palette are asked for"))
          << sample.name;
    }
  }
  const auto jpeg = testing::test_jpeg({16, 16});
  EXPECT_THAT(refusal_of(jpeg, index_options()),
              HasSubstr("which JPEG does not give, only PNG, BMP, TIFF, JPEG 2000"));
  const PngOptions grey{8, 8, 0, 4};
  const auto png = encode_png(testing::test_samples(grey), grey);
  EXPECT_THAT(refusal_of(png, index_options()), HasSubstr("this PNG of 1 channel has no palette"));
}

TEST(PaletteIndexTest, IndicesAreBytes) {
  ImageDecodeOptions options = index_options();
  options.dtype = tensor::DType::kFloat;
  EXPECT_THAT(refusal_of(png_sample(4, false).bytes, options), HasSubstr("uint8, not float"));
}

TEST(PaletteIndexTest, DamageIsFoundAsEver) {
  for (const SampleImage& sample : samples_with_palette()) {
    const Bytes half = Bytes(sample.bytes).first(sample.bytes.size() / 2);
    EXPECT_EQ(decode_image(half, index_options()).status().code(), StatusCode::kDataLoss) << sample.name;
  }
}

}  // namespace
}  // namespace forebay::codec
