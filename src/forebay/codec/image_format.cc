#include "forebay/codec/image_format.h"

#include <algorithm>
#include <array>

#include "forebay/base/status.h"
#include "forebay/codec/byte_text.h"

namespace forebay::codec {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  ImageFormat format;
  size_t offset = 0;
};

/// In the order in which they are tried, because JPEG-LS begins like JPEG.
constexpr Magic kMagics[] = {
    {"\xff\xd8\xff\xf7"sv, ImageFormat::kJpegLs},
    {"\xff\xd8\xff"sv, ImageFormat::kJpeg},
    {"\x89PNG\r\n\x1a\n"sv, ImageFormat::kPng},
    {"II*\0"sv, ImageFormat::kTiff},
    {"MM\0*"sv, ImageFormat::kTiff},
    {"II+\0"sv, ImageFormat::kTiff},  // BigTIFF, for more than 4 GiB
    {"MM\0+"sv, ImageFormat::kTiff},
    {"\0\0\0\x0cjP  \r\n\x87\n"sv, ImageFormat::kJpeg2000},
    {"\xff\x4f\xff\x51"sv, ImageFormat::kJpeg2000},  // without a container
    {"GIF87a"sv, ImageFormat::kGif},
    {"GIF89a"sv, ImageFormat::kGif},
    {"\0\0\0\x0cJXL \r\n\x87\n"sv, ImageFormat::kJpegXl},
    {"\xff\x0a"sv, ImageFormat::kJpegXl},  // without a container
    {"II\xbc\x01"sv, ImageFormat::kJpegXr},
    {"8BPS"sv, ImageFormat::kPsd},
    {"\x76\x2f\x31\x01"sv, ImageFormat::kOpenExr},
    {"#?RADIANCE"sv, ImageFormat::kRadiance},
    {"#?RGBE"sv, ImageFormat::kRadiance},
    {"qoif"sv, ImageFormat::kQoi},
    {"DDS "sv, ImageFormat::kDds},
    {"SIMPLE  ="sv, ImageFormat::kFits},
    {"DICM"sv, ImageFormat::kDicom, 128},
    {"%PDF-"sv, ImageFormat::kPdf},
    {"<svg"sv, ImageFormat::kSvg},
};

struct ForeignMagic {
  std::string_view bytes;
  std::string_view name;
  size_t offset = 0;
};

/// Other formats that are often found in place of an image.
constexpr ForeignMagic kForeignMagics[] = {
    {"\x1f\x8b"sv, "a gzip archive"},
    {"PK\x03\x04"sv, "a ZIP archive"},
    {"\x93NUMPY"sv, "a NumPy array"},
    {"ustar"sv, "a tar archive", 257},
    {"\x28\xb5\x2f\xfd"sv, "Zstandard data"},
    {"RIFF"sv, "a RIFF file (sound or video)"},
    {"ftyp"sv, "a video (MP4 or QuickTime)", 4},
    {"\x1a\x45\xdf\xa3"sv, "a video (Matroska or WebM)"},
    {"\x7f"
     "ELF"sv,
     "a program"},
    {"version https://git-lfs"sv, "a pointer of Git LFS, whose file was not fetched"},
    {"<?xml"sv, "XML text"},
    {"<!DOCTYPE"sv, "HTML text, as servers send instead of a file"},
    {"<!doctype"sv, "HTML text, as servers send instead of a file"},
    {"<html"sv, "HTML text, as servers send instead of a file"},
    {"<HTML"sv, "HTML text, as servers send instead of a file"},
    {"{"sv, "JSON text"},
};

bool is_pnm(Bytes bytes) {
  if (bytes.size() < 3 || bytes[0] != std::byte('P')) {
    return false;
  }
  const char kind = static_cast<char>(bytes[1]);
  const char blank = static_cast<char>(bytes[2]);
  return kind >= '1' && kind <= '7' &&
         (blank == ' ' || blank == '\t' || blank == '\n' || blank == '\r' || blank == '#');
}

/// The ISO base media format (ISO/IEC 14496-12): the first box names the file's type, then others that it
/// conforms to.
ImageFormat iso_media_format(Bytes bytes) {
  if (!has_text(bytes, 4, "ftyp")) {
    return ImageFormat::kUnknown;
  }
  const size_t end = static_cast<size_t>(bytes[2]) << 8 | static_cast<size_t>(bytes[3]);
  for (const std::string_view brand : {"avif", "avis"}) {
    for (size_t at = 8; at == 8 || at + brand.size() <= end; at += brand.size()) {
      if (has_text(bytes, at, brand)) {
        return ImageFormat::kAvif;
      }
    }
  }
  for (const std::string_view brand : {"heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"}) {
    if (has_text(bytes, 8, brand)) {
      return ImageFormat::kHeif;
    }
  }
  return ImageFormat::kUnknown;
}

/// An icon or a cursor. The number of pictures follows, which tells them from a TGA.
bool is_ico(Bytes bytes) {
  const bool is_begun = begins_with(bytes, "\0\0\1\0"sv) || begins_with(bytes, "\0\0\2\0"sv);
  return is_begun && bytes.size() >= 6 && (bytes[4] != std::byte{0} || bytes[5] != std::byte{0});
}

/// A TGA need not begin with bytes of its own: its footer tells it, or a header (Truevision TGA 2.0) whose
/// fields agree with each other.
bool is_tga(Bytes bytes) {
  constexpr size_t kHeaderBytes = 18;
  constexpr auto kFooter = "TRUEVISION-XFILE.\0"sv;
  if (bytes.size() < kHeaderBytes) {
    return false;
  }
  if (has_text(bytes, bytes.size() - kFooter.size(), kFooter)) {
    return true;
  }
  const auto value = [&](size_t at) { return static_cast<int>(bytes[at]); };
  const auto is_colour_depth = [](int bits) { return bits == 15 || bits == 16 || bits == 24 || bits == 32; };
  const bool has_palette = value(1) == 1;
  const bool has_palette_size = value(5) != 0 || value(6) != 0;
  const bool is_palette_right = has_palette
                                    ? has_palette_size && is_colour_depth(value(7))
                                    : value(1) == 0 && value(3) == 0 && value(4) == 0 && !has_palette_size;
  const bool has_size = (value(12) != 0 || value(13) != 0) && (value(14) != 0 || value(15) != 0);
  const int bits = value(16);
  const int kind = value(2) & ~8;  // with runs or without
  const bool is_kind_right = (kind == 1 && has_palette && (bits == 8 || bits == 16)) ||
                             (kind == 2 && is_colour_depth(bits)) || (kind == 3 && (bits == 8 || bits == 16));
  const int flags = value(17);  // bits of alpha, and two bits that are zero
  return is_palette_right && has_size && is_kind_right && (flags & 0xC0) == 0 && (flags & 15) <= 8;
}

}  // namespace

ImageFormat image_format_of(Bytes bytes) {
  for (const Magic& magic : kMagics) {
    if (has_text(bytes, magic.offset, magic.bytes)) {
      return magic.format;
    }
  }
  if (begins_with(bytes, "RIFF"sv) && has_text(bytes, 8, "WEBP"sv)) {
    return ImageFormat::kWebp;
  }
  if (is_pnm(bytes)) {
    return ImageFormat::kPnm;
  }
  if (begins_with(bytes, "BM"sv) && bytes.size() >= 26) {
    return ImageFormat::kBmp;
  }
  if (is_ico(bytes)) {
    return ImageFormat::kIco;
  }
  const ImageFormat format = iso_media_format(bytes);
  return format == ImageFormat::kUnknown && is_tga(bytes) ? ImageFormat::kTga : format;
}

std::string_view name_of(ImageFormat format) {
  constexpr std::array<std::string_view, 25> kNames = {
      "unknown", "JPEG",      "PNG",          "TIFF",    "BMP",
      "WebP",    "JPEG 2000", "PNM",          "GIF",     "AVIF",
      "HEIF",    "JPEG XL",   "JPEG XR",      "JPEG-LS", "Photoshop (PSD)",
      "ICO",     "OpenEXR",   "Radiance HDR", "QOI",     "DDS",
      "FITS",    "DICOM",     "SVG",          "PDF",     "TGA"};
  return kNames[static_cast<size_t>(format)];
}

std::string describe_unknown(Bytes bytes) {
  if (bytes.empty()) {
    return "is empty";
  }
  for (const ForeignMagic& magic : kForeignMagics) {
    if (has_text(bytes, magic.offset, magic.bytes)) {
      return fmt::format("seems to be {}", magic.name);
    }
  }
  const Bytes first = bytes.first(std::min<size_t>(bytes.size(), 8));
  std::string text = "begins with the bytes";
  for (const std::byte byte : first) {
    text += fmt::format(" {:02X}", static_cast<int>(byte));
  }
  return text;
}

}  // namespace forebay::codec
