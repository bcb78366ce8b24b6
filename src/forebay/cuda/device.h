// A GPU as a device driver of `memory`: its streams are queues and its events are points, so fences, the pool
// and every copy work on it as on the simulated device.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cuda/driver/context.h"
#include "forebay/cuda/queues/event_pool.h"
#include "forebay/cuda/queues/stream_queue.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

/// Error: the device has no such queue.
inline constexpr int kNoSuchQueue = -100002;

/// More than any machine has. For larger requests drivers report an invalid value rather than too little
/// memory.
inline constexpr size_t kMaxRequestBytes = size_t{1} << 46;

struct DeviceOptions {
  int number = 0;       // as CUDA counts in this process
  uint32_t queues = 4;  // streams that the device creates itself
};

/// Thread safe. Registered as a driver during its lifetime; resources over its memory keep it alive. Works in
/// the device's primary context, as PyTorch and CUDA's runtime do. Not usable in a child of fork().
class Device : public std::enable_shared_from_this<Device> {
 public:
  static constexpr uint32_t kMaxQueues = 256;

  /// Errors are those of driver_functions(); invalid_argument for a device that does not exist, for no queues
  /// and for more than kMaxQueues.
  static Result<std::shared_ptr<Device>> create(const DeviceOptions& options = {});
  /// The device behind the context of its driver's table.
  static Device& of(void* context) { return *static_cast<Device*>(context); }
  /// Does not block: streams finish what they were given.
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  uint32_t driver() const { return driver_id_; }
  uint32_t queues() const { return queue_count_.load(std::memory_order_acquire); }
  memory::Queue queue(uint32_t number) const { return {driver_id_, number}; }
  const DeviceFacts& facts() const { return context_->facts(); }
  const std::shared_ptr<const Context>& context() const { return context_; }

  /// Adds a stream. resource_exhausted after kMaxQueues, including adopted ones.
  Result<uint32_t> add_queue();
  /// Returns the queue of a stream made by somebody else in the primary context. It is registered if
  /// necessary and kept for the device's lifetime: a later stream with the same handle is the same queue.
  /// Null and 1 are the legacy default stream. unimplemented for 2, the per-thread default stream, which is a
  /// different stream on each thread.
  Result<uint32_t> adopt(StreamHandle stream);
  /// invalid_argument for a queue that does not exist.
  Result<StreamHandle> stream_of(uint32_t queue) const;

  /// Blocks until all work in this context is done, including the frameworks'; returns the error that the
  /// device carries.
  Status synchronize();
  /// Bytes of the device's memory that are not allocated.
  Result<uint64_t> free_bytes() const;
  /// How many events were made so far; recording reuses them.
  size_t events_made() const { return events_->made(); }

  // Implement the functions of a DeviceDriver.
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
  Result<uint32_t> add_locked(StreamHandle stream, StreamQueue::Ownership ownership) FOREBAY_REQUIRES(mutex_);
  Status add_queues(uint32_t count);
  static memory::DeviceDriver make_table(Device* device);
  static const memory::DeviceGraphs& graph_table();

  const std::shared_ptr<const Context> context_;
  const std::shared_ptr<EventPool> events_;
  // Guards adding queues. Queues are read without it: one lies in queues_ before queue_count_ counts it.
  Mutex mutex_;
  std::array<std::unique_ptr<StreamQueue>, kMaxQueues> queues_;
  std::atomic<uint32_t> queue_count_{0};  // entries of queues_, which are never removed
  uint32_t driver_id_ = 0;
  memory::DeviceDriver table_{};
};

}  // namespace forebay::cuda
