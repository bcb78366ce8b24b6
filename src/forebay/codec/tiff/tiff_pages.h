// The pages of a TIFF: its chain of directories (TIFF 6.0 section 2, BigTIFF), read without libtiff.
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// The byte at which the directory of page `page` begins; the first is page 0. out_of_range if there are
/// fewer, data_loss if the chain leaves the file or comes back to a directory before it has come to the page.
Result<uint64_t> tiff_page_offset(Bytes bytes, int64_t page);

}  // namespace forebay::codec
