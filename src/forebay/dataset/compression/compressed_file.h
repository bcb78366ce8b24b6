// Whether a file was compressed as a whole, told by its first bytes. In such a file no sample can be read at
// its place.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

/// What a file that begins so was compressed with: "gzip", "zstd", "xz", "bzip2" or "lz4"; nothing if it was
/// not.
std::optional<std::string_view> compressor_of(Bytes beginning);

/// Whether it begins as zlib's streams do, by two bytes that much else may begin with.
bool may_be_zlib(Bytes beginning);

/// invalid_argument that says what to do if the file was compressed as a whole; otherwise ok, or the error of
/// reading it. For files that turn out not to be what they are taken for: bytes that begin so may be meant
/// so. `is_zlib_likely`: two bytes are enough for zlib.
Status check_not_compressed(const ByteSource& file, std::string_view name, bool is_zlib_likely = false);

}  // namespace forebay::dataset
