// JPEGs without an end marker: those whose image data is whole are decoded, whatever follows; those that are
// cut off are errors that name the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/encode_jpeg.h"

namespace forebay::codec {
namespace {

using ::testing::HasSubstr;
using testing::JpegOptions;
using testing::test_jpeg;

using File = std::vector<std::byte>;

constexpr int kHeight = 120;
constexpr int kWidth = 152;

/// Sequential, in a scan for each channel, with restart markers, grey, in inks, progressive.
std::vector<JpegOptions> huffman_kinds() {
  JpegOptions sequential{kHeight, kWidth, 3, 2, 2};
  JpegOptions separate = sequential;
  separate.has_separate_scans = true;
  JpegOptions restarting = sequential;
  restarting.restart_interval = 5;
  JpegOptions progressive = sequential;
  progressive.is_progressive = true;
  JpegOptions progressive_restarting = progressive;
  progressive_restarting.restart_interval = 7;
  return {sequential,
          separate,
          restarting,
          JpegOptions{kHeight, kWidth, 1},
          JpegOptions{kHeight, kWidth, 4},
          progressive,
          progressive_restarting};
}

std::string name_of_kind(const JpegOptions& kind) {
  return fmt::format("channels {} progressive {} separate {} restart {}", kind.channels, kind.is_progressive,
                     kind.has_separate_scans, kind.restart_interval);
}

File without_end(File jpeg) {
  jpeg.resize(jpeg.size() - 2);
  return jpeg;
}

File joined(File file, const File& behind) {
  file.insert(file.end(), behind.begin(), behind.end());
  return file;
}

File bytes_of_numbers(std::initializer_list<int> numbers) {
  File bytes;
  for (const int number : numbers) {
    bytes.push_back(static_cast<std::byte>(number));
  }
  return bytes;
}

File text_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Arbitrary bytes, in which no marker comes before one that no JPEG has at its end.
File arbitrary_bytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  File bytes;
  while (bytes.size() < count) {
    const auto byte = static_cast<std::byte>(random());
    const bool is_end = !bytes.empty() && bytes.back() == std::byte{0xFF} && byte == std::byte{0xD9};
    bytes.push_back(is_end ? std::byte{0x40} : byte);
  }
  return bytes;
}

/// What telephones and tools leave behind the image data.
std::vector<File> trailers() {
  const File thumbnail = test_jpeg({16, 16, 3, 2, 2});
  return {
      {},
      bytes_of_numbers({0xFF}),
      bytes_of_numbers({0x0A}),
      File(1, std::byte{0}),
      File(5000, std::byte{0}),
      File(700, std::byte{0xFF}),
      text_bytes("vivo{\"camera\":\"main\",\"time\":1700000000}"),
      joined(bytes_of_numbers({0, 0, 1, 10, 14, 0, 0, 0}), text_bytes("Image_UTC_Data1700000000000SEFHh")),
      thumbnail,
      joined(text_bytes("MotionPhoto_Data"), thumbnail),
      bytes_of_numbers({0xFF, 0x40, 1, 2, 3}),
      bytes_of_numbers({7, 0xFF, 0, 8, 0xFF, 0xD3, 9}),
      arbitrary_bytes(3000, 1),
      arbitrary_bytes(3000, 2)};
}

const std::optional<Window> kWindows[] = {std::nullopt, Window{0, 0, 8, 8}, Window{50, 30, 40, 60},
                                          Window{kHeight - 9, 3, 9, 20}};

TEST(JpegEndingTest, WholeImageDataNeedsNoEndMarker) {
  for (const JpegOptions& kind : huffman_kinds()) {
    const File jpeg = test_jpeg(kind);
    for (const File& trailer : trailers()) {
      const File file = joined(without_end(jpeg), trailer);
      for (const bool fancy : {true, false}) {
        for (const auto& window : kWindows) {
          ImageDecodeOptions options;
          options.fancy_upsampling = fancy;
          options.window = window;
          ASSERT_EQ(pixels_of(file, options), pixels_of(jpeg, options))
              << name_of_kind(kind) << ", behind it " << trailer.size() << " bytes, whole "
              << !window.has_value();
        }
      }
    }
  }
}

TEST(JpegEndingTest, TheNextPictureIsDecodedAsEver) {
  const File jpeg = test_jpeg({kHeight, kWidth, 3, 2, 2});
  const auto pixels = pixels_of(jpeg);
  EXPECT_EQ(pixels_of(without_end(jpeg)), pixels);
  EXPECT_EQ(pixels_of(jpeg), pixels);
  EXPECT_FALSE(decode_image(Bytes(jpeg).first(jpeg.size() / 2)).ok());
  EXPECT_EQ(pixels_of(jpeg), pixels);
}

Status status_of(Bytes file, const std::optional<Window>& window) {
  ImageDecodeOptions options;
  options.window = window;
  return decode_image(file, options).status();
}

size_t first_image_data(const File& jpeg) {
  const std::string_view text(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
  return text.find("\xFF\xDA") + 14;
}

TEST(JpegEndingTest, WhatIsCutOffNamesTheByte) {
  for (const JpegOptions& kind : huffman_kinds()) {
    const File jpeg = test_jpeg(kind);
    for (size_t size = jpeg.size() / 3; size < jpeg.size() - 2; size += 1 + size % 97) {
      for (const auto& window : kWindows) {
        const Status status = status_of(Bytes(jpeg).first(size), window);
        ASSERT_EQ(status.code(), StatusCode::kDataLoss) << name_of_kind(kind) << ": " << size;
        EXPECT_THAT(std::string(message(status)), HasSubstr(fmt::format("truncated at byte {}", size)));
      }
    }
  }
}

/// The bytes that follow are taken for image data until they make no sense.
TEST(JpegEndingTest, WhatIsCutOffInTheMiddleIsFoundWhateverFollows) {
  for (const JpegOptions& kind : huffman_kinds()) {
    const File jpeg = test_jpeg(kind);
    const size_t first = first_image_data(jpeg);
    for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      const auto size = first + static_cast<size_t>(static_cast<double>(jpeg.size() - first) * share);
      for (const File& trailer : trailers()) {
        const File cut = joined(File(jpeg.begin(), jpeg.begin() + static_cast<ptrdiff_t>(size)), trailer);
        EXPECT_EQ(status_of(cut, std::nullopt).code(), StatusCode::kDataLoss)
            << name_of_kind(kind) << ", cut at " << size << ", behind it " << trailer.size() << " bytes";
      }
      for (const File& trailer : {arbitrary_bytes(3000, 3), File(20000, std::byte{0})}) {
        const File cut = joined(File(jpeg.begin(), jpeg.begin() + static_cast<ptrdiff_t>(size)), trailer);
        for (const auto& window : kWindows) {
          const Status status = status_of(cut, window);
          EXPECT_EQ(status.code(), StatusCode::kDataLoss) << name_of_kind(kind) << ", cut at " << size;
          EXPECT_THAT(std::string(message(status)),
                      ::testing::ContainsRegex("JPEG is truncated (near|at) byte"));
        }
      }
    }
  }
}

/// A flat picture, in which zero bytes are image data: zeros in place of its end are not taken for it.
TEST(JpegEndingTest, ZerosInPlaceOfTheEndAreNoImageData) {
  for (const bool is_progressive : {false, true}) {
    JpegOptions kind{256, 256, 1};
    kind.is_progressive = is_progressive;
    const File jpeg = encode_jpeg(std::vector<uint8_t>(256 * 256, 90), kind);
    for (size_t size = first_image_data(jpeg) + 1; size < jpeg.size() - 2; ++size) {
      const File cut =
          joined(File(jpeg.begin(), jpeg.begin() + static_cast<ptrdiff_t>(size)), File(4096, std::byte{0}));
      EXPECT_EQ(status_of(cut, std::nullopt).code(), StatusCode::kDataLoss) << size;
      EXPECT_EQ(status_of(cut, Window{0, 0, 8, 8}).code(), StatusCode::kDataLoss) << size;
    }
  }
}

/// Each scan of these is whole; which ones are missing is known from what the last ones would have told.
TEST(JpegEndingTest, MissingScansAreMissed) {
  for (const JpegOptions& kind : huffman_kinds()) {
    const File jpeg = test_jpeg(kind);
    const std::string_view text(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
    for (size_t at = first_image_data(jpeg); at + 1 < jpeg.size() - 2; ++at) {
      const auto marker = static_cast<uint8_t>(text[at + 1]);
      if (text[at] != '\xFF' || marker < 0xC0 || (marker >= 0xD0 && marker <= 0xD9)) {
        continue;
      }
      const File cut(jpeg.begin(), jpeg.begin() + static_cast<ptrdiff_t>(at));
      for (const auto& window : kWindows) {
        EXPECT_THAT(std::string(message(status_of(cut, window))),
                    HasSubstr(fmt::format("truncated at byte {}", at)));
      }
      EXPECT_EQ(status_of(joined(cut, text_bytes("a trailer")), std::nullopt).code(), StatusCode::kDataLoss);
    }
  }
}

/// Data that is left over in front of the end marker is damage as ever.
TEST(JpegEndingTest, DataInFrontOfTheEndMarkerIsNoTrailer) {
  for (const JpegOptions& kind : huffman_kinds()) {
    const File jpeg = test_jpeg(kind);
    for (const File& trailer : {bytes_of_numbers({1, 2, 3}), bytes_of_numbers({1, 0xFF, 0, 0xFF, 0xD2, 5})}) {
      const File longer = joined(joined(without_end(jpeg), trailer), bytes_of_numbers({0xFF, 0xD9}));
      EXPECT_THAT(std::string(message(status_of(longer, std::nullopt))),
                  HasSubstr("JPEG is broken near byte"));
    }
  }
}

/// libjpeg decodes them, and does not tell where their data ends.
TEST(JpegEndingTest, ArithmeticImagesNeedTheirEndMarker) {
  JpegOptions kind{kHeight, kWidth, 3, 2, 2};
  kind.is_arithmetic = true;
  const File file = without_end(test_jpeg(kind));
  for (const auto& window : kWindows) {
    EXPECT_THAT(std::string(message(status_of(file, window))),
                HasSubstr(fmt::format("truncated at byte {}: its end marker is missing", file.size())));
  }
}

}  // namespace
}  // namespace forebay::codec
