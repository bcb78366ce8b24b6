// Damaged images: truncated anywhere, bits flipped, of the wrong type, with impossible headers. Each gives an
// error or an image, never a crash, and what follows it on the same thread decodes as if nothing had
// happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/codec/testing/encode_png.h"

namespace forebay::codec {
namespace {

using ::testing::HasSubstr;

std::vector<std::vector<std::byte>> corpus() {
  std::vector<std::vector<std::byte>> images;
  for (const int variant : {0, 1, 2, 3, 4}) {
    testing::JpegOptions options{40, 56, variant == 2 ? 1 : variant == 3 ? 4 : 3, 2, 2};
    options.is_progressive = variant == 1;
    options.restart_interval = variant == 0 ? 2 : 0;
    options.exif_orientation = 6;
    options.is_arithmetic = variant == 4;
    images.push_back(testing::test_jpeg(options));
  }
  for (const int variant : {0, 1, 2, 3}) {
    testing::PngOptions options{20, 24, variant == 2 ? 3 : 6, variant == 3 ? 16 : 8, variant == 1};
    for (int i = 0; variant == 2 && i < 5; ++i) {
      options.palette.push_back({1, 2, 3});
    }
    images.push_back(testing::encode_png(testing::test_samples(options), options));
  }
  return images;
}

bool is_clean(const Status& status) {
  return status.ok() || status.code() == StatusCode::kDataLoss ||
         status.code() == StatusCode::kUnimplemented || status.code() == StatusCode::kResourceExhausted;
}

ImageDecodeOptions small_limits() {
  ImageDecodeOptions options;
  options.limits.max_pixels = 1 << 20;
  return options;
}

TEST(BrokenImageTest, TruncatedAnywhereIsAnError) {
  for (const auto& image : corpus()) {
    for (size_t size = 0; size < image.size(); ++size) {
      const Status status = decode_image(Bytes(image).first(size), small_limits()).status();
      ASSERT_EQ(status.code(), StatusCode::kDataLoss) << size << " of " << image.size() << ": " << status;
    }
    EXPECT_TRUE(decode_image(image).ok());
  }
}

TEST(BrokenImageTest, TruncationIsNoticedBelowAWindow) {
  const auto jpeg = testing::test_jpeg({200, 200, 3, 2, 2});
  ImageDecodeOptions options;
  options.window = Window{0, 0, 8, 8};
  const Status status = decode_image(Bytes(jpeg).first(jpeg.size() / 2), options).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(message(status), HasSubstr("truncated at byte " + std::to_string(jpeg.size() / 2)));
}

TEST(BrokenImageTest, DataThatEndsEarlyIsNotGrey) {
  auto jpeg = testing::test_jpeg({200, 200, 3, 2, 2});
  jpeg.erase(jpeg.begin() + jpeg.size() / 2, jpeg.end() - 2);  // the end marker stays
  const Status status = decode_image(jpeg).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(message(status), HasSubstr("near byte"));
}

TEST(BrokenImageTest, FlippedBitsNeverCrash) {
  std::mt19937 random(11);
  const auto images = corpus();
  for (const auto& image : images) {
    const auto pixels = decode_image(image);
    ASSERT_TRUE(pixels.ok());
    for (int round = 0; round < 400; ++round) {
      auto damaged = image;
      const int flips = 1 + static_cast<int>(random() % 4);
      for (int i = 0; i < flips; ++i) {
        const size_t range = round % 2 == 0 ? damaged.size() : std::min<size_t>(damaged.size(), 700);
        damaged[random() % range] ^= std::byte(1 << random() % 8);
      }
      ImageDecodeOptions options = small_limits();
      options.output_type = static_cast<OutputType>(round % 5);
      const Status status = decode_image(damaged, options).status();
      ASSERT_TRUE(is_clean(status)) << status;
    }
    const auto again = decode_image(image);
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(std::ranges::equal(pixels->bytes(), again->bytes()));
  }
}

TEST(BrokenImageTest, WrongTypeSaysSo) {
  const std::string text(1000, 'a');
  const Status status = decode_image(std::as_bytes(std::span(text))).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_EQ(decode_image(Bytes()).status().code(), StatusCode::kDataLoss);
}

TEST(BrokenImageTest, HugeJpegIsRefused) {
  auto jpeg = testing::test_jpeg({40, 56});
  for (size_t at = 2; at + 9 < jpeg.size(); ++at) {
    if (jpeg[at] == std::byte(0xFF) && jpeg[at + 1] == std::byte(0xC0)) {
      std::fill_n(jpeg.begin() + at + 5, 4, std::byte(0xFF));  // 65535 x 65535
      break;
    }
  }
  const Status status = decode_image(jpeg).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(status), HasSubstr("4294836225"));
}

}  // namespace
}  // namespace forebay::codec
