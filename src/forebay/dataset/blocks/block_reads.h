// What sources whose samples share blocks have in common: their options, and how blocks are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/dataset/source.h"

namespace forebay::dataset {

/// invalid_argument without a path, and for a limit of blocks that is not positive.
Status check_block_options(const std::vector<std::string>& path, int64_t block_bytes);

/// How a block is read for a sample that was asked for with `flags`: as it lies in the store, without room
/// behind it, for what samples get of it is unpacked or copied.
ReadFlags flags_of_block(const ReadFlags& flags);

}  // namespace forebay::dataset
