// The range checks and the buffers that all drivers share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/storage/errors.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// The number of bytes that `request` asks of an object of `size_bytes`; out_of_range when the range ends
/// behind it. `uri` is the object's, for the error.
Result<uint64_t> range_length(const ReadRequest& request, uint64_t size_bytes, std::string_view uri);

/// The answer to a read, whose bytes are still to be put to `destination`.
struct ReadTarget {
  ReadBytes answer;
  MutableBytes destination;
};

/// Memory for `length_bytes` plus the request's padding, the padding zeroed: the caller's, or a new buffer.
Result<ReadTarget> allocate_read(const ReadRequest& request, uint64_t length_bytes, std::string version,
                                 std::string_view uri);

}  // namespace forebay::storage
