// Range checks and buffers that all drivers share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/storage/errors.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Returns how many bytes `request` asks of an object of `size_bytes`; out_of_range if the range ends past
/// it. `uri` names the object in the error.
Result<uint64_t> range_length(const ReadRequest& request, uint64_t size_bytes, std::string_view uri);

/// The answer to a read before its bytes have been written to `destination`.
struct ReadTarget {
  ReadBytes answer;
  MutableBytes destination;
};

/// Prepares memory for `length_bytes` plus the request's padding, with the padding zeroed: the caller's
/// memory or a new buffer.
Result<ReadTarget> allocate_read(const ReadRequest& request, uint64_t length_bytes, std::string version,
                                 std::string_view uri);

}  // namespace forebay::storage
