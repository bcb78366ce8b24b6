#include "forebay/cuda/queues/driver_queue.h"

#include <utility>

#include "forebay/memory/device_driver.h"
#include "forebay/memory/last_use.h"

namespace forebay::cuda {
namespace {

class DriverQueue final : public engine::DeviceQueue {
 public:
  DriverQueue(memory::Queue queue, std::shared_ptr<const void> device)
      : queue_(queue), device_(std::move(device)) {}

  // If no point can be recorded, the end of the queue serves as one: its tasks are not done before that.
  Result<Fence> record() override {
    Result<Fence> point = memory::record(queue_.driver, queue_.queue);
    const Fence end = point.ok() ? *point : memory::end_of_queue(queue_.driver, queue_.queue);
    return end.is_trivial() ? point : Result<Fence>(end);
  }
  Status wait_for(const Fence& fence) override {
    return memory::wait_on_queue(queue_.driver, queue_.queue, fence);
  }
  Status wait(const Fence& fence) override { return memory::wait(fence); }
  Result<bool> has_passed(const Fence& fence) override { return memory::has_passed(fence); }

 private:
  const memory::Queue queue_;
  const std::shared_ptr<const void> device_;
};

}  // namespace

std::shared_ptr<engine::DeviceQueue> driver_queue(memory::Queue queue, std::shared_ptr<const void> device) {
  return std::make_shared<DriverQueue>(queue, std::move(device));
}

}  // namespace forebay::cuda
