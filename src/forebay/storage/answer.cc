#include "forebay/storage/answer.h"

#include <algorithm>
#include <utility>

#include "forebay/memory/copy.h"
#include "forebay/storage/range.h"

namespace forebay::storage {

ReadBytes part_of(const ReadBytes& bytes, uint64_t offset_bytes, uint64_t length_bytes) {
  const uint64_t left = bytes.size_bytes() - offset_bytes;
  const uint64_t length = std::min(length_bytes, left);
  ReadBytes view = {.owner = bytes.owner, .bytes = bytes.bytes.subspan(offset_bytes, length)};
  view.version = bytes.version;
  view.has_weak_version = bytes.has_weak_version;
  view.readable_behind = left - length + bytes.readable_behind;
  return view;  // without the buffer: it is shared, so nobody may write to it
}

Result<ReadBytes> copy_to_answer(const ReadRequest& request, const ReadBytes& bytes, std::string_view uri) {
  FOREBAY_ASSIGN_OR_RETURN(ReadTarget target, allocate_read(request, bytes.size_bytes(), bytes.version, uri));
  target.answer.has_weak_version = bytes.has_weak_version;
  if (!bytes.bytes.empty()) {
    memory::copy(target.destination.data(), bytes.bytes.data(), bytes.bytes.size());
  }
  return std::move(target.answer);
}

Result<ReadBytes> answer_from(const ReadRequest& request, ReadBytes bytes, std::string_view uri) {
  const bool has_place = request.into.data() != nullptr || request.resource != nullptr;
  if (!has_place && bytes.readable_behind >= request.padding_bytes) {
    return bytes;
  }
  return copy_to_answer(request, bytes, uri);
}

Result<ReadBytes> copy_with_zeros(Bytes content, size_t zeros_behind) {
  const ReadRequest request = {.padding_bytes = zeros_behind};
  return copy_to_answer(request, {.bytes = content}, "a copy");
}

}  // namespace forebay::storage
