#include "forebay/fuse/reading/read_ahead.h"

#include <algorithm>
#include <utility>

namespace forebay::fuse {
namespace {

/// The pieces that parts lie in, each once.
std::vector<FilePart> pieces_of(std::vector<FilePart> parts, uint64_t file_bytes) {
  std::ranges::sort(parts, {}, &FilePart::offset_bytes);
  std::vector<FilePart> pieces;
  for (const FilePart& part : parts) {
    const uint64_t begin = part.offset_bytes / kPieceBytes * kPieceBytes;
    const uint64_t last = (part.offset_bytes + part.length_bytes - 1) / kPieceBytes * kPieceBytes;
    const uint64_t end = std::min(last + kPieceBytes, file_bytes);
    FilePart* const before = pieces.empty() ? nullptr : &pieces.back();
    if (before != nullptr && begin <= before->offset_bytes + before->length_bytes) {
      before->length_bytes = std::max(before->length_bytes, end - before->offset_bytes);
    } else {
      pieces.push_back({begin, end - begin});
    }
  }
  return pieces;
}

}  // namespace

std::vector<FilePart> ReadPattern::note(uint64_t offset, uint64_t length, uint64_t file_bytes) {
  const MutexLock lock(mutex_);
  std::vector<FilePart> records = strided_.note(offset, length, file_bytes);
  if (strided_.is_sure()) {
    return records;
  }
  const FilePart next = sequential_.note(offset, length, file_bytes);
  return next.length_bytes > 0 ? std::vector<FilePart>{next} : std::vector<FilePart>();
}

void ReadAhead::bring(const storage::ObjectAddress& address, const storage::ObjectStat& stat,
                      std::vector<FilePart> parts) {
  if (parts.empty() || stat.version.empty()) {
    return;
  }
  uint64_t bytes = 0;
  std::vector<storage::BringRequest> requests;
  for (const FilePart& each : pieces_of(std::move(parts), stat.size_bytes)) {
    bytes += each.length_bytes;
    requests.push_back({.key = address.key,
                        .version = stat.version,
                        .object_bytes = stat.size_bytes,
                        .offset_bytes = each.offset_bytes,
                        .length_bytes = each.length_bytes});
  }
  Result<Reservation> reserved = under_way_->try_reserve(bytes);
  if (!reserved.ok()) {
    return;
  }
  const storage::CallContext context = {.priority = storage::Priority::kPrefetch};
  // The callback goes with the last answer, and the reservation with it.
  address.store->bring_many(
      std::move(requests), context,
      [reserved = *std::move(reserved)](size_t, const Result<storage::BringOutcome>&) {});
}

}  // namespace forebay::fuse
