// What a device must offer so that its memory and queues can be used: a C table, so that drivers need not
// share a compiler with the library. Drivers are registered under a small id, which is what a Fence carries.
// Id 0 is the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"

extern "C" {

/// What a device may offer besides: work that is kept as a graph, to be put on a queue again and again by one
/// call. Functions answer as those of the driver's table do. See memory/device/device_graph.h.
struct ForebayDeviceGraphs {
  /// What is put on `queue` from now on is not done but kept. Until the end the queue has no points: asking
  /// for one, or making the queue wait, is an error and spoils what is kept, as does whatever else the device
  /// does not allow then to the thread that began (CUDA: to take memory, to wait).
  int (*begin_capture)(void* context, uint32_t queue);
  /// On the same thread; the queue is as before, whatever comes of it. What was kept, to be given back by
  /// drop_capture, and how many pieces of work that is; an error when it was spoilt.
  int (*end_capture)(void* context, uint32_t queue, void** capture, size_t* pieces);
  /// What can be launched of it, to be given back by drop_graph. `capture` may go.
  int (*make_graph)(void* context, void* capture, void** graph);
  /// 1: from the next launch on `graph` does what was kept in `capture`; 0: that has another shape. Then, and
  /// after an error, the graph can only be dropped.
  int (*update_graph)(void* context, void* graph, void* capture);
  /// Puts the graph's work on `queue`; an error when none of it was put there.
  int (*launch_graph)(void* context, uint32_t queue, void* graph);
  void (*drop_capture)(void* context, void* capture);
  /// After the last launch has been passed.
  void (*drop_graph)(void* context, void* graph);
};

/// Functions return 0 for success (query: 1 passed, 0 not yet) and a negative number for an error, which
/// `error_text` puts into words. All may be called from any thread.
struct ForebayDeviceDriver {
  uint32_t version;  // kDeviceDriverVersion
  const char* name;  // static
  void* context;     // handed to every function

  /// A point behind everything that was put on `queue` so far.
  int (*record)(void* context, uint32_t queue, uint64_t* sequence);
  /// The calling thread waits until `queue` has passed `sequence`; the error of work before that point, if
  /// any. kEndOfQueue: until all that was put on it so far is done, with no need of a point.
  int (*wait)(void* context, uint32_t queue, uint64_t sequence);
  /// Makes later work of `queue` wait until `other_queue` of the same driver has passed `sequence`; does not
  /// block.
  int (*wait_on_queue)(void* context, uint32_t queue, uint32_t other_queue, uint64_t sequence);
  /// 1 when `queue` has passed `sequence`, else 0. kEndOfQueue: when nothing is left on it.
  int (*query)(void* context, uint32_t queue, uint64_t sequence);
  /// Puts a copy on `queue`; each side may be the host's or the device's memory. Both stay valid until it is
  /// done.
  int (*copy)(void* context, uint32_t queue, void* destination, const void* source, size_t bytes);
  /// At least `bytes` bytes of the device's memory, aligned to 64.
  int (*allocate)(void* context, size_t bytes, void** pointer);
  /// Takes it back at once: the caller has seen to it that no queue uses it any more.
  void (*deallocate)(void* context, void* pointer, size_t bytes);
  /// The words for an error number that one of the functions returned; never null.
  const char* (*error_text)(void* context, int error);
  /// 1 when `error`, which one of the functions returned, says that the device has stopped for good: nothing
  /// that was put on its queues uses memory any more, and nothing can be put there. Else 0.
  int (*is_final)(void* context, int error);
  /// Null: the device cannot. Static, and whole.
  const struct ForebayDeviceGraphs* graphs;
};

}  // extern "C"

namespace forebay::memory {

using DeviceDriver = ForebayDeviceDriver;
using DeviceGraphs = ForebayDeviceGraphs;

inline constexpr uint32_t kDeviceDriverVersion = 3;  // 2: graphs; 3: is_final, kEndOfQueue
inline constexpr uint32_t kHostDriver = 0;
inline constexpr uint32_t kMaxDrivers = 256;
/// In place of a sequence, where no point could be recorded: the end of the queue when it is asked for.
inline constexpr uint64_t kEndOfQueue = ~uint64_t{0};

/// Makes a driver known; its id. The table must live until unregister_driver. Ids are not used again.
/// invalid_argument for another version or a missing function; resource_exhausted after kMaxDrivers.
Result<uint32_t> register_driver(const DeviceDriver& driver);
void unregister_driver(uint32_t id);

/// The driver of that id; nullptr when there is none (any more). Lock-free.
const DeviceDriver* find_driver(uint32_t id);

/// The functions of the table for fences. A fence of a driver that is gone gives failed_precondition. An
/// error does not say that memory is free: memory/device/last_use.h does.
Result<Fence> record(uint32_t driver, uint32_t queue);
Status wait(const Fence& fence);
Result<bool> has_passed(const Fence& fence);
/// Later work of `queue` of `driver` starts after `fence`: on the device when it is a point of the same
/// driver, else this thread waits for it first.
Status wait_on_queue(uint32_t driver, uint32_t queue, const Fence& fence);

}  // namespace forebay::memory
