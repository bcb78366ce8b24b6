// Detects an image's format from its content, because file names and media types may be wrong.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

enum class ImageFormat {
  kUnknown,
  kJpeg,
  kPng,
  kTiff,
  kBmp,
  kWebp,
  kJpeg2000,
  kPnm,
  kGif,
  kAvif,
  kHeif,
  kJpegXl,
  kJpegXr,
  kJpegLs,
  kPsd,
  kIco,
  kOpenExr,
  kRadiance,
  kQoi,
  kDds,
  kFits,
  kDicom,
  kSvg,
  kPdf,
  kTga,
};

/// The format according to the first bytes ("magic numbers" of each format's specification); kUnknown if none
/// matches.
ImageFormat image_format_of(Bytes bytes);

/// "JPEG", "PNG", "JPEG 2000", ...
std::string_view name_of(ImageFormat format);

/// Describes bytes of kUnknown format for an error message: "empty", "HTML text", "a gzip archive", "begin
/// with 61 62".
std::string describe_unknown(Bytes bytes);

}  // namespace forebay::codec
