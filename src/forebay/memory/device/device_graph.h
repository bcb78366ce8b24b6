// Work of a device that is put on a queue again and again by one call: caught while it is put on a queue,
// made into a graph, launched. The C++ face of ForebayDeviceGraphs.
//
// Nothing here is thread safe; a capture is begun and ended by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/base/status.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Gives a driver's object back to it, unless the driver is gone.
struct DropCapture {
  uint32_t driver = 0;
  void operator()(void* capture) const;
};
struct DropGraph {
  uint32_t driver = 0;
  void operator()(void* graph) const;
};

/// Whether the driver of that id knows graphs.
bool has_graphs(uint32_t driver);

/// Whether the calling thread is between Capture::begin() and its end, and so may neither ask drivers about
/// points nor record any.
bool is_capturing();

/// Work that was put on a queue, and kept instead of done.
class CapturedWork {
 public:
  size_t pieces() const { return pieces_; }

 private:
  friend class Capture;
  friend class DeviceGraph;
  CapturedWork(uint32_t driver, void* handle, size_t pieces)
      : handle_(handle, DropCapture{driver}), pieces_(pieces) {}

  std::unique_ptr<void, DropCapture> handle_;
  size_t pieces_ = 0;
};

/// From begin() to end(), or to the end of its life, what is put on the queue is kept. Meanwhile nobody else
/// may use the queue.
class Capture {
 public:
  /// unimplemented where the driver knows no graphs; else what it says.
  static Result<Capture> begin(Queue queue);
  ~Capture();
  Capture(Capture&& other) noexcept : queue_(other.queue_), is_open_(std::exchange(other.is_open_, false)) {}
  Capture& operator=(Capture&&) = delete;

  /// Once. An error when something was asked meanwhile that a capture does not allow: nothing is kept then.
  Result<CapturedWork> end();

 private:
  explicit Capture(Queue queue) : queue_(queue) {}

  Queue queue_;
  bool is_open_ = true;
};

/// A graph. It and all memory that its work uses must live until the device has passed its last launch.
class DeviceGraph {
 public:
  static Result<DeviceGraph> make(const CapturedWork& work);

  /// From the next launch on it does `work`; false when that has another shape. After false or an error the
  /// graph may not be launched any more.
  Result<bool> update(const CapturedWork& work);
  /// Puts its work on a queue of its driver. An error: nothing was put there.
  Status launch(uint32_t queue);

 private:
  DeviceGraph(uint32_t driver, void* handle) : handle_(handle, DropGraph{driver}) {}

  std::unique_ptr<void, DropGraph> handle_;
};

}  // namespace forebay::memory
