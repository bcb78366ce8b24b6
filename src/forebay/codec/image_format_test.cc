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
