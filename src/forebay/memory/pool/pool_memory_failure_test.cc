// Blocks come back to a pool even when the process has no memory left: that path may not throw.
#include <gtest/gtest.h>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/memory/testing/failing_new.h"

namespace forebay::memory {
namespace {

class PoolMemoryFailureTest : public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 4096;

  void give_back_without_memory(void* block, Queue queue) {
    {
      const testing::FailingNew failing(0, testing::kAllLater);
      pool_->deallocate_on(block, kBytes, queue);
    }
    EXPECT_EQ(pool_->statistics().out_bytes, 0u);
  }

  const std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.memory_bytes = kBytes});
  const std::shared_ptr<Pool> pool_ = *Pool::create({.maximum_bytes = size_t{1} << 20, .cache_bytes = 0});
};

TEST_F(PoolMemoryFailureTest, ABlockComesBackFromAQueueThatIsNew) {
  give_back_without_memory(*pool_->allocate(kBytes), {device_->driver(), 1});
}

TEST_F(PoolMemoryFailureTest, TheFirstBlockOfAQueueComesBack) {
  const Queue queue{device_->driver(), 0};
  give_back_without_memory(*pool_->allocate_on(kBytes, queue), queue);
}

}  // namespace
}  // namespace forebay::memory
