#include "forebay/memory/device_driver.h"

#include <array>
#include <atomic>

#include "forebay/memory/host_driver.h"

namespace forebay::memory {
namespace {

struct Registry {
  std::array<std::atomic<const DeviceDriver*>, kMaxDrivers> drivers{};
  std::atomic<uint32_t> next{1};

  Registry() { drivers[kHostDriver] = &host_driver(); }
};

Registry& registry() {
  static Registry* instance = new Registry;  // never destroyed: fences are queried during process exit
  return *instance;
}

Status driver_error(const DeviceDriver& driver, std::string_view action, int error) {
  return unavailable("{} of driver '{}': {}", action, driver.name, driver.error_text(driver.context, error));
}

Result<const DeviceDriver*> driver_of(uint32_t id) {
  const DeviceDriver* driver = find_driver(id);
  if (driver == nullptr) {
    return failed_precondition("there is no device driver {} (any more)", id);
  }
  return driver;
}

bool is_whole(const DeviceGraphs& graphs) {
  return graphs.begin_capture != nullptr && graphs.end_capture != nullptr && graphs.make_graph != nullptr &&
         graphs.update_graph != nullptr && graphs.launch_graph != nullptr && graphs.drop_capture != nullptr &&
         graphs.drop_graph != nullptr;
}

bool is_whole(const DeviceDriver& driver) {
  return driver.name != nullptr && driver.record != nullptr && driver.wait != nullptr &&
         driver.wait_on_queue != nullptr && driver.query != nullptr && driver.copy != nullptr &&
         driver.allocate != nullptr && driver.deallocate != nullptr && driver.error_text != nullptr &&
         driver.is_final != nullptr && (driver.graphs == nullptr || is_whole(*driver.graphs));
}

}  // namespace

Result<uint32_t> register_driver(const DeviceDriver& driver) {
  if (driver.version != kDeviceDriverVersion) {
    return invalid_argument("a device driver of version {}; this library supports version {}", driver.version,
                            kDeviceDriverVersion);
  }
  if (!is_whole(driver)) {
    return invalid_argument("the device driver '{}' lacks a function",
                            driver.name == nullptr ? "" : driver.name);
  }
  uint32_t id = registry().next.load();
  do {
    if (id >= kMaxDrivers) {
      return resource_exhausted("no more than {} device drivers in a process", kMaxDrivers);
    }
  } while (!registry().next.compare_exchange_weak(id, id + 1));
  registry().drivers[id].store(&driver, std::memory_order_release);
  return id;
}

void unregister_driver(uint32_t id) {
  if (id != kHostDriver && id < kMaxDrivers) {
    registry().drivers[id].store(nullptr, std::memory_order_release);
  }
}

const DeviceDriver* find_driver(uint32_t id) {
  return id < kMaxDrivers ? registry().drivers[id].load(std::memory_order_acquire) : nullptr;
}

Result<Fence> record(uint32_t driver, uint32_t queue) {
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* table, driver_of(driver));
  Fence fence{.driver = driver, .queue = queue};
  const int error = table->record(table->context, queue, &fence.sequence);
  if (error < 0) {
    return driver_error(*table, "record", error);
  }
  return fence;
}

Status wait(const Fence& fence) {
  if (fence.is_trivial()) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* table, driver_of(fence.driver));
  const int error = table->wait(table->context, fence.queue, fence.sequence);
  return error < 0 ? driver_error(*table, "wait", error) : ok_status();
}

Result<bool> has_passed(const Fence& fence) {
  if (fence.is_trivial()) {
    return true;
  }
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* table, driver_of(fence.driver));
  const int answer = table->query(table->context, fence.queue, fence.sequence);
  if (answer < 0) {
    return driver_error(*table, "query", answer);
  }
  return answer != 0;
}

Status wait_on_queue(uint32_t driver, uint32_t queue, const Fence& fence) {
  if (fence.is_trivial()) {
    return ok_status();
  }
  if (fence.driver == driver && fence.queue == queue) {
    return ok_status();  // a queue keeps its own order
  }
  if (fence.driver != driver || fence.sequence == kEndOfQueue) {
    return wait(fence);
  }
  FOREBAY_ASSIGN_OR_RETURN(const DeviceDriver* table, driver_of(driver));
  const int error = table->wait_on_queue(table->context, queue, fence.queue, fence.sequence);
  return error < 0 ? driver_error(*table, "wait on queue", error) : ok_status();
}

}  // namespace forebay::memory
