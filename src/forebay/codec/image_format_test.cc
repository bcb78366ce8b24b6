#include "forebay/codec/image_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "forebay/codec/image_decoder.h"

namespace forebay::codec {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// A TGA of 5 x 3 pixels with its header and no more than zeros behind it.
std::string tga_of(int type, int bits, bool has_palette = false) {
  std::string tga(18 + 60, '\0');
  tga[1] = has_palette ? 1 : 0;
  tga[2] = static_cast<char>(type);
  tga[5] = has_palette ? 16 : 0;
  tga[7] = has_palette ? 24 : 0;
  tga[12] = 5;
  tga[14] = 3;
  tga[16] = static_cast<char>(bits);
  return tga;
}

const std::string kTgaFooter = "\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0"s;

struct Sample {
  std::string bytes;
  ImageFormat format;
};

const Sample kSamples[] = {
    {"\xff\xd8\xff\xe0"s, ImageFormat::kJpeg},
    {"\x89PNG\r\n\x1a\n"s, ImageFormat::kPng},
    {"II*\0...."s, ImageFormat::kTiff},
    {"MM\0*...."s, ImageFormat::kTiff},
    {"BM"s + std::string(40, 'x'), ImageFormat::kBmp},
    {"RIFF....WEBPVP8 "s, ImageFormat::kWebp},
    {"\0\0\0\x0cjP  \r\n\x87\n"s, ImageFormat::kJpeg2000},
    {"\xff\x4f\xff\x51..."s, ImageFormat::kJpeg2000},
    {"P6\n3 2 255\n"s, ImageFormat::kPnm},
    {"GIF89a..."s, ImageFormat::kGif},
    {"\0\0\0 ftypavif...."s, ImageFormat::kAvif},
    {"\0\0\0 ftypheic...."s, ImageFormat::kHeif},
    {"\0\0\0\x1c"
     "ftypmif1....mif1avifmiaf"s,
     ImageFormat::kAvif},
    {"\0\0\0\x0cJXL \r\n\x87\n"s, ImageFormat::kJpegXl},
    {"\xff\x0a...."s, ImageFormat::kJpegXl},
    {"II\xbc\x01...."s, ImageFormat::kJpegXr},
    {"\xff\xd8\xff\xf7...."s, ImageFormat::kJpegLs},
    {"8BPS\0\1"s, ImageFormat::kPsd},
    {"\0\0\1\0\1\0"s, ImageFormat::kIco},
    {"\0\0\1\0\2\0 \0\0\1\0 \0"s + std::string(40, 'x'), ImageFormat::kIco},
    {"\0\0\2\0\1\0\x20\x20\0\0\1\0\1\0\x30\1\0\0\x16\0\0\0"s + std::string(40, 'x'), ImageFormat::kIco},
    {tga_of(1, 8, true), ImageFormat::kTga},
    {tga_of(2, 24), ImageFormat::kTga},
    {tga_of(2, 32), ImageFormat::kTga},
    {tga_of(2, 24, true), ImageFormat::kTga},
    {tga_of(3, 8), ImageFormat::kTga},
    {tga_of(9, 8, true), ImageFormat::kTga},
    {tga_of(10, 16), ImageFormat::kTga},
    {tga_of(11, 8), ImageFormat::kTga},
    {tga_of(2, 24) + kTgaFooter, ImageFormat::kTga},
    {tga_of(99, 24) + kTgaFooter, ImageFormat::kTga},
    {"\x76\x2f\x31\x01"s, ImageFormat::kOpenExr},
    {"#?RADIANCE\n"s, ImageFormat::kRadiance},
    {"qoif...."s, ImageFormat::kQoi},
    {"DDS |..."s, ImageFormat::kDds},
    {"SIMPLE  =        T"s, ImageFormat::kFits},
    {std::string(128, '\0') + "DICM", ImageFormat::kDicom},
    {"<svg xmlns="s, ImageFormat::kSvg},
    {"%PDF-1.7"s, ImageFormat::kPdf},
    {""s, ImageFormat::kUnknown},
    {"P"s, ImageFormat::kUnknown},
    {"RIFF....WAVE"s, ImageFormat::kUnknown},
    {"hello, world"s, ImageFormat::kUnknown},
    {std::string(60, '\0'), ImageFormat::kUnknown},
    {tga_of(2, 7), ImageFormat::kUnknown},
    {tga_of(1, 8), ImageFormat::kUnknown},
    {"\0\0\2\0\0\0"s, ImageFormat::kUnknown},
};

TEST(ImageFormatTest, IsToldByContent) {
  for (const Sample& sample : kSamples) {
    EXPECT_EQ(image_format_of(bytes_of(sample.bytes)), sample.format) << name_of(sample.format);
  }
}

TEST(ImageFormatTest, KnownFormatsWithoutDecoderAreNamed) {
  for (const Sample& sample : kSamples) {
    const Status status = read_image_header(bytes_of(sample.bytes)).status();
    if (can_decode(sample.format) || sample.format == ImageFormat::kUnknown) {
      EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
    } else {
      EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << status;
      EXPECT_NE(message(status).find(name_of(sample.format)), std::string_view::npos) << status;
    }
  }
}

TEST(ImageFormatTest, WhatIsNoImageIsDescribed) {
  const auto error_of = [](const std::string& text) {
    return std::string(message(read_image_header(bytes_of(text)).status()));
  };
  EXPECT_THAT(error_of(""), HasSubstr("the sample of 0 bytes is empty"));
  EXPECT_THAT(error_of("<!DOCTYPE html>"), HasSubstr("HTML text"));
  EXPECT_THAT(error_of("version https://git-lfs.github.com/spec/v1"), HasSubstr("Git LFS"));
  EXPECT_THAT(error_of("\0\0\0 ftypisom...."s), HasSubstr("MP4"));
  EXPECT_THAT(error_of("ab\xff"), HasSubstr("begins with the bytes 61 62 FF"));
}

}  // namespace
}  // namespace forebay::codec
