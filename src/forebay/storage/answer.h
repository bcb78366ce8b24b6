// Answers to reads made of bytes that are in memory already: views of them, or copies where the caller wants
// them.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// A part of the bytes, which begins `offset_bytes` into them, as a view that keeps them; shorter where they
/// end.
ReadBytes part_of(const ReadBytes& bytes, uint64_t offset_bytes, uint64_t length_bytes);

/// The answer to `request` from the bytes of its range: a copy in the caller's memory or in new memory, of
/// the same version. `uri` names the object in errors.
Result<ReadBytes> copy_to_answer(const ReadRequest& request, const ReadBytes& bytes, std::string_view uri);

/// The answer to `request` from the bytes of its range: the bytes themselves, or a copy where the caller
/// wants them elsewhere or may read further behind them.
Result<ReadBytes> answer_from(const ReadRequest& request, ReadBytes bytes, std::string_view uri);

/// A copy in new memory, with that many zeros behind it.
Result<ReadBytes> copy_with_zeros(Bytes content, size_t zeros_behind);

}  // namespace forebay::storage
