// Smaller resolutions of JPEG 2000, and claims that its bytes cannot hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec {
namespace {

using ::testing::HasSubstr;
using testing::SampleImage;

SampleImage sample_named(const std::string& name) {
  const auto samples = testing::jpeg2000_samples();
  return *std::ranges::find(samples, name, &SampleImage::name);
}

TEST(Jpeg2000DecoderTest, SmallerResolutionsLookLikeTheImage) {
  for (const char* name : {"jp2", "jp2 in tiles", "jp2 lossy", "jp2 subsampled"}) {
    const SampleImage sample = sample_named(name);
    const auto whole = pixels_of(sample.bytes, {});
    double mean = 0;
    for (const uint8_t value : whole) {
      mean += value / static_cast<double>(whole.size());
    }
    for (const int eighths : {4, 2, 1}) {
      ImageDecodeOptions options;
      options.scale_eighths = eighths;
      const auto spec = decoded_spec(*read_image_header(sample.bytes), options);
      ASSERT_TRUE(spec.ok()) << spec.status();
      EXPECT_EQ(spec->shape[0], (sample.height * eighths + 7) / 8);
      EXPECT_EQ(spec->shape[1], (sample.width * eighths + 7) / 8);
      const auto small = pixels_of(sample.bytes, options);
      double small_mean = 0;
      for (const uint8_t value : small) {
        small_mean += value / static_cast<double>(small.size());
      }
      EXPECT_NEAR(small_mean, mean, 12) << name << " " << eighths;
    }
  }
}

TEST(Jpeg2000DecoderTest, WindowsOfSmallerResolutionsHaveTheirBits) {
  for (const char* name : {"jp2", "jp2 in tiles", "jp2 lossy in tiles", "jp2 subsampled"}) {
    const SampleImage sample = sample_named(name);
    ImageDecodeOptions options;
    options.scale_eighths = 4;
    const auto whole = pixels_of(sample.bytes, options);
    const ImageSize size = oriented_size(*read_image_header(sample.bytes), options);
    for (const Window& window :
         {Window{0, 0, 1, size.width}, Window{3, 5, 9, 11}, Window{size.height - 1, size.width - 1, 1, 1}}) {
      std::vector<uint8_t> expected;
      for (int64_t y = 0; y < window.height; ++y) {
        const auto row = whole.begin() + ((window.y + y) * size.width + window.x) * 3;
        expected.insert(expected.end(), row, row + window.width * 3);
      }
      options.window = window;
      EXPECT_EQ(pixels_of(sample.bytes, options), expected) << name << " " << window.y;
    }
  }
}

TEST(Jpeg2000DecoderTest, ResolutionsThatAreNotThereAreNamed) {
  ImageDecodeOptions options;
  options.scale_eighths = 4;
  const Status elsewhere = decode_image(sample_named("j2k beginning elsewhere").bytes, options).status();
  EXPECT_EQ(elsewhere.code(), StatusCode::kUnimplemented) << elsewhere;
  options.scale_eighths = 3;
  const Status third = decode_image(sample_named("jp2").bytes, options).status();
  EXPECT_EQ(third.code(), StatusCode::kInvalidArgument) << third;
}

TEST(Jpeg2000DecoderTest, MoreTilesThanTheBytesCanHoldAreRefused) {
  auto bytes = sample_named("j2k").bytes;
  constexpr size_t kTileWidthAt = 4 + 2 + 2 + 16;  // markers, length, capabilities, size and origin
  for (size_t i = 0; i < 8; ++i) {
    bytes[kTileWidthAt + i] = std::byte(i % 4 == 3 ? 1 : 0);  // tiles of one pixel
  }
  const Status status = read_image_header(bytes).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  EXPECT_THAT(message(status), HasSubstr("1961 tiles"));
}

/// The bytes of a sample, with the first `from` replaced.
std::vector<std::byte> replaced(std::vector<std::byte> bytes, std::string_view from, std::string_view to) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string_view::npos);
  std::ranges::transform(to, bytes.begin() + static_cast<ptrdiff_t>(at),
                         [](char letter) { return static_cast<std::byte>(letter); });
  return bytes;
}

TEST(Jpeg2000DecoderTest, APaletteHasNoSmallerResolutions) {
  ImageDecodeOptions options;
  options.scale_eighths = 4;
  const Status status = decode_image(sample_named("jp2 palette").bytes, options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << status;
  EXPECT_THAT(message(status), HasSubstr("palette"));
}

/// As OpenJPEG's own program does.
TEST(Jpeg2000DecoderTest, APaletteThatNothingIsMappedToIsIgnored) {
  const SampleImage sample = sample_named("jp2 palette");
  const auto bytes = replaced(sample.bytes, "cmap", "free");
  ImageDecodeOptions options;
  options.output_type = OutputType::kAnyData;
  EXPECT_EQ(pixels_of(bytes, options), sample.indices);
  options.gives_indices = true;
  const Status status = decode_image(bytes, options).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
}

/// The colours of a palette may be sYCC; indices are not touched.
TEST(Jpeg2000DecoderTest, APaletteOfLumaAndChromaBecomesRgb) {
  using namespace std::string_view_literals;
  const SampleImage sample = sample_named("jp2 palette");
  const auto bytes = replaced(sample.bytes, "colr\1\0\0\0\0\0\x10"sv, "colr\1\0\0\0\0\0\x12"sv);
  const auto pixels = pixels_of(bytes, {});
  ASSERT_EQ(pixels.size(), sample.pixels.size());
  for (size_t i = 0; i < pixels.size(); i += 3) {
    const double luma = sample.pixels[i];
    const double blue = sample.pixels[i + 1] - 128.0;
    const double red = sample.pixels[i + 2] - 128.0;
    const double expected[] = {luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red,
                               luma + 1.772 * blue};
    for (size_t c = 0; c < 3; ++c) {
      ASSERT_NEAR(pixels[i + c], std::clamp(expected[c], 0.0, 255.0), 0.51) << i / 3 << " " << c;
    }
  }
  ImageDecodeOptions options;
  options.output_type = OutputType::kGray;
  const auto greys = pixels_of(bytes, options);
  for (size_t i = 0; i < greys.size(); ++i) {
    ASSERT_EQ(greys[i], sample.pixels[3 * i]) << i;
  }
  options = {};
  options.gives_indices = true;
  EXPECT_EQ(pixels_of(bytes, options), sample.indices);
}

TEST(Jpeg2000DecoderTest, ComponentsThatAreNotThereAreNotMapped) {
  using namespace std::string_view_literals;
  const auto bytes = replaced(sample_named("jp2 palette").bytes, "cmap\0\0"sv, "cmap\0\1"sv);
  const Status status = read_image_header(bytes).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  EXPECT_THAT(message(status), HasSubstr("component 1 of 1"));
}

/// Colours and an opacity beside them: the indices are those of the component that names colours.
TEST(Jpeg2000DecoderTest, IndicesAreOfTheComponentThatIsMapped) {
  using namespace std::string_view_literals;
  const SampleImage sample = sample_named("jp2 palette");
  const auto bytes =
      replaced(sample.bytes, "cmap\0\0\1\0\0\0\1\1\0\0\1\2"sv, "cmap\0\0\1\0\0\0\1\1\0\0\0\0"sv);
  ImageDecodeOptions options;
  options.gives_indices = true;
  EXPECT_EQ(pixels_of(bytes, options), sample.indices);
}

}  // namespace
}  // namespace forebay::codec
