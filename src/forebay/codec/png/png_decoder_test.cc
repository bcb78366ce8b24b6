// PNGs of every kind against the samples they were made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/encode_png.h"

namespace forebay::codec {
namespace {

using tensor::DType;
using testing::encode_png;
using testing::PngOptions;
using testing::test_samples;

std::vector<PngOptions> all_png_kinds() {
  std::vector<PngOptions> kinds;
  for (const int colour_type : {0, 2, 3, 4, 6}) {
    for (const int bit_depth : {1, 2, 4, 8, 16}) {
      const bool is_allowed = bit_depth == 8 || (bit_depth == 16 && colour_type != 3) ||
                              (bit_depth < 8 && (colour_type == 0 || colour_type == 3));
      for (const bool is_interlaced : {false, true}) {
        PngOptions options{23, 37, colour_type, bit_depth, is_interlaced};
        options.has_transparency = is_interlaced && colour_type < 4;
        for (int i = 0; colour_type == 3 && i < 1 << bit_depth; ++i) {
          options.palette.push_back(
              {static_cast<uint8_t>(i * 7), static_cast<uint8_t>(255 - i), static_cast<uint8_t>(i % 251)});
        }
        if (is_allowed) {
          kinds.push_back(options);
        }
      }
    }
  }
  return kinds;
}

/// The channels delivered for kAnyData, in the range of 8 or 16 bits.
std::vector<uint16_t> any_pixels(const std::vector<uint16_t>& samples, const PngOptions& kind) {
  std::vector<uint16_t> result;
  for (const uint16_t sample : samples) {
    if (kind.colour_type == 3) {
      const auto& colour = kind.palette[sample];
      result.insert(result.end(), colour.begin(), colour.end());
    } else {
      const int white = (1 << kind.bit_depth) - 1;
      result.push_back(kind.bit_depth < 8 ? static_cast<uint16_t>(sample * 255 / white) : sample);
    }
  }
  return result;
}

int any_channels(const PngOptions& kind) {
  return kind.colour_type == 3 ? 3 : testing::png_channels(kind.colour_type);
}

std::vector<uint16_t> rgb_pixels(const std::vector<uint16_t>& any, int channels) {
  std::vector<uint16_t> result;
  for (size_t i = 0; i < any.size(); i += channels) {
    for (size_t c = 0; c < 3; ++c) {
      result.push_back(any[i + (channels <= 2 ? 0 : c)]);
    }
  }
  return result;
}

template <class T>
std::vector<uint16_t> decoded_png(Bytes png, const ImageDecodeOptions& options) {
  const auto image = decode_image(png, options);
  EXPECT_TRUE(image.ok()) << image.status();
  if (!image.ok()) {
    return {};
  }
  const auto pixels = image->view().span<T>();
  return {pixels.begin(), pixels.end()};
}

TEST(PngDecoderTest, EveryKindGivesItsSamples) {
  for (const PngOptions& kind : all_png_kinds()) {
    SCOPED_TRACE(
        fmt::format("type {} depth {} interlaced {}", kind.colour_type, kind.bit_depth, kind.is_interlaced));
    const auto samples = test_samples(kind);
    const auto png = encode_png(samples, kind);
    const auto any = any_pixels(samples, kind);
    const auto rgb = rgb_pixels(any, any_channels(kind));
    const bool is_wide = kind.bit_depth == 16;
    ImageDecodeOptions options;
    options.dtype = is_wide ? DType::kUint16 : DType::kUint8;
    const auto pixels = [&] {
      return is_wide ? decoded_png<uint16_t>(png, options) : decoded_png<uint8_t>(png, options);
    };
    EXPECT_EQ(pixels(), rgb);
    options.output_type = OutputType::kAnyData;
    EXPECT_EQ(pixels(), any);
    options.output_type = OutputType::kBgr;
    auto bgr = rgb;
    for (size_t i = 0; i < bgr.size(); i += 3) {
      std::swap(bgr[i], bgr[i + 2]);
    }
    EXPECT_EQ(pixels(), bgr);
  }
}

TEST(PngDecoderTest, DtypesSpanTheirRanges) {
  for (const int bit_depth : {8, 16}) {
    const PngOptions kind{23, 37, 2, bit_depth};
    const auto samples = test_samples(kind);
    const auto png = encode_png(samples, kind);
    const double white = bit_depth == 8 ? 255 : 65535;
    ImageDecodeOptions options;
    const auto narrow = decoded_png<uint8_t>(png, options);
    options.dtype = DType::kUint16;
    const auto wide = decoded_png<uint16_t>(png, options);
    const auto as = [&](DType dtype) {
      options.dtype = dtype;
      return decode_image(png, options).value();
    };
    const tensor::Tensor narrow_signed = as(DType::kInt8);
    const tensor::Tensor wide_signed = as(DType::kInt16);
    const tensor::Tensor widest = as(DType::kUint32);
    const tensor::Tensor widest_signed = as(DType::kInt32);
    const tensor::Tensor real = as(DType::kFloat);
    for (size_t i = 0; i < samples.size(); ++i) {
      ASSERT_EQ(narrow[i], std::round(samples[i] * 255 / white));
      ASSERT_EQ(wide[i], std::round(samples[i] * 65535.0 / white));
      ASSERT_EQ(narrow_signed.view().as<int8_t>()[i], std::round(samples[i] * 127.0 / white));
      ASSERT_EQ(wide_signed.view().as<int16_t>()[i], std::round(samples[i] * 32767.0 / white));
      ASSERT_NEAR(widest.view().as<uint32_t>()[i], samples[i] * 4294967295.0 / white,
                  512);  // computed in float
      ASSERT_NEAR(widest_signed.view().as<int32_t>()[i], samples[i] * 2147483647.0 / white, 256);
      ASSERT_FLOAT_EQ(real.view().as<float>()[i], static_cast<float>(samples[i] / white));
    }
  }
}

TEST(PngDecoderTest, WindowHasTheBitsOfTheWholeImage) {
  for (const PngOptions& kind : all_png_kinds()) {
    const auto png = encode_png(test_samples(kind), kind);
    for (const OutputType type :
         {OutputType::kRgb, OutputType::kGray, OutputType::kAnyData, OutputType::kYCbCr}) {
      ImageDecodeOptions options;
      options.output_type = type;
      const auto whole = decode_image(png, options);
      ASSERT_TRUE(whole.ok());
      const int64_t channels = whole->shape()[2];
      for (const Window& window : {Window{0, 0, 1, 37}, {22, 0, 1, 37}, {5, 9, 12, 20}, {0, 36, 23, 1}}) {
        options.window = window;
        std::vector<uint16_t> expected;
        for (int64_t y = 0; y < window.height; ++y) {
          const uint8_t* row =
              whole->view().as<uint8_t>() + ((window.y + y) * kind.width + window.x) * channels;
          expected.insert(expected.end(), row, row + window.width * channels);
        }
        EXPECT_EQ(decoded_png<uint8_t>(png, options), expected);
      }
    }
  }
}

TEST(PngDecoderTest, OrientationIsApplied) {
  PngOptions kind{2, 3, 0, 8};
  kind.exif_orientation = 6;
  const auto png = encode_png(std::vector<uint16_t>{1, 2, 3, 4, 5, 6}, kind);
  ImageDecodeOptions options;
  options.output_type = OutputType::kGray;
  EXPECT_EQ(decoded_png<uint8_t>(png, options), (std::vector<uint16_t>{4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(decoded_spec(*read_image_header(png), options)->shape, (tensor::Shape{3, 2, 1}));
}

TEST(PngDecoderTest, GreyOfColoursIsWeighted) {
  const PngOptions kind{1, 3, 2, 8};
  const std::vector<uint16_t> samples = {255, 0, 0, 0, 255, 0, 9, 9, 9};
  ImageDecodeOptions options;
  options.output_type = OutputType::kGray;
  EXPECT_EQ(decoded_png<uint8_t>(encode_png(samples, kind), options), (std::vector<uint16_t>{76, 149, 9}));
  PngOptions srgb = kind;
  srgb.is_srgb = true;
  const auto in_linear_light = decoded_png<uint8_t>(encode_png(samples, srgb), options);
  EXPECT_GT(in_linear_light[0], 120);  // 255 * 0.299 ^ (1 / 2.2)
  EXPECT_EQ(in_linear_light[2], 9);
  PngOptions gamma = kind;
  gamma.gamma = 45455;
  EXPECT_EQ(decoded_png<uint8_t>(encode_png(samples, gamma), options), in_linear_light);
}

/// libspng does not read the checksum of the last image data.
TEST(PngDecoderTest, EveryFlippedBitOfImageDataIsFound) {
  for (const bool is_interlaced : {false, true}) {
    const PngOptions kind{20, 24, 2, 8, is_interlaced};
    const auto png = encode_png(test_samples(kind), kind);
    const std::string_view text(reinterpret_cast<const char*>(png.data()), png.size());
    for (size_t at = text.find("IDAT") + 4; at < text.find("IEND") - 4; ++at) {
      auto damaged = png;
      damaged[at] ^= static_cast<std::byte>(1 << at % 8);
      EXPECT_EQ(decode_image(damaged).status().code(), StatusCode::kDataLoss) << "byte " << at;
      ImageDecodeOptions options;
      options.window = Window{12, 3, 8, 9};
      EXPECT_EQ(decode_image(damaged, options).status().code(), StatusCode::kDataLoss) << "byte " << at;
    }
  }
}

TEST(PngDecoderTest, HugeClaimsAreRefusedBeforeAllocation) {
  const PngOptions kind{8, 8, 2, 8};
  auto png = encode_png(test_samples(kind), kind);
  for (const size_t at : {16u, 20u}) {
    png[at] = std::byte(0x7F);  // width and height beyond 2^30
  }
  EXPECT_EQ(decode_image(png).status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace forebay::codec
