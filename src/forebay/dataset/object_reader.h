// A blocking ByteSource over an object, for scans. Scans read small headers that are far apart, so they read
// through a window.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/clock.h"
#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// Is told of the reads of a scan, and may hold each of them back. Thread safe.
class ReadPace {
 public:
  virtual ~ReadPace() = default;
  /// Blocks until the next read may go. How it is to be made.
  virtual storage::CallContext begin_read() const = 0;
  /// After each begin_read(). `taken_ns` is 0 if nothing was read.
  virtual void end_read(uint64_t offset_bytes, uint64_t length_bytes, int64_t taken_ns) const = 0;
};

/// Reads one version of the object, that of `stat`: reading after a replacement returns `aborted`. Thread
/// safe.
class ObjectByteSource final : public ByteSource {
 public:
  /// `stat`: the object's, from its store. `pace` must outlive it; null: reads go at once. The source begins
  /// at `begin_bytes` of the object, and ends where that ends.
  ObjectByteSource(storage::ObjectAddress address, storage::ObjectStat stat, const ReadPace* pace = nullptr,
                   uint64_t begin_bytes = 0)
      : address_(std::move(address)), stat_(std::move(stat)), pace_(pace), begin_bytes_(begin_bytes) {}

  uint64_t size_bytes() const override { return stat_.size_bytes - begin_bytes_; }
  Status read(uint64_t offset_bytes, MutableBytes destination) const override;
  const storage::ObjectStat& stat() const { return stat_; }
  /// Whether what was read so far may be of another version with the same name
  /// (storage::ReadBytes::has_weak_version).
  bool has_weak_version() const { return has_weak_version_.load(std::memory_order_relaxed); }

 private:
  Result<storage::ReadBytes> paced_read(storage::ReadRequest request) const;

  storage::ObjectAddress address_;
  storage::ObjectStat stat_;
  const ReadPace* pace_;
  uint64_t begin_bytes_;
  mutable std::atomic<bool> has_weak_version_{false};
};

/// Reads a few bytes at a time at rising offsets. Where reads take long, as from a store across a network,
/// the window grows over the gaps between them: a few large reads instead of many small ones. Not thread
/// safe; borrows the source.
class WindowReader {
 public:
  explicit WindowReader(const ByteSource& source, const Clock& clock = steady_clock())
      : source_(source), clock_(clock) {}

  uint64_t size_bytes() const { return source_.size_bytes(); }

  /// Returns `length` bytes at `offset`, valid until the next call. The caller must have checked that the
  /// source has them.
  Result<Bytes> at(uint64_t offset, uint64_t length);

 private:
  void fit_window(uint64_t offset);

  const ByteSource& source_;
  const Clock& clock_;
  uint64_t window_bytes_ = 16 << 10;  // of the next read
  int64_t last_read_ns_ = 0;          // how long the last one took
  uint64_t begin_ = 0;
  std::vector<std::byte> window_;
};

}  // namespace forebay::dataset
