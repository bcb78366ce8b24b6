#include "forebay/memory/device_graph.h"

#include "forebay/memory/device_driver.h"

namespace forebay::memory {
namespace {

Result<const DeviceDriver*> driver_with_graphs(uint32_t id) {
  const DeviceDriver* const driver = find_driver(id);
  if (driver == nullptr) {
    return failed_precondition("there is no device driver {} (any more)", id);
  }
  if (driver->graphs == nullptr) {
    return unimplemented("the driver '{}' does not support graphs", driver->name);
  }
  return driver;
}

Status status_of(const DeviceDriver& driver, std::string_view action, int answer) {
  if (answer >= 0) {
    return ok_status();
  }
  return unavailable("{} of driver '{}': {}", action, driver.name, driver.error_text(driver.context, answer));
}

thread_local int open_captures = 0;

}  // namespace

bool is_capturing() {
  return open_captures > 0;
}

bool has_graphs(uint32_t driver) {
  return driver_with_graphs(driver).ok();
}

void DropCapture::operator()(void* capture) const {
  if (const Result<const DeviceDriver*> table = driver_with_graphs(driver); table.ok()) {
    (*table)->graphs->drop_capture((*table)->context, capture);
  }
}

void DropGraph::operator()(void* graph) const {
  if (const Result<const DeviceDriver*> table = driver_with_graphs(driver); table.ok()) {
    (*table)->graphs->drop_graph((*table)->context, graph);
  }
}

Result<Capture> Capture::begin(Queue queue) {
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* driver, driver_with_graphs(queue.driver));
  FOREBAY_RETURN_IF_ERROR(
      status_of(*driver, "beginning a capture", driver->graphs->begin_capture(driver->context, queue.queue)));
  ++open_captures;
  return Capture(queue);
}

Capture::~Capture() {
  if (is_open_) {
    (void)end();
  }
}

Result<CapturedWork> Capture::end() {
  if (!std::exchange(is_open_, false)) {
    return failed_precondition("the capture has already ended");
  }
  --open_captures;
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* driver, driver_with_graphs(queue_.driver));
  void* handle = nullptr;
  size_t pieces = 0;
  FOREBAY_RETURN_IF_ERROR(
      status_of(*driver, "ending a capture",
                driver->graphs->end_capture(driver->context, queue_.queue, &handle, &pieces)));
  return CapturedWork(queue_.driver, handle, pieces);
}

Result<DeviceGraph> DeviceGraph::make(const CapturedWork& work) {
  const uint32_t id = work.handle_.get_deleter().driver;
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* driver, driver_with_graphs(id));
  void* handle = nullptr;
  FOREBAY_RETURN_IF_ERROR(status_of(
      *driver, "a graph", driver->graphs->make_graph(driver->context, work.handle_.get(), &handle)));
  return DeviceGraph(id, handle);
}

Result<bool> DeviceGraph::update(const CapturedWork& work) {
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* driver, driver_with_graphs(handle_.get_deleter().driver));
  const int answer = driver->graphs->update_graph(driver->context, handle_.get(), work.handle_.get());
  FOREBAY_RETURN_IF_ERROR(status_of(*driver, "updating a graph", answer));
  return answer != 0;
}

Status DeviceGraph::launch(uint32_t queue) {
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* driver, driver_with_graphs(handle_.get_deleter().driver));
  return status_of(*driver, "launching a graph",
                   driver->graphs->launch_graph(driver->context, queue, handle_.get()));
}

}  // namespace forebay::memory
