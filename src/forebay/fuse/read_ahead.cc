#include "forebay/fuse/read_ahead.h"

#include <algorithm>
#include <utility>

namespace forebay::fuse {
namespace {

/// The pieces that parts lie in, each once if the parts are in order.
std::vector<FilePart> pieces_of(const std::vector<FilePart>& parts, uint64_t file_bytes) {
  std::vector<FilePart> pieces;
  for (const FilePart& part : parts) {
    const uint64_t begin = part.offset_bytes / kPieceBytes * kPieceBytes;
    const uint64_t last = (part.offset_bytes + part.length_bytes - 1) / kPieceBytes * kPieceBytes;
    const uint64_t end = std::min(last + kPieceBytes, file_bytes);
    const bool is_next = !pieces.empty() && begin >= pieces.back().offset_bytes &&
                         begin <= pieces.back().offset_bytes + pieces.back().length_bytes;
    if (is_next) {
      FilePart& before = pieces.back();
      before.length_bytes = std::max(before.offset_bytes + before.length_bytes, end) - before.offset_bytes;
    } else {
      pieces.push_back({begin, end - begin});
    }
  }
  return pieces;
}

}  // namespace

std::vector<FilePart> ReadPattern::note(uint64_t offset, uint64_t length, uint64_t file_bytes) {
  const MutexLock lock(mutex_);
  const FilePart next = sequential_.note(offset, length, file_bytes);
  std::vector<FilePart> records = strided_.note(offset, length, file_bytes);
  if (sequential_.is_sure()) {
    return next.length_bytes > 0 ? std::vector<FilePart>{next} : std::vector<FilePart>();
  }
  return records;
}

void ReadAhead::bring(const storage::ObjectAddress& address, const storage::ObjectStat& stat,
                      const std::vector<FilePart>& parts) {
  std::vector<storage::BringRequest> requests;
  uint64_t bytes = 0;
  for (const FilePart& each : pieces_of(parts, stat.size_bytes)) {
    bytes += each.length_bytes;
    requests.push_back({.key = address.key,
                        .version = stat.version,
                        .object_bytes = stat.size_bytes,
                        .offset_bytes = each.offset_bytes,
                        .length_bytes = each.length_bytes});
  }
  if (requests.empty() || stat.version.empty()) {
    return;
  }
  if (under_way_bytes_->fetch_add(bytes) + bytes > kMostBytes) {
    under_way_bytes_->fetch_sub(bytes);
    return;
  }
  const storage::CallContext context = {.priority = storage::Priority::kPrefetch};
  size_t left = requests.size();
  address.store->bring_many(
      std::move(requests), context,
      [all = under_way_bytes_, bytes, left](size_t, const Result<storage::BringOutcome>&) mutable {
        --left;
        if (left == 0) {
          all->fetch_sub(bytes);
        }
      });
}

}  // namespace forebay::fuse
