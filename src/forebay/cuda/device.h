// A GPU as a device driver of `memory`: its streams are queues, its events are points, so fences, the pool
// and every copy work on it as they do on the simulated device.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/cuda/driver/context.h"
#include "forebay/cuda/queues/event_pool.h"
#include "forebay/cuda/queues/stream_queue.h"
#include "forebay/memory/device/device_driver.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

/// A queue that the device does not have.
inline constexpr int kNoSuchQueue = -100002;

/// More than any machine has: for such requests drivers speak of a wrong value, not of too much.
inline constexpr size_t kMostRequestBytes = size_t{1} << 46;

struct DeviceOptions {
  int number = 0;       // as CUDA counts in this process
  uint32_t queues = 4;  // streams that the device makes for itself
};

/// Thread safe. Registered as a driver for its life; resources of its memory keep it alive. Works in the
/// device's primary context, as PyTorch and CUDA's runtime do. Not usable in a child of fork().
class Device : public std::enable_shared_from_this<Device> {
 public:
  static constexpr uint32_t kMostQueues = 256;

  /// Errors are those of driver_functions(); invalid_argument for a device that is not there and for no
  /// queues or more than kMostQueues.
  static Result<std::shared_ptr<Device>> create(const DeviceOptions& options = {});
  /// Waits for nothing: streams finish what they were given.
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  uint32_t driver() const { return driver_id_; }
  uint32_t queues() const { return queue_count_.load(std::memory_order_acquire); }
  memory::Queue queue(uint32_t number) const { return {driver_id_, number}; }
  const DeviceFacts& facts() const { return context_->facts(); }
  const std::shared_ptr<const Context>& context() const { return context_; }

  /// One more stream. resource_exhausted after kMostQueues, adopted ones counted.
  Result<uint32_t> add_queue();
  /// The queue of a stream that somebody else made in the primary context, made known if need be and kept for
  /// the device's life: a later stream with the same handle is the same queue. Null and 1 are the legacy
  /// default stream. unimplemented for 2, the per-thread default stream, which is another one on each thread.
  Result<uint32_t> adopt(StreamHandle stream);
  /// invalid_argument for a queue that is not there.
  Result<StreamHandle> stream_of(uint32_t queue) const;

  /// Waits until all work of this context is done, the frameworks' too; the error that the device carries.
  Status synchronize();
  /// Bytes of the device's memory that nobody has taken.
  Result<uint64_t> free_bytes() const;
  /// Events that were made so far: recording uses them again.
  size_t events_made() const { return events_->made(); }

  // As the functions of a DeviceDriver, which call these.
  int record(uint32_t queue, uint64_t* sequence);
  int wait(uint32_t queue, uint64_t sequence);
  int wait_on_queue(uint32_t queue, uint32_t other_queue, uint64_t sequence);
  int query(uint32_t queue, uint64_t sequence);
  int copy(uint32_t queue, void* destination, const void* source, size_t bytes);
  int allocate(size_t bytes, void** pointer);
  void deallocate(void* pointer);
  int begin_capture(uint32_t queue);
  int end_capture(uint32_t queue, GraphHandle* graph, size_t* nodes);
  int make_graph(GraphHandle captured, LaunchableGraphHandle* graph);
  int update_graph(LaunchableGraphHandle graph, GraphHandle captured);
  int launch_graph(uint32_t queue, LaunchableGraphHandle graph);

 private:
  explicit Device(std::shared_ptr<const Context> context);
  StreamQueue* find(uint32_t queue) const;
  Result<uint32_t> add_locked(StreamHandle stream, StreamQueue::Ownership ownership);
  Status add_queues(uint32_t count);
  static memory::DeviceDriver make_table(Device* device);
  static const memory::DeviceGraphs& graph_table();

  const std::shared_ptr<const Context> context_;
  const std::shared_ptr<EventPool> events_;
  std::mutex mutex_;  // of adding
  std::array<std::unique_ptr<StreamQueue>, kMostQueues> queues_;
  std::atomic<uint32_t> queue_count_{0};  // of queues_, which are never taken away
  uint32_t driver_id_ = 0;
  memory::DeviceDriver table_{};
};

}  // namespace forebay::cuda
