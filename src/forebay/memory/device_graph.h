// Device work that one call puts on a queue again and again: captured while it is put on a queue, made into a
// graph, launched. The C++ interface to ForebayDeviceGraphs.
//
// Nothing here is thread safe; a capture begins and ends on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/base/status.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Frees a driver's object, unless the driver is unregistered.
struct DropCapture {
  uint32_t driver = 0;
  void operator()(void* capture) const;
};
struct DropGraph {
  uint32_t driver = 0;
  void operator()(void* graph) const;
};

/// Whether the driver with that id supports graphs.
bool has_graphs(uint32_t driver);

/// Whether the calling thread is inside a Capture, where it may neither query nor record points.
bool is_capturing();

/// Work that was put on a queue and recorded instead of run.
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

/// From begin() until end() or destruction, work put on the queue is recorded. Nobody else may use the queue
/// meanwhile.
class Capture {
 public:
  /// unimplemented if the driver has no graphs; otherwise the driver's error.
  static Result<Capture> begin(Queue queue);
  ~Capture();
  Capture(Capture&& other) noexcept : queue_(other.queue_), is_open_(std::exchange(other.is_open_, false)) {}
  Capture& operator=(Capture&&) = delete;

  /// Ends the capture; call it once. Returns an error, and keeps nothing, if something happened that a
  /// capture does not allow.
  Result<CapturedWork> end();

 private:
  explicit Capture(Queue queue) : queue_(queue) {}

  Queue queue_;
  bool is_open_ = true;
};

/// A launchable graph. The graph and all memory that its work uses must live until the device has passed its
/// last launch.
class DeviceGraph {
 public:
  static Result<DeviceGraph> make(const CapturedWork& work);

  /// Makes it do `work` from the next launch on; false if `work` has a different shape. After false or an
  /// error the graph must not be launched any more.
  Result<bool> update(const CapturedWork& work);
  /// Puts its work on a queue of its driver. After an error nothing was put there.
  Status launch(uint32_t queue);

 private:
  DeviceGraph(uint32_t driver, void* handle) : handle_(handle, DropGraph{driver}) {}

  std::unique_ptr<void, DropGraph> handle_;
};

}  // namespace forebay::memory
