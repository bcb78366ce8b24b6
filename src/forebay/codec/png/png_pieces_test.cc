// Chunks that change no pixel: many of them, and those in the wrong place, are skipped.
#include "forebay/codec/png/png_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/encode_png.h"

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

TEST(PngPiecesTest, WhatIsLeftOutIsCheckedAllTheSame) {
  File chunk;
  append_png_chunk(chunk, "tEXt", bytes_of_text(std::string_view("Comment\0a text", 14)));
  chunk[10] ^= std::byte{1};
  for (const bool is_interlaced : {false, true}) {
    const Status status = decode_image(with_inserted(palette_picture(is_interlaced), chunk)).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_THAT(message(status), HasSubstr("wrong checksum of the tEXt chunk at byte 33"));
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
