// The bytes of an object that is being written, kept aside until its store has said which version it is: only
// then does the cache know what to call them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/cache/drafts/room_beside.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::cache {

/// One thread at a time. Keeping bytes is no duty: where there is no room, or the disk fails, a draft drops
/// what it has, and write() is false from then on.
class Draft {
 public:
  explicit Draft(std::shared_ptr<RoomBeside> room);

  /// Takes a copy of bytes at their place in the object. Nothing is kept of one that ends behind what the
  /// room may hold.
  bool write(uint64_t offset_bytes, Bytes part);
  bool append(Bytes part) { return write(end_bytes_, part); }

  /// A view of the object; its owner keeps the draft's room. failed_precondition unless exactly the bytes of
  /// an object of this size were written. The draft is empty then.
  Result<storage::ReadBytes> finish(uint64_t size_bytes);

 private:
  class MappedDraft;

  Status put(uint64_t offset_bytes, Bytes part);
  Status move_to_file();
  Result<storage::ReadBytes> view_of_memory(uint64_t size_bytes);
  Result<storage::ReadBytes> view_of_file(uint64_t size_bytes);

  const std::shared_ptr<RoomBeside> room_;
  std::shared_ptr<ReservedRoom> reserved_;  // null once it was dropped
  std::vector<std::byte> memory_;           // as long as it is short
  FileDescriptor file_;
  uint64_t end_bytes_ = 0;
  uint64_t written_bytes_ = 0;
};

}  // namespace forebay::cache
