// Which bytes of a storage were written, and when: what autograd asks before it uses a part that it saved.
// Internal to ndarray.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "forebay/base/sync/mutex.h"

namespace forebay::ndarray {

/// The last write of each byte, as the storage's count of writes: exact for up to `most_stretches` that were
/// written apart. A write beyond that counts for its neighbour, and for the bytes between them, too; what
/// lies elsewhere stays exact. Thread-safe.
class WriteLog {
 public:
  explicit WriteLog(size_t most_stretches = size_t{1} << 16) : most_stretches_(most_stretches) {}

  void note(size_t begin, size_t end, uint64_t write) FOREBAY_EXCLUDES(mutex_);

  /// The last write to any byte from `begin` to before `end`; 0 for none.
  uint64_t last_write(size_t begin, size_t end) const FOREBAY_EXCLUDES(mutex_);

 private:
  struct Stretch {
    size_t end;
    uint64_t write;
  };
  using Stretches = std::map<size_t, Stretch>;

  void cut_at(size_t place) FOREBAY_REQUIRES(mutex_);
  void join_with_neighbours(Stretches::iterator stretch) FOREBAY_REQUIRES(mutex_);

  const size_t most_stretches_;
  mutable Mutex mutex_;
  Stretches stretches_ FOREBAY_GUARDED_BY(mutex_);  // by where they begin; they do not overlap
};

}  // namespace forebay::ndarray
