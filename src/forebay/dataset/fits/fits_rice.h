// Rice coding of the tiles of FITS images (FITS standard 4.0, section 10.4.1).
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

/// Unpacks as many integers as `out` has. `value_bytes`: of a coded integer: 1 (unsigned), 2 or 4. `block`:
/// how many share a code's width; at least 1. data_loss if the bytes end early or are damaged.
Status unpack_rice(Bytes packed, int value_bytes, int64_t block, std::span<int32_t> out);

}  // namespace forebay::dataset
