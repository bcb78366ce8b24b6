// Chunks that change no pixel: many of them, those in the wrong place and damaged ones are skipped; palettes
// that are longer than needed.
#include "forebay/codec/png/png_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/encode_png.h"
#include "forebay/codec/testing/exif_block.h"

namespace forebay::codec {
namespace {

using testing::append_png_chunk;
using ::testing::HasSubstr;
using testing::PngOptions;

using File = std::vector<std::byte>;
constexpr size_t kAfterHeader = kPngSignatureBytes + kPngChunkFrameBytes + 13;

Bytes bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// An image with a palette, inflated at once or, if interlaced, by libspng itself.
File palette_picture(bool is_interlaced) {
  PngOptions options{20, 24, 3, 8, is_interlaced};
  options.palette = {{1, 2, 3}, {250, 4, 90}, {7, 200, 9}};
  return encode_png(testing::test_samples(options), options);
}

File with_inserted(const File& png, const File& chunks) {
  File result = png;
  result.insert(result.begin() + kAfterHeader, chunks.begin(), chunks.end());
  return result;
}

void expect_same_pixels(const File& png, const File& other) {
  const auto expected = decode_image(png);
  const auto image = decode_image(other);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_TRUE(std::ranges::equal(expected->bytes(), image->bytes()));
}

TEST(PngPiecesTest, ThousandsOfTextsAreRead) {
  File texts;
  for (int i = 0; i < 3000; ++i) {
    append_png_chunk(texts, "tEXt", bytes_of_text(std::string_view("Comment\0a text", 14)));
  }
  for (const bool is_interlaced : {false, true}) {
    const File png = palette_picture(is_interlaced);
    expect_same_pixels(png, with_inserted(png, texts));
  }
}

TEST(PngPiecesTest, TransparencyBeforeThePaletteIsRead) {
  File chunk;
  append_png_chunk(chunk, "tRNS", bytes_of_text("\x80\xff"));
  for (const bool is_interlaced : {false, true}) {
    const File png = palette_picture(is_interlaced);
    expect_same_pixels(png, with_inserted(png, chunk));
  }
}

/// A chunk whose checksum is wrong.
File damaged_chunk(std::string_view type, Bytes data) {
  File chunk;
  append_png_chunk(chunk, type, data);
  chunk.back() ^= std::byte{1};
  return chunk;
}

/// As libpng and OpenCV do: a damaged text is no reason to lose the picture.
TEST(PngPiecesTest, WhatChangesNoPixelMayHaveAWrongChecksum) {
  const File text = damaged_chunk("tEXt", bytes_of_text(std::string_view("Comment\0a text", 14)));
  for (const bool is_interlaced : {false, true}) {
    const File png = palette_picture(is_interlaced);
    expect_same_pixels(png, with_inserted(png, text));
    File behind = png;
    behind.insert(behind.end() - kPngChunkFrameBytes, text.begin(), text.end());
    expect_same_pixels(png, behind);
  }
}

TEST(PngPiecesTest, GammaAndOrientationOfAWrongChecksumAreLeftOut) {
  const auto exif = testing::exif_block(6, true);
  File chunks = damaged_chunk("gAMA", bytes_of_text(std::string_view("\0\1\x86\xa1", 4)));
  const File orientation = damaged_chunk("eXIf", std::as_bytes(std::span(exif)));
  chunks.insert(chunks.end(), orientation.begin(), orientation.end());
  ImageDecodeOptions grey;
  grey.output_type = OutputType::kGray;
  for (const bool is_interlaced : {false, true}) {
    const File png = palette_picture(is_interlaced);
    const File damaged = with_inserted(png, chunks);
    expect_same_pixels(png, damaged);
    EXPECT_EQ(pixels_of(damaged, grey), pixels_of(png, grey));
  }
}

TEST(PngPiecesTest, WhatIsNeededIsCheckedAllTheSame) {
  for (const std::string_view type : {"IHDR", "PLTE", "IDAT"}) {
    for (const bool is_interlaced : {false, true}) {
      File png = palette_picture(is_interlaced);
      const std::string_view text(reinterpret_cast<const char*>(png.data()), png.size());
      const size_t at = text.find(type);
      png[at + 4 + png_u32(png, at - 4) + 3] ^= std::byte{1};
      EXPECT_EQ(decode_image(png).status().code(), StatusCode::kDataLoss) << type;
    }
  }
}

TEST(PngPiecesTest, AChunkWithoutANameIsChecked) {
  const File chunk = damaged_chunk("t\1Xt", bytes_of_text("a text"));
  for (const bool is_interlaced : {false, true}) {
    const Status status = decode_image(with_inserted(palette_picture(is_interlaced), chunk)).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_THAT(message(status), HasSubstr("wrong checksum of the chunk at byte 33"));
  }
}

/// `png` with `count` colours in its palette, of which the first are those it had.
File with_longer_palette(const File& png, size_t count) {
  const std::string_view text(reinterpret_cast<const char*>(png.data()), png.size());
  const size_t at = text.find("PLTE") - 4;
  const size_t bytes = png_u32(png, at);
  File colours(png.begin() + at + 8, png.begin() + at + 8 + bytes);
  for (size_t i = colours.size(); i < 3 * count; ++i) {
    colours.push_back(static_cast<std::byte>(i * 7));
  }
  File chunk;
  append_png_chunk(chunk, "PLTE", colours);
  File result(png.begin(), png.begin() + at);
  result.insert(result.end(), chunk.begin(), chunk.end());
  result.insert(result.end(), png.begin() + at + kPngChunkFrameBytes + bytes, png.end());
  return result;
}

PngOptions small_palette(int bit_depth, bool is_interlaced) {
  PngOptions options{21, 27, 3, bit_depth, is_interlaced};
  for (int i = 0; i < 1 << bit_depth; ++i) {
    options.palette.push_back({static_cast<uint8_t>(9 * i), static_cast<uint8_t>(255 - i), 3});
  }
  return options;
}

TEST(PngPiecesTest, APaletteMayBeLongerThanItsIndices) {
  for (const int bit_depth : {1, 2, 4}) {
    for (const bool is_interlaced : {false, true}) {
      const PngOptions options = small_palette(bit_depth, is_interlaced);
      const File png = encode_png(testing::test_samples(options), options);
      for (const size_t count : {20, 256}) {
        const File longer = with_longer_palette(png, count);
        expect_same_pixels(png, longer);
        ImageDecodeOptions window;
        window.window = Window{5, 6, 7, 8};
        EXPECT_EQ(pixels_of(longer, window), pixels_of(png, window));
      }
    }
  }
}

TEST(PngPiecesTest, ALongerPaletteIsChecked) {
  for (const bool is_interlaced : {false, true}) {
    const PngOptions options = small_palette(4, is_interlaced);
    const File png = encode_png(testing::test_samples(options), options);
    EXPECT_FALSE(decode_image(with_longer_palette(png, 257)).ok());
    File damaged = with_longer_palette(png, 20);
    const std::string_view text(reinterpret_cast<const char*>(damaged.data()), damaged.size());
    damaged[text.find("PLTE") + 4 + 3 * 18] ^= std::byte{1};  // a colour that no index names
    EXPECT_EQ(decode_image(damaged).status().code(), StatusCode::kDataLoss);
  }
}

TEST(PngPiecesTest, UnknownChunksThatMatterAreAnError) {
  File chunk;
  append_png_chunk(chunk, "ABCD", bytes_of_text("what is this"));
  for (const bool is_interlaced : {false, true}) {
    EXPECT_EQ(decode_image(with_inserted(palette_picture(is_interlaced), chunk)).status().code(),
              StatusCode::kDataLoss);
  }
}

TEST(PngPiecesTest, ReadsPieceAfterPiece) {
  const std::string_view text = "abcdefgh";
  PngPieces pieces;
  pieces.add(bytes_of_text(text.substr(0, 2)));
  pieces.add(bytes_of_text(text.substr(2, 2)));  // continues where the previous read ended
  pieces.add(bytes_of_text(text.substr(6)));
  char read[6] = {};
  EXPECT_TRUE(pieces.read(read, 3));
  EXPECT_TRUE(pieces.read(read + 3, 3));
  EXPECT_EQ(std::string_view(read, 6), "abcdgh");
  EXPECT_FALSE(pieces.read(read, 1));
}

}  // namespace
}  // namespace forebay::codec
