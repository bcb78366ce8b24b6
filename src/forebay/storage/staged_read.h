// Reads one range of an object to a device through host memory. The store reads several chunks at once; each
// chunk is put on the device's queue when it has arrived, while others are being read.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "forebay/base/sync/fence.h"
#include "forebay/storage/device_read.h"

namespace forebay::storage {

/// A chunk that the store has answered.
struct ArrivedChunk {
  uint64_t offset_bytes;  // from the beginning of the range
  Result<ReadBytes> bytes;
};

/// Passes chunks from the store's threads to the caller's. Thread safe.
class ArrivedChunks {
 public:
  void put(ArrivedChunk chunk);
  bool is_empty() const;
  /// Blocks until a chunk has arrived.
  ArrivedChunk take();

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<ArrivedChunk> chunks_;
};

/// Used once, on one thread. `request.length_bytes` must be known (not kToEnd) and fit into the place.
class StagedRead {
 public:
  StagedRead(ObjectStore& store, const ReadRequest& request, const DevicePlace& place,
             const DeviceReadOptions& options)
      : store_(store), request_(request), place_(place), options_(options) {}

  /// Reads the range and returns the point at which the bytes are in place. No read is in flight afterwards.
  Result<Fence> run();

 private:
  struct Copy {
    memory::BufferRef chunk;
    uint64_t offset_bytes;
    Fence done;
  };

  bool wants_more() const;
  bool has_room() const { return reading_ + copies_.size() < options_.chunks_in_flight; }
  void start_read();
  void take_arrived();
  Status put_on_queue(const ArrivedChunk& chunk);
  Status wait_for_former_users();
  void wait_for_oldest_copy();
  /// Records the first error, which ends the read.
  void note(const Status& status, uint64_t offset_bytes);

  ObjectStore& store_;
  const ReadRequest& request_;
  const DevicePlace& place_;
  const DeviceReadOptions& options_;
  ArrivedChunks arrived_;
  std::deque<Copy> copies_;  // copies that may still be running, oldest first
  size_t reading_ = 0;       // chunks being read by the store or waiting in arrived_
  uint64_t started_bytes_ = 0;
  bool is_started_ = false;
  bool is_first_copy_ = true;
  Fence last_copy_;
  Status status_;
};

}  // namespace forebay::storage
