// Whether a file was compressed as a whole, told by its first bytes. In such a file no sample can be read at
// its place.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

/// What a file that begins so was compressed with: "gzip", "zstd", "xz", "bzip2", "lz4" or "zlib"; nothing if
/// it was not.
std::optional<std::string_view> compressor_of(Bytes beginning);

/// invalid_argument that says what to do if the file was compressed as a whole; otherwise ok, or the error of
/// reading it. For files that turn out not to be what they are taken for: bytes that begin so may be meant
/// so.
Status check_not_compressed(const ByteSource& file, std::string_view name);

}  // namespace forebay::dataset
