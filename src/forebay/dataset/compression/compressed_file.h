// Whether a file was compressed as a whole, told by its first bytes. In such a file no sample can be read at
// its place.
#pragma once

#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

/// invalid_argument that says what to do if the file was compressed as a whole; otherwise ok, or the error of
/// reading it. For files that turn out not to be what they are taken for: bytes that begin so may be meant
/// so. `is_zlib_likely`: two bytes are enough for zlib.
Status check_not_compressed(const ByteSource& file, std::string_view name, bool is_zlib_likely = false);

}  // namespace forebay::dataset
