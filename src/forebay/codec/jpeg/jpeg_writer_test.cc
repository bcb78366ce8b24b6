#include "forebay/codec/jpeg/jpeg_writer.h"

#include <gtest/gtest.h>

#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/encode_jpeg.h"

namespace forebay::codec {
namespace {

std::vector<std::byte> written(const std::vector<uint8_t>& pixels, int height, int width, int quality) {
  std::vector<std::byte> bytes(most_jpeg_bytes(height, width));
  const Result<size_t> size = write_jpeg({pixels.data(), height, width}, quality, bytes);
  EXPECT_TRUE(size.ok()) << size.status();
  bytes.resize(size.ok() ? *size : 0);
  return bytes;
}

TEST(JpegWriter, WritesWhatTheEncoderOfTestsWrites) {
  testing::JpegOptions options;
  options.height = 37;
  options.width = 51;
  options.sampling_x = 2;
  options.sampling_y = 2;
  for (const int quality : {1, 50, 100}) {
    options.quality = quality;
    const std::vector<uint8_t> pixels = testing::test_photo(37, 51, 3);
    const auto read = [&](const std::vector<std::byte>& bytes) {
      const Result<tensor::Tensor> image = decode_image(Bytes(bytes.data(), bytes.size()));
      EXPECT_TRUE(image.ok()) << image.status();
      return std::vector<std::byte>(image->bytes().begin(), image->bytes().end());
    };
    EXPECT_EQ(read(written(pixels, 37, 51, quality)), read(testing::encode_jpeg(pixels, options)));
  }
}

TEST(JpegWriter, NoiseOfTheBestQualityFits) {
  RandomStream random(1, 0);
  for (const int side : {1, 7, 16, 33, 250}) {
    std::vector<uint8_t> noise(static_cast<size_t>(side) * side * 3);
    for (uint8_t& value : noise) {
      value = static_cast<uint8_t>(random.below(2) * 255);
    }
    EXPECT_GT(written(noise, side, side, 100).size(), 0U) << side;
  }
}

TEST(JpegWriter, RefusesWhatNoJpegHas) {
  std::vector<std::byte> bytes(most_jpeg_bytes(8, 8));
  const std::vector<uint8_t> pixels(8 * 8 * 3);
  EXPECT_FALSE(write_jpeg({pixels.data(), 0, 8}, 50, bytes).ok());
  EXPECT_FALSE(write_jpeg({pixels.data(), 8, 70000}, 50, bytes).ok());
  EXPECT_FALSE(write_jpeg({pixels.data(), 8, 8}, 0, bytes).ok());
  EXPECT_FALSE(write_jpeg({pixels.data(), 8, 8}, 50, std::span(bytes).first(10)).ok());
}

}  // namespace
}  // namespace forebay::codec
