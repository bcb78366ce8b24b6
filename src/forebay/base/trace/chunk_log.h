// A log of small records in bounded memory. One thread at a time adds, at a cost of a few nanoseconds and
// without a lock; any other thread may read meanwhile. When the log is full, its oldest part is dropped.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "forebay/base/prefetch.h"
#include "forebay/base/sync/mutex.h"

namespace forebay {

template <class Record>
class ChunkLog {
 public:
  static constexpr size_t kChunk = 4096;  // records dropped at a time

  /// Keeps at least the newest `most` records, and at most one chunk more.
  explicit ChunkLog(size_t most) : most_chunks_(std::max<size_t>((most + kChunk - 1) / kChunk, 1) + 1) {}

  /// Called by one thread at a time.
  void add(const Record& record) {
    if (used_ == kChunk) [[unlikely]] {
      begin_chunk();
    }
    Record* const place = &newest_->records[used_++];
    // Memory that is written once, in order, is in no cache.
    prefetch(newest_->records + std::min(used_ + kAhead, kChunk - 1), kLineBytes);
    *place = record;
    newest_->count.store(used_, std::memory_order_release);
  }

  /// Callable from any thread: calls visit(const Record&), oldest first. Records added meanwhile may or may
  /// not be seen.
  template <class Visit>
  void read(Visit visit) const {
    const MutexLock lock(mutex_);
    for (const auto& chunk : chunks_) {
      const size_t count = chunk->count.load(std::memory_order_acquire);
      for (size_t i = chunk->cleared; i < count; ++i) {
        visit(chunk->records[i]);
      }
    }
  }

  /// Drops all records. Callable from any thread.
  void clear() {
    const MutexLock lock(mutex_);
    forgotten_ = 0;
    if (!chunks_.empty()) {
      chunks_.erase(chunks_.begin(), chunks_.end() - 1);
      chunks_.back()->cleared = chunks_.back()->count.load(std::memory_order_acquire);
    }
  }

  /// How many records were dropped since the last clear(). Callable from any thread.
  uint64_t forgotten() const {
    const MutexLock lock(mutex_);
    return forgotten_;
  }

 private:
  struct Chunk {
    std::atomic<size_t> count{0};
    size_t cleared = 0;
    alignas(kLineBytes) Record records[kChunk];
  };

  void begin_chunk() {
    const MutexLock lock(mutex_);
    if (chunks_.size() < most_chunks_) {
      chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    } else {
      forgotten_ += kChunk - chunks_.front()->cleared;
      chunks_.push_back(std::move(chunks_.front()));
      chunks_.pop_front();
      chunks_.back()->count.store(0, std::memory_order_relaxed);
      chunks_.back()->cleared = 0;
    }
    newest_ = chunks_.back().get();
    used_ = 0;
  }

  static constexpr size_t kAhead = std::max<size_t>(4 * kLineBytes / sizeof(Record), 1);

  const size_t most_chunks_;
  Chunk* newest_ = nullptr;  // only used by the adding thread
  size_t used_ = kChunk;     // only used by the adding thread
  mutable Mutex mutex_;
  std::deque<std::unique_ptr<Chunk>> chunks_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t forgotten_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay
