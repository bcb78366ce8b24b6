// Damage to the image data of JPEGs: detectable damage is an error that names it, and undetectable damage
// gives the same pixels as libjpeg.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/encode_jpeg.h"

namespace forebay::codec {
namespace {

using ::testing::HasSubstr;
using testing::JpegOptions;
using testing::plain_jpeg_pixels;
using testing::test_jpeg;

using File = std::vector<std::byte>;

void append(File& file, std::initializer_list<int> bytes) {
  for (const int byte : bytes) {
    file.push_back(static_cast<std::byte>(byte));
  }
}

/// Appends the bits of `text`, such as "01 1", padded with ones; 0xFF is stuffed.
void append_bits(File& file, const std::string& text) {
  unsigned byte = 0;
  int count = 0;
  const auto add = [&](unsigned bit) {
    byte = byte << 1 | bit;
    if (++count == 8) {
      append(file, {static_cast<int>(byte)});
      if (byte == 0xFF) {
        append(file, {0});
      }
      byte = 0;
      count = 0;
    }
  };
  for (const char letter : text) {
    if (letter != ' ') {
      add(letter == '1' ? 1 : 0);
    }
  }
  while (count != 0) {
    add(1);
  }
}

/// Grey, 8 x 8, quantisers of 1. DC codes: 0: no difference, 10: a difference of 11 bits. AC codes: 0: 15
/// zeros and a 1-bit value, 10: end of block, 1100: 16 zeros, 1101: a run of 1 without a value, which is
/// invalid.
File tiny_jpeg(const std::string& bits) {
  File file;
  append(file, {0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0});
  for (int i = 0; i < 64; ++i) {
    append(file, {1});
  }
  append(file, {0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0});
  append(file, {0xFF, 0xC4, 0, 21, 0x00, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11});
  append(file,
         {0xFF, 0xC4, 0, 23, 0x10, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF1, 0x00, 0xF0, 0x10});
  append(file, {0xFF, 0xDA, 0, 8, 1, 1, 0x00, 0, 63, 0});
  append_bits(file, bits);
  append(file, {0xFF, 0xD9});
  return file;
}

std::string error_of(Bytes file, const ImageDecodeOptions& options = {}) {
  const Status status = decode_image(file, options).status();
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kDataLoss) << status;
  return std::string(message(status));
}

TEST(JpegDamageTest, IsNamed) {
  EXPECT_EQ(error_of(tiny_jpeg("0 10")), "");
  EXPECT_EQ(error_of(tiny_jpeg("0 01 01 01 10")), "");
  EXPECT_EQ(error_of(tiny_jpeg("0 1100 1100 1100 10")), "");
  EXPECT_THAT(error_of(tiny_jpeg("0 01 01 01 01")), HasSubstr("zeros beyond the last coefficient"));
  EXPECT_THAT(error_of(tiny_jpeg("0 01 01 01 1100")), HasSubstr("zeros beyond the last coefficient"));
  EXPECT_THAT(error_of(tiny_jpeg("0 1101 10101010 10101010")), HasSubstr("no Huffman code"));
  EXPECT_THAT(error_of(tiny_jpeg("0 1110 10101010 10101010")), HasSubstr("no Huffman code"));
  EXPECT_THAT(error_of(tiny_jpeg("11 10101010 10101010")), HasSubstr("no Huffman code"));
  EXPECT_EQ(error_of(tiny_jpeg("10 10000000000 10")), "") << "a difference of 1024";
  EXPECT_THAT(error_of(tiny_jpeg("10 10001000000 10")), HasSubstr("mean is out of range"));
  EXPECT_THAT(error_of(tiny_jpeg("0 01 01")), HasSubstr("ends before the last block"));
  EXPECT_THAT(error_of(tiny_jpeg("0 10 11111 10000000 1")), HasSubstr("data behind the last block"));
}

struct ScanOfBand {
  int first;
  int last;
  int high_bit;  // so far; 0 in the first scan of the band
  int low_bit;
  std::string bits;
};

/// Grey, progressive, two blocks beside each other, quantisers of 1; a scan of means without a difference,
/// then `bands`. Codes: 0: a value of 1 bit, 10: the end of the block, 1100: 16 zeros, 1101: the end of two
/// or three blocks, by a bit, 1110: a value of 2 bits.
File tiny_progressive_jpeg(const std::vector<ScanOfBand>& bands) {
  File file;
  append(file, {0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0});
  for (int i = 0; i < 64; ++i) {
    append(file, {1});
  }
  append(file, {0xFF, 0xC2, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0});
  append(file, {0xFF, 0xC4, 0, 20, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  append(file, {0xFF, 0xC4, 0, 24, 0x10, 1, 1, 0, 3,    0,    0,    0,    0,
                0,    0,    0, 0,  0,    0, 0, 0, 0x01, 0x00, 0xF0, 0x10, 0x02});
  append(file, {0xFF, 0xDA, 0, 8, 1, 1, 0x00, 0, 0, 0x00});
  append_bits(file, "0 0");
  for (const ScanOfBand& band : bands) {
    append(file, {0xFF, 0xDA, 0, 8, 1, 1, 0x00, band.first, band.last, band.high_bit << 4 | band.low_bit});
    append_bits(file, band.bits);
  }
  append(file, {0xFF, 0xD9});
  return file;
}

std::string error_of_band(const std::string& bits) {
  return error_of(tiny_progressive_jpeg({{1, 5, 0, 0, bits}}));
}

TEST(JpegDamageTest, OfProgressiveImagesIsNamed) {
  EXPECT_EQ(error_of_band("10 10"), "");
  EXPECT_EQ(error_of_band("1101 0"), "") << "two blocks end";
  EXPECT_EQ(error_of_band("01 00 01 01 00 10"), "");
  EXPECT_THAT(error_of_band("1101 1"), HasSubstr("blocks beyond the last block"));
  EXPECT_THAT(error_of_band("10 1101 0"), HasSubstr("blocks beyond the last block"));
  EXPECT_THAT(error_of_band("10 1100"), HasSubstr("zeros beyond the last coefficient"));
  EXPECT_THAT(error_of_band("10 1111 1010 10101010 10101010"), HasSubstr("no Huffman code"));
  EXPECT_THAT(error_of_band("01 01"), HasSubstr("ends before the last block"));
  EXPECT_THAT(error_of_band("10 10 1111 10000000"), HasSubstr("data behind the last block"));
}

std::string error_of_refinement(const std::string& bits) {
  return error_of(tiny_progressive_jpeg({{1, 5, 0, 1, "01 10 10"}, {1, 5, 1, 0, bits}}));
}

TEST(JpegDamageTest, OfRefinementsIsNamed) {
  EXPECT_EQ(error_of_refinement("10 1 10"), "") << "a bit for the coefficient that is there";
  EXPECT_EQ(error_of_refinement("0 1 1 10 10"), "") << "and a new one behind it";
  EXPECT_EQ(error_of_refinement("1101 0 1"), "");
  EXPECT_THAT(error_of_refinement("1101 1 1"), HasSubstr("blocks beyond the last block"));
  EXPECT_THAT(error_of_refinement("10 1 1100"), HasSubstr("zeros beyond the last coefficient"));
  EXPECT_THAT(error_of_refinement("10 1 1110 10101010 10101010"), HasSubstr("no Huffman code"));
}

/// Scans of a few bytes that pass over all blocks, as many as one likes.
TEST(JpegDamageTest, MoreScansThanPicturesHaveAreRefused) {
  const File jpeg = tiny_progressive_jpeg(std::vector<ScanOfBand>(300, {1, 5, 0, 0, "1101 0"}));
  const Status status = decode_image(jpeg).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(status)), HasSubstr("max_scans"));
  ImageDecodeOptions options;
  options.limits.max_scans = 400;
  EXPECT_EQ(error_of(jpeg, options), "");
}

/// What our decoders make of such files is what libjpeg makes of them.
TEST(JpegDamageTest, WhatIsWholeIsDecodedAsLibjpegDoes) {
  for (const char* const bits : {"10 1 10", "10 0 10", "0 1 1 10 10", "0 0 0 0 1 10 10", "1101 0 1"}) {
    const File jpeg = tiny_progressive_jpeg({{1, 5, 0, 1, "01 10 10"}, {1, 5, 1, 0, bits}});
    const auto image = decode_image(jpeg);
    ASSERT_TRUE(image.ok()) << bits << ": " << image.status();
    EXPECT_TRUE(std::ranges::equal(image->view().span<uint8_t>(), plain_jpeg_pixels(jpeg, OutputType::kRgb)))
        << bits;
  }
}

TEST(JpegDamageTest, WhatFillsTheLastByteMayBeAnything) {
  EXPECT_EQ(error_of(tiny_jpeg("0 10 00000")), "");
  EXPECT_EQ(error_of(tiny_jpeg("0 10 10010")), "");
}

File with_bytes_at_end(File jpeg, std::initializer_list<int> bytes) {
  jpeg.resize(jpeg.size() - 2);
  append(jpeg, bytes);
  append(jpeg, {0xFF, 0xD9});
  return jpeg;
}

TEST(JpegDamageTest, DataBehindTheLastBlockIsAnErrorAndZerosAreNot) {
  for (const bool is_progressive : {false, true}) {
    JpegOptions kind{40, 56, 3, 2, 2};
    kind.is_progressive = is_progressive;
    const File jpeg = test_jpeg(kind);
    EXPECT_EQ(error_of(with_bytes_at_end(jpeg, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})), "");
    const File longer = with_bytes_at_end(jpeg, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    EXPECT_THAT(error_of(longer), HasSubstr("JPEG is broken near byte"));
    EXPECT_EQ(error_of(with_bytes_at_end(jpeg, {0xFF, 0xFF, 0xFF})), "")
        << "markers may have these before them";
  }
}

TEST(JpegDamageTest, RestartMarkersCount) {
  JpegOptions kind{64, 64};
  kind.restart_interval = 4;
  File jpeg = test_jpeg(kind);
  std::vector<size_t> markers;
  for (size_t at = 0; at + 1 < jpeg.size(); ++at) {
    const int code = static_cast<int>(jpeg[at + 1]);
    if (jpeg[at] == std::byte{0xFF} && code >= 0xD0 && code <= 0xD7) {
      markers.push_back(at + 1);
    }
  }
  ASSERT_EQ(markers.size(), 15u);
  EXPECT_EQ(error_of(jpeg), "");
  File wrong = jpeg;
  std::swap(wrong[markers[3]], wrong[markers[4]]);
  EXPECT_THAT(error_of(wrong), HasSubstr("not the restart marker that is due"));
  File longer = jpeg;
  longer.insert(longer.begin() + markers[5] - 1, {std::byte{1}, std::byte{2}});
  EXPECT_THAT(error_of(longer), HasSubstr("data behind the last block"));
  File shorter = jpeg;
  shorter.erase(shorter.begin() + markers[5] + 1,
                shorter.begin() + markers[6] + 1);  // removes an interval
  EXPECT_THAT(error_of(shorter), HasSubstr("not the restart marker that is due"));
}

TEST(JpegDamageTest, AWindowReportsWhatItReads) {
  const File jpeg = with_bytes_at_end(test_jpeg({200, 200, 3, 2, 2}), {1, 2, 3});
  ImageDecodeOptions options;
  options.window = Window{40, 40, 64, 64};
  EXPECT_EQ(error_of(jpeg, options), "");
  options.window = Window{136, 40, 64, 64};
  EXPECT_THAT(error_of(jpeg, options), HasSubstr("data behind the last block"));
}

struct Outcome {
  int found = 0;
  int passed_with_much = 0;  // a tenth of the values differ
};

/// Where the header of the first scan begins.
size_t first_scan(const File& jpeg) {
  const std::string_view text(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
  return text.find("\xFF\xDA");
}

Outcome flip_bits(const File& jpeg, int rounds) {
  std::mt19937 random(5);
  const auto right = plain_jpeg_pixels(jpeg, OutputType::kRgb);
  const size_t first = first_scan(jpeg) + 14;
  Outcome outcome;
  for (int i = 0; i < rounds; ++i) {
    File damaged = jpeg;
    damaged[first + random() % (jpeg.size() - 2 - first)] ^= std::byte(1 << random() % 8);
    const auto image = decode_image(damaged);
    if (!image.ok()) {
      EXPECT_EQ(image.status().code(), StatusCode::kDataLoss) << image.status();
      ++outcome.found;
      continue;
    }
    const auto pixels = image->view().span<uint8_t>();
    const auto wrong = plain_jpeg_pixels(damaged, OutputType::kRgb);
    EXPECT_TRUE(std::ranges::equal(pixels, wrong)) << "flip " << i;
    size_t changed = 0;
    for (size_t at = 0; at < right.size(); ++at) {
      changed += right[at] != wrong[at] ? 1 : 0;
    }
    outcome.passed_with_much += changed * 10 > right.size() ? 1 : 0;
  }
  return outcome;
}

TEST(JpegDamageTest, OfFlippedBitsManyAreFoundAndTheRestIsLibjpegs) {
  for (const bool is_progressive : {false, true}) {
    for (const int restart_interval : {0, 7}) {
      JpegOptions kind{160, 200, 3, 2, 2};
      kind.is_progressive = is_progressive;
      kind.restart_interval = restart_interval;
      const Outcome outcome = flip_bits(test_jpeg(kind), 300);
      EXPECT_GT(outcome.found, is_progressive ? 110 : 75) << restart_interval;
      EXPECT_LT(outcome.passed_with_much, 60) << restart_interval;
      RecordProperty("found", outcome.found);
      RecordProperty("passed_with_much", outcome.passed_with_much);
    }
  }
}

}  // namespace
}  // namespace forebay::codec
