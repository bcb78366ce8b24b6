// The lines of a text in any store, plain or packed by gzip. It is read and unpacked a piece at a time:
// memory does not grow with it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

inline constexpr size_t kMaxLineBytes = 1 << 20;

/// A line without its end, and its number from 1.
using TakeLine = std::function<Status(std::string_view line, uint64_t number)>;

/// Passes on each line that is not empty; they end with "\n" or "\r\n", the last one may lack it. Errors name
/// the file and the line: those of `take`, of the store, `aborted` if the file is replaced meanwhile,
/// data_loss for damaged gzip, invalid_argument for a line of more than kMaxLineBytes. Blocks.
Status each_line(const ObjectAddress& file, const TakeLine& take, const CallContext& context = {});

}  // namespace forebay::storage
