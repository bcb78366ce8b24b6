// Which image format bytes are in, told by their content: file names and media types lie.
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
};

/// The format by the first bytes ("magic numbers" of each format's specification); kUnknown when none fits.
ImageFormat image_format_of(Bytes bytes);

/// "JPEG", "PNG", "JPEG 2000", ...
std::string_view name_of(ImageFormat format);

/// What bytes of kUnknown format seem to be, for an error: "empty", "HTML text", "a gzip archive", "begin
/// with 61 62".
std::string describe_unknown(Bytes bytes);

}  // namespace forebay::codec
