// The range arithmetic that every driver needs, checked.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// The number of bytes that `request` asks of an object of `size_bytes`; out_of_range when the range ends
/// behind it. `uri` is the object's, for the error.
Result<uint64_t> range_length(const ReadRequest& request, uint64_t size_bytes, std::string_view uri);

/// A buffer of `length_bytes` plus the request's padding, the padding zeroed.
Result<ReadBytes> allocate_read(const ReadRequest& request, uint64_t length_bytes, std::string_view uri);

Status no_such_object(std::string_view uri);
Status version_changed(std::string_view uri, std::string_view expected, std::string_view found);

}  // namespace forebay::storage
