// Has near what the readers of files are going to ask for, where the store can bring it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/budget/budget.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/reading/file_part.h"
#include "forebay/fuse/reading/sequential_reads.h"
#include "forebay/fuse/reading/strided_reads.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

/// How one open file is read. Thread safe.
class ReadPattern {
 public:
  /// Takes note of reads, in the order in which they were asked for, and returns what is wanted next.
  std::vector<FilePart> note(uint64_t offset, uint64_t length, uint64_t file_bytes);

 private:
  Mutex mutex_;
  SequentialReads sequential_ FOREBAY_GUARDED_BY(mutex_);
  StridedReads strided_ FOREBAY_GUARDED_BY(mutex_);
};

/// What is under way for all files of a mount. Thread safe.
class ReadAhead {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{256} << 20;

  /// Asks for the pieces of an object that parts of it lie in, unless too much is under way. Does not wait;
  /// what does not come is read later.
  void bring(const storage::ObjectAddress& address, const storage::ObjectStat& stat,
             std::vector<FilePart> parts);

 private:
  const std::shared_ptr<Budget> under_way_ = Budget::create(kMaxBytes);
};

}  // namespace forebay::fuse
