// What a device must provide so that its memory and queues can be used. It is a C table, so drivers and the
// library may come from different compilers. Drivers are registered under a small id, which Fences carry. Id
// 0 is the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"

extern "C" {

/// Optional for a device: graphs, that is, recorded work that one call puts on a queue again and again.
/// Return values follow the same rules as the driver's table. See memory/device_graph.h.
struct ForebayDeviceGraphs {
  /// From here on, work put on `queue` is recorded instead of run. Until end_capture the queue has no points:
  /// recording a point, or making the queue wait, is an error and invalidates the capture, as does anything
  /// else that the device forbids the capturing thread (CUDA: allocating memory, waiting).
  int (*begin_capture)(void* context, uint32_t queue);
  /// Ends the capture, on the thread that began it; the queue is usable again whatever the result. Returns
  /// the recorded work, to be freed by drop_capture, and its number of pieces; an error if the capture was
  /// invalidated.
  int (*end_capture)(void* context, uint32_t queue, void** capture, size_t* pieces);
  /// Makes a launchable graph, to be freed by drop_graph. `capture` may be freed afterwards.
  int (*make_graph)(void* context, void* capture, void** graph);
  /// 1: from the next launch on, `graph` does the work of `capture`; 0: `capture` has a different shape.
  /// After 0 or an error the graph can only be dropped.
  int (*update_graph)(void* context, void* graph, void* capture);
  /// Puts the graph's work on `queue`; after an error nothing was put there.
  int (*launch_graph)(void* context, uint32_t queue, void* graph);
  void (*drop_capture)(void* context, void* capture);
  /// Call it after the queue has passed the last launch.
  void (*drop_graph)(void* context, void* graph);
};

/// Functions return 0 for success (query: 1 passed, 0 not yet) and a negative error number, which
/// `error_text` describes. All may be called from any thread.
struct ForebayDeviceDriver {
  uint32_t version;  // kDeviceDriverVersion
  const char* name;  // static storage
  void* context;     // passed to every function

  /// Records a point behind everything put on `queue` so far.
  int (*record)(void* context, uint32_t queue, uint64_t* sequence);
  /// Blocks until `queue` has passed `sequence`. Returns the error of work before that point, if any.
  /// kEndOfQueue: blocks until all work put on the queue so far is done; needs no point.
  int (*wait)(void* context, uint32_t queue, uint64_t sequence);
  /// Makes later work of `queue` wait until `other_queue` of the same driver has passed `sequence`; does not
  /// block.
  int (*wait_on_queue)(void* context, uint32_t queue, uint32_t other_queue, uint64_t sequence);
  /// Returns 1 if `queue` has passed `sequence`, else 0. kEndOfQueue: 1 if no work is left on it.
  int (*query)(void* context, uint32_t queue, uint64_t sequence);
  /// Puts a copy on `queue`. Each side may be host or device memory, and must stay valid until the copy is
  /// done.
  int (*copy)(void* context, uint32_t queue, void* destination, const void* source, size_t bytes);
  /// Allocates at least `bytes` bytes of device memory, aligned to 64.
  int (*allocate)(void* context, size_t bytes, void** pointer);
  /// Frees the memory at once: the caller ensures that no queue uses it any more.
  void (*deallocate)(void* context, void* pointer, size_t bytes);
  /// Describes an error number that one of the functions returned; never null.
  const char* (*error_text)(void* context, int error);
  /// Returns 1 if `error`, which one of the functions returned, means that the device has stopped for good:
  /// work on its queues uses no memory any more, and nothing can be put there. Otherwise 0.
  int (*is_final)(void* context, int error);
  /// Null if the device does not support graphs. Must be static and complete.
  const struct ForebayDeviceGraphs* graphs;
};

}  // extern "C"

namespace forebay::memory {

using DeviceDriver = ForebayDeviceDriver;
using DeviceGraphs = ForebayDeviceGraphs;

inline constexpr uint32_t kDeviceDriverVersion = 3;  // 2: graphs; 3: is_final, kEndOfQueue
inline constexpr uint32_t kHostDriver = 0;
inline constexpr uint32_t kMaxDrivers = 4096;
/// Replaces a sequence where no point could be recorded: the end of the queue at the time of asking.
inline constexpr uint64_t kEndOfQueue = ~uint64_t{0};

/// Registers a driver and returns its id. The table must live until unregister_driver. Ids are not reused.
/// invalid_argument for another version or a missing function; resource_exhausted after kMaxDrivers.
Result<uint32_t> register_driver(const DeviceDriver& driver);
void unregister_driver(uint32_t id);

/// Returns the driver with that id; nullptr if there is none, or none any more. Lock-free.
const DeviceDriver* find_driver(uint32_t id);

/// The table's functions, applied to fences. A fence of an unregistered driver gives failed_precondition. An
/// error does not mean that the memory is unused; memory/last_use.h decides that.
Result<Fence> record(uint32_t driver, uint32_t queue);
Status wait(const Fence& fence);
Result<bool> has_passed(const Fence& fence);
/// Makes later work on `queue` of `driver` start after `fence`: on the device if it is a point of the same
/// driver, otherwise this thread first waits for it.
Status wait_on_queue(uint32_t driver, uint32_t queue, const Fence& fence);

}  // namespace forebay::memory
