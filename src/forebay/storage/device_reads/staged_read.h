// Reads one range of an object to a device through host memory. The store reads several chunks at once. When
// a chunk has arrived, a device task of the engine copies it while others are being read; the task that
// follows frees the chunk's memory and starts the next read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "forebay/base/sync/mutex.h"
#include "forebay/engine/engine.h"
#include "forebay/storage/device_reads/device_read.h"

namespace forebay::storage {

/// Thread safe. Store reads and tasks in flight keep it alive.
class StagedRead : public std::enable_shared_from_this<StagedRead> {
 public:
  StagedRead(ObjectStore& store, ReadRequest request, DevicePlace place, const DeviceReadOptions& options)
      : store_(store), request_(std::move(request)), place_(std::move(place)), options_(options) {}

  /// Call once. `request.length_bytes` must be known (not kToEnd) and fit into the place, whose content must
  /// be valid. Returns when the first reads have been started; after an error, none has.
  Status start();

 private:
  Status push_first();
  Status wait_for_earlier_users() const;
  void start_reads();
  std::optional<ReadRequest> next_chunk() FOREBAY_EXCLUDES(mutex_);
  bool wants_more() const FOREBAY_REQUIRES(mutex_);
  void take(const ReadRequest& chunk, Result<ReadBytes> bytes);
  Status push_copy(uint64_t offset_bytes, memory::BufferRef chunk);
  Status copy(uint64_t offset_bytes, memory::Buffer& chunk) const;
  /// Call after the chunk's memory has been freed. The first error ends the read.
  void end_chunk(uint64_t offset_bytes, const Status& status) FOREBAY_EXCLUDES(mutex_);
  Status with_place(const Status& status, uint64_t offset_bytes) const;

  ObjectStore& store_;
  const ReadRequest request_;
  const DevicePlace place_;
  const DeviceReadOptions options_;
  engine::Variable vacant_;  // written when the queue is behind all earlier users of the place

  Mutex mutex_;
  engine::Completion done_ FOREBAY_GUARDED_BY(mutex_);
  bool has_starter_ FOREBAY_GUARDED_BY(mutex_) = false;  // a thread is in start_reads()
  bool is_started_ FOREBAY_GUARDED_BY(mutex_) = false;
  uint64_t started_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;  // chunks being read or copied
  Status status_ FOREBAY_GUARDED_BY(mutex_);         // the first error
};

}  // namespace forebay::storage
