// Damaged images: truncated anywhere, bits flipped, the wrong type, impossible headers. Each gives an error
// or an image, never a crash, and the next image on the same thread decodes normally.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <libdeflate.h>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
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

ImageDecodeOptions few_pixels() {
  ImageDecodeOptions options;
  options.limits.max_pixels = 1 << 20;
  return options;
}

TEST(BrokenImageTest, TruncatedAnywhereIsAnError) {
  const auto images = corpus();
  for (const auto& image : images) {
    // Only the end marker of a JPEG may be missing; libjpeg decodes arithmetic ones, and needs it.
    const bool needs_end = image_format_of(image) != ImageFormat::kJpeg || &image == &images[4];
    const size_t needed = image.size() - (needs_end ? 0 : 2);
    for (size_t size = 0; size < needed; ++size) {
      const Status status = decode_image(Bytes(image).first(size), few_pixels()).status();
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
  jpeg.erase(jpeg.begin() + jpeg.size() / 2, jpeg.end() - 2);  // the end marker is kept
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
      ImageDecodeOptions options = few_pixels();
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

std::vector<std::byte> with_size(std::vector<std::byte> jpeg, int marker, int height, int width) {
  for (size_t at = 2; at + 9 < jpeg.size(); ++at) {
    if (jpeg[at] == std::byte(0xFF) && jpeg[at + 1] == static_cast<std::byte>(marker)) {
      for (const int extent : {height, width}) {
        jpeg[at + 5] = static_cast<std::byte>(extent >> 8);
        jpeg[at + 6] = static_cast<std::byte>(extent & 0xFF);
        at += 2;
      }
      break;
    }
  }
  return jpeg;
}

TEST(BrokenImageTest, SizesThatTheBytesCannotHoldAreRefused) {
  for (const bool is_progressive : {false, true}) {
    testing::JpegOptions options{40, 56};
    options.is_progressive = is_progressive;
    const auto jpeg = with_size(testing::test_jpeg(options), is_progressive ? 0xC2 : 0xC0, 30000, 30000);
    const Status status = read_image_header(jpeg).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_THAT(message(status), HasSubstr("30000x30000"));
  }
  for (const bool is_interlaced : {false, true}) {
    const testing::PngOptions options{20, 24, 2, 8, is_interlaced};
    auto png = testing::encode_png(testing::test_samples(options), options);
    png[16 + 2] = std::byte(0x75);  // width and height of about 30,000
    png[20 + 2] = std::byte(0x75);
    const Status status = read_image_header(png).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_THAT(message(status), HasSubstr("cannot be enough"));
  }
}

TEST(BrokenImageTest, TheSmallestPossibleImagesAreTaken) {
  testing::JpegOptions options{4000, 4000, 1};
  const std::vector<uint8_t> grey(size_t{4000} * 4000, 128);
  for (const bool is_progressive : {false, true}) {
    options.is_progressive = is_progressive;
    const auto jpeg = testing::encode_jpeg(grey, options);
    EXPECT_TRUE(read_image_header(jpeg).ok()) << jpeg.size();
  }
  testing::PngOptions png{4000, 4000, 0, 1};
  const std::vector<uint16_t> black(size_t{4000} * 4000, 0);
  for (const bool is_interlaced : {false, true}) {
    png.is_interlaced = is_interlaced;
    EXPECT_TRUE(read_image_header(testing::encode_png(black, png)).ok());
  }
}

/// A black interlaced PNG of one bit a pixel: small, whole, and dear.
std::vector<std::byte> black_png(uint32_t side) {
  constexpr std::array<std::array<uint32_t, 4>, 7> kPasses = {
      {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};
  size_t row_bytes = 0;  // of all passes, each row with its filter
  for (const auto& [x, y, step_x, step_y] : kPasses) {
    const uint32_t width = (side - x + step_x - 1) / step_x;
    const uint32_t height = (side - y + step_y - 1) / step_y;
    row_bytes += size_t{height} * (1 + (width + 7) / 8);
  }
  const std::vector<std::byte> rows(row_bytes);
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(6), &libdeflate_free_compressor);
  std::vector<std::byte> data(libdeflate_zlib_compress_bound(compressor.get(), row_bytes));
  data.resize(libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(), data.data(), data.size()));
  std::vector<std::byte> header(13);
  for (const size_t at : {size_t{0}, size_t{4}}) {
    for (size_t byte = 0; byte < 4; ++byte) {
      header[at + byte] = static_cast<std::byte>(side >> (24 - 8 * byte));
    }
  }
  header[8] = std::byte{1};   // bits
  header[12] = std::byte{1};  // interlaced
  std::vector<std::byte> file;
  for (const int byte : {0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A}) {
    file.push_back(static_cast<std::byte>(byte));
  }
  testing::append_png_chunk(file, "IHDR", header);
  testing::append_png_chunk(file, "IDAT", data);
  testing::append_png_chunk(file, "IEND", {});
  return file;
}

TEST(BrokenImageTest, ImagesThatTakeGigabytesAreRefusedUnlessAllowed) {
  const auto small = decode_image(black_png(100));
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_TRUE(std::ranges::all_of(small->view().span<uint8_t>(), [](uint8_t value) { return value == 0; }));
  const auto bomb = black_png(30'000);
  EXPECT_LT(bomb.size(), 120'000u);
  const Status pixels = decode_image(bomb).status();
  EXPECT_EQ(pixels.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(pixels), HasSubstr("max_pixels"));
  ImageDecodeOptions options;
  options.limits.max_pixels = uint64_t{1} << 30;
  const Status bytes = decode_image(bomb, options).status();
  EXPECT_EQ(bytes.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(bytes), HasSubstr("max_bytes"));
  options.limits.max_bytes = uint64_t{4} << 30;
  const Status expansion = decode_image(bomb, options).status();
  EXPECT_EQ(expansion.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(expansion), HasSubstr("max_expansion"));
  options.limits.max_expansion = 100'000;
  const auto header = read_image_header(bomb);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_TRUE(decoded_spec(*header, options).ok());
}

TEST(BrokenImageTest, MasksOfOneColourAreTaken) {
  const auto header = read_image_header(black_png(6000));
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_TRUE(decoded_spec(*header, {}).ok()) << "108 MB as RGB, and as much while it is interlaced";
  const auto larger = read_image_header(black_png(12'000));
  ASSERT_TRUE(larger.ok()) << larger.status();
  EXPECT_EQ(decoded_spec(*larger, {}).status().code(), StatusCode::kResourceExhausted);
}

TEST(BrokenImageTest, ScansThatPassOverBlocksAgainAndAgainAreBounded) {
  testing::JpegOptions kind{400, 400, 1};
  kind.is_progressive = true;
  const auto jpeg = testing::test_jpeg(kind);
  ImageDecodeOptions options;
  options.limits.max_blocks_scanned = 2 * 6 * 2500;  // it has 6 scans
  EXPECT_TRUE(decode_image(jpeg, options).ok());
  options.limits.max_blocks_scanned = 5 * 2500;
  const Status status = decode_image(jpeg, options).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(status), HasSubstr("blocks"));
}

}  // namespace
}  // namespace forebay::codec
