// The bytes of an object that is being written, kept aside until its store has said which version it is: only
// then does the cache know what to call them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::cache {

/// What all drafts of a cache may take together. Thread safe.
class DraftSpace {
 public:
  using UsedBytes = std::shared_ptr<std::atomic<uint64_t>>;
  /// Adds bytes to those in use, and makes room for them; false, and nothing added, where there is none.
  using Reserve = std::function<bool(uint64_t bytes)>;

  /// Longer drafts lie in files of `directory` that have no name; if that is empty, they are in memory, too.
  DraftSpace(std::string directory, uint64_t most_bytes, uint64_t least_free_bytes)
      : directory_(std::move(directory)), most_bytes_(most_bytes), least_free_bytes_(least_free_bytes) {}

  /// Before the first draft.
  void set_reserve(Reserve reserve) { reserve_ = std::move(reserve); }

  /// False if there is no room, on the disk either.
  bool reserve(uint64_t bytes) FOREBAY_EXCLUDES(mutex_);
  void give_back(uint64_t bytes) { used_bytes_->fetch_sub(bytes, std::memory_order_relaxed); }
  uint64_t used_bytes() const { return used_bytes_->load(std::memory_order_relaxed); }
  const UsedBytes& shared_used_bytes() const { return used_bytes_; }

  const std::string& directory() const { return directory_; }
  uint64_t most_bytes() const { return most_bytes_; }

 private:
  const std::string directory_;
  const uint64_t most_bytes_;
  const uint64_t least_free_bytes_;
  Reserve reserve_;
  const UsedBytes used_bytes_ = std::make_shared<std::atomic<uint64_t>>(0);
  Mutex mutex_;  // held while bytes are added
};

/// One thread at a time. Keeping bytes is no duty: where there is no room, or the disk fails, a draft drops
/// what it has, and write() is false from then on.
class Draft {
 public:
  explicit Draft(std::shared_ptr<DraftSpace> space);

  /// Takes a copy of bytes at their place in the object. Nothing is kept of one that ends behind what all
  /// drafts may take.
  bool write(uint64_t offset_bytes, Bytes part);
  bool append(Bytes part) { return write(end_bytes_, part); }

  /// A view of the object; its owner keeps the draft's space. failed_precondition unless exactly the bytes of
  /// an object of this size were written. The draft is empty then.
  Result<storage::ReadBytes> finish(uint64_t size_bytes);

 private:
  class Reserved;
  class MappedDraft;

  Status put(uint64_t offset_bytes, Bytes part);
  Status move_to_file();
  Result<storage::ReadBytes> view_of_memory(uint64_t size_bytes);
  Result<storage::ReadBytes> view_of_file(uint64_t size_bytes);

  const std::shared_ptr<DraftSpace> space_;
  std::shared_ptr<Reserved> reserved_;  // null once it was dropped
  std::vector<std::byte> memory_;       // as long as it is short
  FileDescriptor file_;
  uint64_t end_bytes_ = 0;
  uint64_t written_bytes_ = 0;
};

}  // namespace forebay::cache
