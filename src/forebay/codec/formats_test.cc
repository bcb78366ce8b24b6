// What holds for every format: pixels, windows, rows, output types, limits, damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec {
namespace {

using tensor::DType;
using testing::SampleImage;

class FormatsTest : public ::testing::TestWithParam<SampleImage> {};

DType own_dtype(const ImageHeader& header) {
  return header.bit_depth > 8 ? DType::kUint16 : DType::kUint8;
}

std::vector<uint16_t> values_of(const tensor::Tensor& image) {
  std::vector<uint16_t> values;
  if (image.dtype() == DType::kUint16) {
    std::ranges::copy(image.view().span<uint16_t>(), std::back_inserter(values));
  } else {
    std::ranges::copy(image.view().span<uint8_t>(), std::back_inserter(values));
  }
  return values;
}

std::vector<uint16_t> decoded_values(Bytes bytes, const ImageDecodeOptions& options) {
  const auto image = decode_image(bytes, options);
  EXPECT_TRUE(image.ok()) << image.status();
  return image.ok() ? values_of(*image) : std::vector<uint16_t>();
}

TEST_P(FormatsTest, HeaderSaysTheShape) {
  const SampleImage& sample = GetParam();
  const auto header = read_image_header(sample.bytes);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->format, sample.format);
  EXPECT_EQ(header->height, sample.height);
  EXPECT_EQ(header->width, sample.width);
  EXPECT_EQ(header->channels, sample.channels);
}

TEST_P(FormatsTest, LosslessPixelsAreThoseWritten) {
  const SampleImage& sample = GetParam();
  const auto header = read_image_header(sample.bytes);
  ASSERT_TRUE(header.ok()) << header.status();
  ImageDecodeOptions options;
  options.output_type = OutputType::kAnyData;
  options.dtype = own_dtype(*header);
  const auto values = decoded_values(sample.bytes, options);
  ASSERT_EQ(values.size(), static_cast<size_t>(sample.height) * sample.width * sample.channels);
  if (!sample.pixels.empty()) {
    EXPECT_EQ(values, sample.pixels);
  }
}

TEST_P(FormatsTest, ColoursAreThoseOfTheChannels) {
  const SampleImage& sample = GetParam();
  ImageDecodeOptions options;
  options.dtype = own_dtype(*read_image_header(sample.bytes));
  options.output_type = OutputType::kAnyData;
  const auto any = decoded_values(sample.bytes, options);
  options.output_type = OutputType::kRgb;
  const auto rgb = decoded_values(sample.bytes, options);
  options.output_type = OutputType::kBgr;
  const auto bgr = decoded_values(sample.bytes, options);
  options.output_type = OutputType::kGray;
  const auto grey = decoded_values(sample.bytes, options);
  const size_t pixels = static_cast<size_t>(sample.height) * sample.width;
  ASSERT_EQ(rgb.size(), pixels * 3);
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      ASSERT_EQ(rgb[3 * i + c], any[i * sample.channels + (sample.channels <= 2 ? 0 : c)]);
      ASSERT_EQ(rgb[3 * i + c], bgr[3 * i + 2 - c]);
    }
    ASSERT_NEAR(grey[i], 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2],
                options.dtype == DType::kUint16 ? 3.0 : 1.0);
  }
}

TEST_P(FormatsTest, WindowHasTheBitsOfTheWholeImage) {
  const SampleImage& sample = GetParam();
  const int height = sample.height;
  const int width = sample.width;
  for (const OutputType type :
       {OutputType::kRgb, OutputType::kBgr, OutputType::kGray, OutputType::kYCbCr, OutputType::kAnyData}) {
    ImageDecodeOptions options;
    options.output_type = type;
    const auto whole = decode_image(sample.bytes, options);
    ASSERT_TRUE(whole.ok()) << whole.status();
    const int64_t channels = whole->shape()[2];
    for (const Window& window : {Window{0, 0, 1, width},
                                 {height - 1, 0, 1, width},
                                 {5, 9, 12, 20},
                                 {0, width - 1, height, 1},
                                 {7, 3, 1, 1},
                                 {3, 1, height - 5, width - 4}}) {
      std::vector<uint16_t> expected;
      for (int64_t y = 0; y < window.height; ++y) {
        const uint8_t* row = whole->view().as<uint8_t>() + ((window.y + y) * width + window.x) * channels;
        expected.insert(expected.end(), row, row + window.width * channels);
      }
      options.window = window;
      ASSERT_EQ(decoded_values(sample.bytes, options), expected) << static_cast<int>(type) << " " << window.y;
    }
  }
}

TEST_P(FormatsTest, RowsAreThoseOfTheImage) {
  const SampleImage& sample = GetParam();
  const auto header = read_image_header(sample.bytes);
  ASSERT_TRUE(header.ok()) << header.status();
  for (const OutputType type : {OutputType::kRgb, OutputType::kGray, OutputType::kAnyData}) {
    ImageDecodeOptions options;
    options.output_type = type;
    std::vector<uint16_t> rows;
    const Status status =
        decode_image_rows(sample.bytes, *header, options, [&](int64_t, std::span<const uint8_t> row) {
          rows.insert(rows.end(), row.begin(), row.end());
          return ok_status();
        });
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(rows, decoded_values(sample.bytes, options));
  }
}

TEST_P(FormatsTest, AnErrorOfTheReceiverIsReturned) {
  const SampleImage& sample = GetParam();
  int rows = 0;
  const Status status = decode_image_rows(
      sample.bytes, *read_image_header(sample.bytes), {},
      [&](int64_t, std::span<const uint8_t>) { return ++rows == 3 ? unavailable("enough") : ok_status(); });
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(rows, 3);
}

TEST_P(FormatsTest, DtypesSpanTheirRanges) {
  const SampleImage& sample = GetParam();
  ImageDecodeOptions options;
  options.dtype = DType::kUint16;
  const auto wide = decoded_values(sample.bytes, options);
  options.dtype = DType::kUint8;
  const auto narrow = decoded_values(sample.bytes, options);
  options.dtype = DType::kFloat;
  const auto real = decode_image(sample.bytes, options);
  ASSERT_TRUE(real.ok()) << real.status();
  for (size_t i = 0; i < wide.size(); ++i) {
    ASSERT_NEAR(real->view().as<float>()[i], wide[i] / 65535.0, 1e-5);
    ASSERT_NEAR(narrow[i], wide[i] / 257.0, 0.51);
  }
}

TEST_P(FormatsTest, LimitsHold) {
  const SampleImage& sample = GetParam();
  ImageDecodeOptions options;
  options.limits.max_pixels = static_cast<uint64_t>(sample.height) * sample.width - 1;
  EXPECT_EQ(decode_image(sample.bytes, options).status().code(), StatusCode::kResourceExhausted);
  options = {};
  options.limits.max_bytes = 1000;
  EXPECT_EQ(decode_image(sample.bytes, options).status().code(), StatusCode::kResourceExhausted);
}

ImageDecodeOptions small_limits() {
  ImageDecodeOptions options;
  options.limits.max_pixels = 1 << 20;
  options.limits.max_bytes = 256 << 20;
  return options;
}

TEST_P(FormatsTest, TruncatedAnywhereIsAnErrorWithoutAWord) {
  const SampleImage& sample = GetParam();
  ::testing::internal::CaptureStderr();
  const Bytes bytes(sample.bytes);
  const size_t end = sample.ends_in_data ? bytes.size() : bytes.size() - std::min<size_t>(bytes.size(), 8);
  for (size_t size = 0; size < end; ++size) {
    const Status status = decode_image(bytes.first(size), small_limits()).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << size << " of " << bytes.size() << ": " << status;
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(FormatsTest, FlippedBitsNeverCrash) {
  const SampleImage& sample = GetParam();
  std::mt19937 random(11);
  const auto pixels = decoded_values(sample.bytes, {});
  ::testing::internal::CaptureStderr();
  for (int round = 0; round < 200; ++round) {
    auto damaged = sample.bytes;
    const int flips = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < flips; ++i) {
      const size_t range = round % 2 == 0 ? damaged.size() : std::min<size_t>(damaged.size(), 200);
      damaged[random() % range] ^= std::byte(1 << random() % 8);
    }
    ImageDecodeOptions options = small_limits();
    options.output_type = static_cast<OutputType>(round % 5);
    const Status status = decode_image(damaged, options).status();
    EXPECT_TRUE(is_clean(status)) << status;
  }
  const std::string printed = ::testing::internal::GetCapturedStderr();
  if (sample.format != ImageFormat::kJpegXl) {  // docs/design/image-formats.md
    EXPECT_EQ(printed, "");
  }
  EXPECT_EQ(decoded_values(sample.bytes, {}), pixels);
}

INSTANTIATE_TEST_SUITE_P(All, FormatsTest, ::testing::ValuesIn(testing::all_samples()), [](const auto& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.name;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace forebay::codec
