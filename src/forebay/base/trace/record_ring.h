// A ring that passes one thread's records to others: the thread adds without a lock, others take them out.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace forebay {

/// add() and is_full() may only be called by the writing thread; drain() by any one thread at a time.
template <class Record>
class RecordRing {
 public:
  explicit RecordRing(size_t count) : records_(count) {}

  bool is_full() const {
    const uint64_t written = written_.load(std::memory_order_relaxed);
    return written - read_.load(std::memory_order_acquire) == records_.size();
  }

  /// Must not be called when full.
  void add(const Record& record) {
    const uint64_t written = written_.load(std::memory_order_relaxed);
    records_[written % records_.size()] = record;
    written_.store(written + 1, std::memory_order_release);
  }

  /// Passes the available records to keep(const Record*, size_t), in order, in one or two pieces.
  template <class Keep>
  void drain(Keep keep) {
    const uint64_t written = written_.load(std::memory_order_acquire);
    uint64_t read = read_.load(std::memory_order_relaxed);
    while (read < written) {
      const size_t start = read % records_.size();
      const size_t count = std::min<size_t>(written - read, records_.size() - start);
      keep(&records_[start], count);
      read += count;
    }
    read_.store(read, std::memory_order_release);
  }

 private:
  std::vector<Record> records_;
  std::atomic<uint64_t> written_{0};  // advanced by the adding thread
  std::atomic<uint64_t> read_{0};     // advanced by the draining thread
};

}  // namespace forebay
