#include "forebay/cuda/testing/gpu.h"

#include <cstdlib>

#include "forebay/cuda/driver/driver_functions.h"

namespace forebay::cuda {
namespace {

Result<std::shared_ptr<Device>> shared_device(uint32_t queues) {
  // Never destroyed: its memory may be freed during process exit.
  static const auto& device = *new Result<std::shared_ptr<Device>>(Device::create({.queues = queues}));
  return device;
}

Result<std::shared_ptr<const Pattern>> shared_pattern(const std::shared_ptr<Device>& device) {
  static const auto& pattern = *new Result<std::unique_ptr<Pattern>>(Pattern::load(device));
  if (!pattern.ok()) {
    return pattern.status();
  }
  return std::shared_ptr<const Pattern>(std::shared_ptr<void>(), pattern->get());
}

using HeldFlag = std::shared_ptr<std::atomic<bool>>;

// Runs on a driver thread, where no CUDA function may be called.
void wait_until_resumed(void* context) {
  const std::unique_ptr<HeldFlag> is_held(static_cast<HeldFlag*>(context));
  (*is_held)->wait(true);
}

}  // namespace

void GpuTest::SetUp() {
  const Status driver = driver_functions().status();
  if (!driver.ok()) {
    ASSERT_EQ(std::getenv("FOREBAY_REQUIRE_GPU"), nullptr) << driver;
    GTEST_SKIP() << "needs a GPU: " << message(driver);
  }
  const Result<std::shared_ptr<Device>> device = shared_device(kQueues);
  ASSERT_TRUE(device.ok()) << device.status();
  device_ = *device;
}

void GpuTest::TearDown() {
  if (device_ != nullptr) {
    EXPECT_EQ(device_->synchronize(), ok_status());
  }
}

void GpuTest::need_pattern() {
  const Result<std::shared_ptr<const Pattern>> pattern = shared_pattern(device_);
  if (!pattern.ok() && kernel_targets().empty()) {
    GTEST_SKIP() << message(pattern.status());
  }
  ASSERT_TRUE(pattern.ok()) << pattern.status();
  pattern_ = *pattern;
}

HeldQueue::HeldQueue(Device& device, uint32_t queue) : is_held_(std::make_shared<std::atomic<bool>>(true)) {
  const ContextScope scope(*device.context());
  const int error = device.context()->functions().launch_host(*device.stream_of(queue), wait_until_resumed,
                                                              new HeldFlag(is_held_));
  EXPECT_EQ(error, kSuccess);
}

void HeldQueue::resume() {
  is_held_->store(false);
  is_held_->notify_all();
}

}  // namespace forebay::cuda
