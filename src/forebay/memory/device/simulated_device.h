// A device without hardware. Its queues run work later than it was submitted, in an order drawn from a seed,
// and its memory is inaccessible to the host. A program that omits a fence that a real device needs fails
// here too, and fails the same way each time.
//
// It has no threads. Work runs inside calls that wait, and a random amount of it inside calls that submit or
// query; one piece at a time, in order within a queue.
//
// The memory is one mapping, which is inaccessible except while a piece of work runs: any other host access
// faults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

struct SimulatedDeviceOptions {
  uint64_t seed = 0;
  uint32_t queues = 4;
  size_t memory_bytes = size_t{256} << 20;  // address space; pages count once touched
  bool eager = true;                        // false: only waits (and step) run work, so everything is late
};

/// The steps of graphs in a driver, each of which can be made to fail.
enum class GraphStep { kBegin, kEnd, kMake, kUpdate, kLaunch };
inline constexpr size_t kGraphSteps = 5;

/// Functions of the driver's table that can be made to fail until further notice.
enum class DriverCall { kRecord, kWait, kWaitOnQueue, kQuery };
inline constexpr size_t kDriverCalls = 4;

/// Captured work, or the graph made of it (simulated_graphs.cc).
struct SimulatedGraph;

/// Thread safe. Registered as a driver during its lifetime; its resource keeps it alive.
class SimulatedDevice : public std::enable_shared_from_this<SimulatedDevice> {
 public:
  using Work = absl::AnyInvocable<Status()>;

  static Result<std::shared_ptr<SimulatedDevice>> create(const SimulatedDeviceOptions& options = {});
  /// The device behind the context of its driver's table.
  static SimulatedDevice& of(void* context) { return *static_cast<SimulatedDevice*>(context); }
  ~SimulatedDevice();
  SimulatedDevice(const SimulatedDevice&) = delete;
  SimulatedDevice& operator=(const SimulatedDevice&) = delete;

  uint32_t driver() const { return driver_id_; }
  uint32_t queues() const { return queue_count_; }
  /// The memory of this device, of kind kSimulated. Memory freed with a fence is reused only after the fence
  /// has passed.
  std::shared_ptr<MemoryResource> resource();

  /// Puts work on a queue. The work may touch device memory but must not call the device. An error or
  /// exception stays with the queue: later work on the queue is dropped, and waits for it return the error,
  /// until reset_queue(). Captured work runs once for each launch.
  Status submit(uint32_t queue, Work work);
  Status reset_queue(uint32_t queue);

  /// Nothing on a held queue runs until resume(); a wait that needs it returns failed_precondition.
  Status hold(uint32_t queue);
  Status resume(uint32_t queue);

  Result<Fence> record(uint32_t queue);
  Status wait(uint32_t queue, uint64_t sequence);
  Status wait_on_queue(uint32_t queue, uint32_t other_queue, uint64_t sequence);
  Result<bool> has_passed(uint32_t queue, uint64_t sequence);

  /// Makes the next such step fail with `error` (begin, make, update and launch then do nothing; end discards
  /// the capture).
  void fail_next(GraphStep step, Status error);
  /// Makes each such call fail with `error` and do nothing, until it is given ok_status().
  void fail_calls(DriverCall call, Status error);
  /// Stops the device for good, as after a fault: its work is dropped, and every call on a queue returns an
  /// error that is final.
  void stop();
  /// The number of captures and graphs not dropped yet.
  size_t graphs_in_use() const;

  /// Runs one piece of work, of a queue drawn from the seed; false if there is none.
  bool step();
  /// Runs everything; returns the first error that a queue carries.
  Status synchronize();

  /// From here on draws like a new device with that seed. The number of drivers is limited, so tests with
  /// many schedules share a device.
  void reseed(uint64_t seed);

  /// The number of pieces of work that have not run.
  size_t pending() const;
  size_t bytes_in_use() const;

 private:
  friend class SimulatedResource;
  struct Piece {
    Work work;                 // null: only waits
    uint32_t other_queue = 0;  // runs once that queue has passed `after`
    uint64_t after = 0;
  };
  struct Capturing {
    std::thread::id thread;
    bool is_spoilt = false;
    std::vector<std::shared_ptr<Work>> pieces;
  };
  struct Queue {
    std::deque<Piece> pieces;
    uint64_t submitted = 0;
    uint64_t passed = 0;
    Status error;
    bool is_held = false;
    std::optional<Capturing> capturing;
  };
  struct Returned {
    size_t offset;
    Fence last_use;
  };

  explicit SimulatedDevice(const SimulatedDeviceOptions& options);
  Status check_queue(uint32_t queue) const;
  Status set_held(uint32_t queue, bool is_held);
  Status enqueue(uint32_t queue, Piece piece);
  bool step_locked() FOREBAY_REQUIRES(mutex_);
  void run_some_locked() FOREBAY_REQUIRES(mutex_);
  Status run_piece(Work& work);
  bool is_runnable(const Queue& queue) const FOREBAY_REQUIRES(mutex_);
  static bool has_passed_locked(const Queue& queue, uint64_t sequence);
  Status refuse_in_capture(uint32_t queue) FOREBAY_REQUIRES(mutex_);
  Status refuse_in_capture_of_thread() FOREBAY_REQUIRES(mutex_);

  Status begin_capture(uint32_t queue);
  Result<SimulatedGraph*> end_capture(uint32_t queue);
  Result<SimulatedGraph*> make_graph(const SimulatedGraph& capture);
  Result<bool> update_graph(SimulatedGraph& graph, const SimulatedGraph& capture);
  Status launch_graph(uint32_t queue, SimulatedGraph& graph);
  void drop_graph(SimulatedGraph* graph);
  Status take_failure(GraphStep step) FOREBAY_REQUIRES(mutex_);
  Status refuse_call(DriverCall call, uint32_t queue) FOREBAY_REQUIRES(mutex_);
  static const DeviceGraphs& graph_table();
  static DeviceDriver make_table(SimulatedDevice* device);
  int code_of(const Status& status) const;  // the table's error code for `status`

  void add_all_memory();
  Result<void*> allocate(size_t bytes);
  void deallocate(void* pointer, Fence last_use);
  void free_block(size_t offset) FOREBAY_REQUIRES(mutex_);
  void take_back_returned() FOREBAY_REQUIRES(mutex_);

  const bool eager_;
  std::byte* memory_ = nullptr;
  const size_t memory_bytes_;
  uint32_t driver_id_ = 0;
  DeviceDriver table_{};

  const uint32_t queue_count_;

  mutable Mutex mutex_;
  std::mt19937_64 random_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Queue> queues_ FOREBAY_GUARDED_BY(mutex_);
  std::array<Status, kGraphSteps> failures_ FOREBAY_GUARDED_BY(mutex_);        // of the next such step
  std::array<Status, kDriverCalls> call_failures_ FOREBAY_GUARDED_BY(mutex_);  // of every such call
  bool has_stopped_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::unordered_map<const SimulatedGraph*, std::shared_ptr<SimulatedGraph>> graphs_
      FOREBAY_GUARDED_BY(mutex_);
  std::map<size_t, size_t> free_ FOREBAY_GUARDED_BY(mutex_);            // offset -> bytes, coalesced
  std::unordered_map<size_t, size_t> used_ FOREBAY_GUARDED_BY(mutex_);  // offset -> bytes
  std::vector<Returned> returned_ FOREBAY_GUARDED_BY(mutex_);           // freed, but still used by a queue
  size_t bytes_in_use_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::memory
