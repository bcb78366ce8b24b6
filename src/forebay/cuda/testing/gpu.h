// Tests that need a GPU. For test programs only: it uses GoogleTest.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "forebay/cuda/check/pattern.h"
#include "forebay/cuda/device.h"

namespace forebay::cuda {

/// Skips its tests, with the reason, if there is no driver, or fails them if FOREBAY_REQUIRE_GPU is set. All
/// tests of a process share the device.
class GpuTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kQueues = 4;

  void SetUp() override;
  void TearDown() override;

  memory::Queue queue(uint32_t number) const { return device_->queue(number); }
  /// Loads the kernels; skips the test if the build has none.
  void need_pattern();

  std::shared_ptr<Device> device_;
  std::shared_ptr<const Pattern> pattern_;
};

/// Holds up everything put on a queue from now on, until resume() or destruction. While it holds, nothing may
/// be called that waits for the whole device, which includes allocating memory from the driver.
class HeldQueue {
 public:
  HeldQueue(Device& device, uint32_t queue);
  ~HeldQueue() { resume(); }
  HeldQueue(const HeldQueue&) = delete;
  HeldQueue& operator=(const HeldQueue&) = delete;

  void resume();

 private:
  const std::shared_ptr<std::atomic<bool>> is_held_;  // shared with the stream
};

}  // namespace forebay::cuda
