#include "forebay/codec/image_format.h"

#include <algorithm>

namespace forebay::codec {
namespace {

bool starts_with(Bytes bytes, std::string_view magic, size_t offset = 0) {
  return bytes.size() >= offset + magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin() + offset,
                    [](char expected, std::byte found) { return std::byte(expected) == found; });
}

bool is_pnm(Bytes bytes) {
  if (bytes.size() < 3 || bytes[0] != std::byte('P')) {
    return false;
  }
  const char kind = static_cast<char>(bytes[1]);
  const char blank = static_cast<char>(bytes[2]);
  return kind >= '1' && kind <= '7' &&
         (blank == ' ' || blank == '\t' || blank == '\n' || blank == '\r' || blank == '#');
}

}  // namespace

ImageFormat image_format_of(Bytes bytes) {
  using namespace std::string_view_literals;
  if (starts_with(bytes, "\xff\xd8\xff"sv)) {
    return ImageFormat::kJpeg;
  }
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n"sv)) {
    return ImageFormat::kPng;
  }
  if (starts_with(bytes, "II*\0"sv) || starts_with(bytes, "MM\0*"sv) || starts_with(bytes, "II+\0"sv) ||
      starts_with(bytes, "MM\0+"sv)) {
    return ImageFormat::kTiff;
  }
  if (starts_with(bytes, "RIFF"sv) && starts_with(bytes, "WEBP"sv, 8)) {
    return ImageFormat::kWebp;
  }
  if (starts_with(bytes, "\0\0\0\x0cjP  \r\n\x87\n"sv) || starts_with(bytes, "\xff\x4f\xff\x51"sv)) {
    return ImageFormat::kJpeg2000;
  }
  if (starts_with(bytes, "GIF87a"sv) || starts_with(bytes, "GIF89a"sv)) {
    return ImageFormat::kGif;
  }
  if (is_pnm(bytes)) {
    return ImageFormat::kPnm;
  }
  if (starts_with(bytes, "BM"sv) && bytes.size() >= 26) {
    return ImageFormat::kBmp;
  }
  return ImageFormat::kUnknown;
}

std::string_view name_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg:
      return "JPEG";
    case ImageFormat::kPng:
      return "PNG";
    case ImageFormat::kTiff:
      return "TIFF";
    case ImageFormat::kBmp:
      return "BMP";
    case ImageFormat::kWebp:
      return "WebP";
    case ImageFormat::kJpeg2000:
      return "JPEG 2000";
    case ImageFormat::kPnm:
      return "PNM";
    case ImageFormat::kGif:
      return "GIF";
    case ImageFormat::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace forebay::codec
