// Which bytes of a storage were written, and when: what autograd asks before it uses a part that it saved.
// Internal to ndarray.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "forebay/base/sync/mutex.h"

namespace forebay::ndarray {

/// The last write of each byte, as the storage's count of writes. Of very many scattered writes it
/// remembers less, and takes bytes between them for written. Thread-safe.
class WriteLog {
 public:
  void note(size_t begin, size_t end, uint64_t write) FOREBAY_EXCLUDES(mutex_);

  /// The last write to any byte from `begin` to before `end`; 0 for none.
  uint64_t last_write(size_t begin, size_t end) const FOREBAY_EXCLUDES(mutex_);

 private:
  struct Stretch {
    size_t end;
    uint64_t write;
  };
  static constexpr size_t kMostStretches = 1024;

  void cut_at(size_t place) FOREBAY_REQUIRES(mutex_);
  void join_all() FOREBAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<size_t, Stretch> stretches_
      FOREBAY_GUARDED_BY(mutex_);  // by where they begin; they do not overlap
};

}  // namespace forebay::ndarray
