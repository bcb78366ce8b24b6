#include "forebay/codec/image_format.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "forebay/codec/image_decoder.h"

namespace forebay::codec {
namespace {

using namespace std::string_literals;

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
    const bool is_offered = sample.format == ImageFormat::kJpeg || sample.format == ImageFormat::kPng;
    if (is_offered || sample.format == ImageFormat::kUnknown) {
      EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
    } else {
      EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << status;
      EXPECT_NE(message(status).find(name_of(sample.format)), std::string_view::npos) << status;
    }
  }
}

}  // namespace
}  // namespace forebay::codec
