// Whole JPEGs against libjpeg's plain decoding; windows, rows, scales and orientations against whole JPEGs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "forebay/codec/exif_orientation.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/encode_jpeg.h"

namespace forebay::codec {
namespace {

using ::testing::HasSubstr;
using testing::JpegOptions;
using testing::plain_jpeg_pixels;
using testing::test_jpeg;

std::vector<uint8_t> cut(const std::vector<uint8_t>& pixels, int64_t width, int channels,
                         const Window& window) {
  std::vector<uint8_t> result;
  for (int64_t y = window.y; y < window.y + window.height; ++y) {
    const auto row = pixels.begin() + (y * width + window.x) * channels;
    result.insert(result.end(), row, row + window.width * channels);
  }
  return result;
}

/// Windows at edges, single rows and columns, and some random ones.
std::vector<Window> windows_of(int64_t height, int64_t width, int count) {
  std::vector<Window> windows = {{0, 0, height, width},
                                 {0, 0, 1, 1},
                                 {height - 1, width - 1, 1, 1},
                                 {0, width - 1, height, 1},
                                 {height - 1, 0, 1, width}};
  std::mt19937 random(static_cast<uint32_t>(height * 131 + width));
  for (int i = 0; i < count; ++i) {
    const int64_t window_height = 1 + random() % height;
    const int64_t window_width = 1 + random() % width;
    const auto y = static_cast<int64_t>(random() % (height - window_height + 1));
    const auto x = static_cast<int64_t>(random() % (width - window_width + 1));
    windows.push_back({y, x, window_height, window_width});
  }
  return windows;
}

constexpr std::array<std::array<int, 2>, 7> kSamplings = {
    {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {4, 2}, {1, 4}}};

std::vector<JpegOptions> all_jpeg_kinds(int height, int width) {
  std::vector<JpegOptions> kinds;
  for (const auto& sampling : kSamplings) {
    for (const bool is_progressive : {false, true}) {
      JpegOptions options{height, width};
      options.sampling_x = sampling[0];
      options.sampling_y = sampling[1];
      options.is_progressive = is_progressive;
      options.restart_interval = sampling[0] == 2 && !is_progressive ? 3 : 0;
      kinds.push_back(options);
    }
  }
  JpegOptions grey{height, width, 1};
  JpegOptions sampled_grey{height, width, 1, 2, 2};
  JpegOptions odd{height, width, 3, 2, 3};
  odd.has_odd_sampling = true;
  JpegOptions separate{height, width, 3, 2, 2};
  separate.has_separate_scans = true;
  JpegOptions rgb{height, width};
  rgb.keeps_colours = true;
  JpegOptions arithmetic{height, width, 3, 2, 2};
  arithmetic.is_arithmetic = true;
  kinds.insert(kinds.end(), {grey, sampled_grey, odd, separate, rgb, arithmetic});
  return kinds;
}

std::string describe(const JpegOptions& kind) {
  return fmt::format("{}x{}x{} sampling {}x{} progressive {} separate {} arithmetic {}", kind.height,
                     kind.width, kind.channels, kind.sampling_x, kind.sampling_y, kind.is_progressive,
                     kind.has_separate_scans, kind.is_arithmetic);
}

TEST(JpegDecoderTest, WholeImageIsLibjpegs) {
  for (const auto& [height, width] : {std::pair{61, 83}, {64, 48}, {1, 1}, {3, 17}}) {
    for (const JpegOptions& kind : all_jpeg_kinds(height, width)) {
      const auto jpeg = test_jpeg(kind);
      for (const OutputType type :
           {OutputType::kRgb, OutputType::kBgr, OutputType::kGray, OutputType::kAnyData}) {
        for (const bool fancy : {true, false}) {
          ImageDecodeOptions options;
          options.output_type = type;
          options.fancy_upsampling = fancy;
          EXPECT_EQ(pixels_of(jpeg, options), plain_jpeg_pixels(jpeg, type, fancy)) << describe(kind);
        }
      }
    }
  }
}

TEST(JpegDecoderTest, WindowHasTheBitsOfTheWholeImage) {
  for (const auto& [height, width] : {std::pair{61, 83}, {64, 96}, {150, 131}}) {
    for (const JpegOptions& kind : all_jpeg_kinds(height, width)) {
      const auto jpeg = test_jpeg(kind);
      for (const bool fancy : {true, false}) {
        const auto whole = plain_jpeg_pixels(jpeg, OutputType::kRgb, fancy);
        for (const Window& window : windows_of(height, width, 40)) {
          ImageDecodeOptions options;
          options.fancy_upsampling = fancy;
          options.window = window;
          ASSERT_EQ(pixels_of(jpeg, options), cut(whole, width, 3, window))
              << describe(kind) << " fancy " << fancy << " window " << window.y << " " << window.x << " "
              << window.height << " " << window.width;
        }
      }
    }
  }
}

TEST(JpegDecoderTest, ScaledImageIsLibjpegsAlsoInWindows) {
  for (const JpegOptions& kind : all_jpeg_kinds(93, 75)) {
    const auto jpeg = test_jpeg(kind);
    const auto header = read_image_header(jpeg);
    ASSERT_TRUE(header.ok());
    for (int scale = 1; scale <= 8; ++scale) {
      ImageDecodeOptions options;
      options.scale_eighths = scale;
      const auto whole = plain_jpeg_pixels(jpeg, OutputType::kRgb, true, scale);
      ASSERT_EQ(pixels_of(jpeg, options), whole) << describe(kind) << " scale " << scale;
      const ImageSize size = oriented_size(*header, options);
      for (const Window& window : windows_of(size.height, size.width, 10)) {
        options.window = window;
        ASSERT_EQ(pixels_of(jpeg, options), cut(whole, size.width, 3, window))
            << describe(kind) << " scale " << scale << " window " << window.y << " " << window.x << " "
            << window.height << " " << window.width;
      }
    }
  }
}

TEST(JpegDecoderTest, RowsAreThoseOfTheImage) {
  for (const int orientation : {1, 2, 3, 6}) {
    JpegOptions kind{61, 83, 3, 2, 2};
    kind.exif_orientation = orientation;
    const auto jpeg = test_jpeg(kind);
    const auto header = read_image_header(jpeg);
    ASSERT_TRUE(header.ok());
    for (const OutputType type : {OutputType::kRgb, OutputType::kGray, OutputType::kYCbCr}) {
      ImageDecodeOptions options;
      options.output_type = type;
      options.window = Window{5, 7, 40, 31};
      std::vector<uint8_t> rows;
      int64_t next = 0;
      const Status status =
          decode_image_rows(jpeg, *header, options, [&](int64_t y, std::span<const uint8_t> row) {
            EXPECT_EQ(y, next++);
            rows.insert(rows.end(), row.begin(), row.end());
            return ok_status();
          });
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_EQ(rows, pixels_of(jpeg, options)) << orientation;
    }
  }
}

TEST(JpegDecoderTest, ErrorOfTheSinkStops) {
  const auto jpeg = test_jpeg({61, 83, 3, 2, 2});
  const auto header = read_image_header(jpeg);
  int rows = 0;
  const Status status = decode_image_rows(jpeg, *header, {}, [&](int64_t y, std::span<const uint8_t>) {
    ++rows;
    return y == 9 ? cancelled("enough") : ok_status();
  });
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(rows, 10);
}

/// Where pixel (y, x) of an upright image comes from, following the EXIF standard's wording.
std::array<int64_t, 2> stored_place(int orientation, int64_t y, int64_t x, int64_t height, int64_t width) {
  const bool swaps = swaps_axes(orientation);
  const int64_t row = swaps ? x : y;
  const int64_t column = swaps ? y : x;
  const bool bottom_first = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool right_first = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  return {bottom_first ? height - 1 - row : row, right_first ? width - 1 - column : column};
}

TEST(JpegDecoderTest, OrientationTurnsImageAndWindow) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    JpegOptions kind{37, 53, 3, 2, 2};
    kind.exif_orientation = orientation;
    kind.exif_is_big_endian = orientation % 2 == 0;
    const auto jpeg = test_jpeg(kind);
    const auto stored = plain_jpeg_pixels(jpeg, OutputType::kRgb);
    ImageDecodeOptions as_stored;
    as_stored.adjust_orientation = false;
    EXPECT_EQ(pixels_of(jpeg, as_stored), stored);

    const auto header = read_image_header(jpeg);
    EXPECT_EQ(header->orientation, orientation);
    const ImageSize size = oriented_size(*header, {});
    std::vector<uint8_t> upright;
    for (int64_t y = 0; y < size.height; ++y) {
      for (int64_t x = 0; x < size.width; ++x) {
        const auto [row, column] = stored_place(orientation, y, x, kind.height, kind.width);
        const auto pixel = stored.begin() + (row * kind.width + column) * 3;
        upright.insert(upright.end(), pixel, pixel + 3);
      }
    }
    EXPECT_EQ(pixels_of(jpeg), upright) << orientation;
    for (const Window& window : windows_of(size.height, size.width, 10)) {
      ImageDecodeOptions options;
      options.window = window;
      EXPECT_EQ(pixels_of(jpeg, options), cut(upright, size.width, 3, window)) << orientation;
    }
  }
}

TEST(JpegDecoderTest, InksBecomeColours) {
  for (const bool keeps_colours : {true, false}) {
    JpegOptions kind{33, 29, 4};
    kind.keeps_colours = keeps_colours;
    kind.sampling_x = keeps_colours ? 1 : 2;
    const auto jpeg = test_jpeg(kind);
    const auto inks = plain_jpeg_pixels(jpeg, OutputType::kAnyData);
    ImageDecodeOptions any;
    any.output_type = OutputType::kAnyData;
    EXPECT_EQ(pixels_of(jpeg, any), inks);
    // libjpeg writes the Adobe marker for both; the values then mean light, not ink.
    std::vector<uint8_t> rgb;
    for (size_t i = 0; i < inks.size(); i += 4) {
      for (size_t c = 0; c < 3; ++c) {
        rgb.push_back(static_cast<uint8_t>(inks[i + c] * inks[i + 3] / 255));
      }
    }
    EXPECT_EQ(pixels_of(jpeg), rgb);
    ImageDecodeOptions windowed;
    windowed.window = Window{3, 5, 20, 11};
    EXPECT_EQ(pixels_of(jpeg, windowed), cut(rgb, kind.width, 3, *windowed.window));
  }
}

TEST(JpegDecoderTest, HeaderSaysWhatDecodingTakes) {
  JpegOptions kind{61, 83, 3, 2, 2};
  EXPECT_EQ(read_image_header(test_jpeg(kind))->whole_image_bytes, 0u);
  kind.is_progressive = true;
  const auto header = read_image_header(test_jpeg(kind));
  EXPECT_TRUE(header->is_progressive);
  EXPECT_EQ(header->whole_image_bytes, 6u * 4 * 6 * 64 * 2);  // 6 x 4 units of 4 + 1 + 1 blocks
  kind.is_progressive = false;
  kind.has_separate_scans = true;
  EXPECT_TRUE(read_image_header(test_jpeg(kind))->is_progressive);
}

/// Removes all segments with a marker, which makes an image that relies on tables of others.
std::vector<std::byte> without_segments(const std::vector<std::byte>& jpeg, int marker) {
  std::vector<std::byte> result(jpeg.begin(), jpeg.begin() + 2);
  size_t at = 2;
  while (static_cast<int>(jpeg[at + 1]) != 0xDA) {
    const size_t length = 2 + (static_cast<size_t>(jpeg[at + 2]) << 8 | static_cast<size_t>(jpeg[at + 3]));
    if (static_cast<int>(jpeg[at + 1]) != marker) {
      result.insert(result.end(), jpeg.begin() + at, jpeg.begin() + at + length);
    }
    at += length;
  }
  result.insert(result.end(), jpeg.begin() + at, jpeg.end());
  return result;
}

TEST(JpegDecoderTest, NothingOfAnEarlierImageIsRemembered) {
  JpegOptions other{61, 83, 3, 2, 2};
  other.quality = 20;
  const auto other_jpeg = test_jpeg(other);
  const auto complete = test_jpeg({40, 40, 3, 2, 1});
  const auto no_quantisers = without_segments(complete, 0xDB);
  const auto no_huffman = without_segments(complete, 0xC4);
  pixels_of(other_jpeg);
  EXPECT_EQ(decode_image(no_quantisers).status().code(), StatusCode::kDataLoss);
  pixels_of(other_jpeg);
  // Without Huffman tables the standard's default ones apply, which our encoder uses.
  EXPECT_EQ(pixels_of(no_huffman), plain_jpeg_pixels(complete, OutputType::kRgb));
}

TEST(JpegDecoderTest, LimitsAreNamed) {
  JpegOptions kind{200, 300, 3, 2, 2};
  kind.is_progressive = true;
  const auto jpeg = test_jpeg(kind);
  ImageDecodeOptions options;
  options.limits.max_pixels = 59'999;
  const Status pixels = decode_image(jpeg, options).status();
  EXPECT_EQ(pixels.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(pixels), HasSubstr("60000"));
  options.limits = {};
  options.limits.max_bytes = 100'000;
  const Status bytes = decode_image(jpeg, options).status();
  EXPECT_EQ(bytes.code(), StatusCode::kResourceExhausted);
  const auto header = read_image_header(jpeg);
  EXPECT_THAT(message(bytes), HasSubstr(std::to_string(decode_scratch_bytes(*header, {}) + 200 * 300 * 3)));
  options.limits = {};
  options.limits.max_scans = 4;
  const Status scans = decode_image(jpeg, options).status();
  EXPECT_EQ(scans.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(scans), HasSubstr("scans"));
}

TEST(JpegDecoderTest, OptionsThatDoNotFitAreRefused) {
  const auto jpeg = test_jpeg({20, 30});
  const Window wrong[] = {{0, 0, 21, 1}, {0, 0, 1, 31}, {-1, 0, 2, 2},
                          {0, 0, 0, 5},  {19, 0, 2, 2}, {0, 1, 2, 30}};
  for (const Window& window : wrong) {
    ImageDecodeOptions options;
    options.window = window;
    EXPECT_EQ(decode_image(jpeg, options).status().code(), StatusCode::kInvalidArgument);
  }
  ImageDecodeOptions options;
  options.dtype = tensor::DType::kInt64;
  EXPECT_EQ(decode_image(jpeg, options).status().code(), StatusCode::kInvalidArgument);
  options = {};
  options.scale_eighths = 9;
  EXPECT_EQ(decode_image(jpeg, options).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::codec
