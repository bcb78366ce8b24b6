#include "forebay/exchange/devices/device_pool.h"

#include <gtest/gtest.h>

#include "forebay/base/units.h"
#include "forebay/exchange/testing/stream_names.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::exchange {
namespace {

using memory::SimulatedDevice;

class DevicePoolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = *SimulatedDevice::create({.seed = 11, .memory_bytes = 256 * kMiB, .eager = false});
    set_stream_names(device_->driver(), std::make_shared<TestNames>());
    pool_ = *DevicePool::create(device_->driver(), memory::MemoryKind::kSimulated, 192 * kMiB);
  }
  void TearDown() override {
    pool_.reset();
    set_stream_names(device_->driver(), nullptr);
  }

  std::shared_ptr<SimulatedDevice> device_;
  std::shared_ptr<DevicePool> pool_;
};

TEST_F(DevicePoolTest, AStreamGetsItsBlockBackAtOnceWithoutAnEvent) {
  void* const block = *pool_->allocate(kMiB, 0, 1000);
  ASSERT_TRUE(device_->submit(0, [] { return ok_status(); }).ok());
  pool_->deallocate(block, kMiB, 1000);
  EXPECT_EQ(*pool_->allocate(kMiB, 0, 0), block);  // the null handle is the same queue
  EXPECT_EQ(pool_->statistics().events, 0);
  pool_->deallocate(block, kMiB, 0);
}

TEST_F(DevicePoolTest, AnotherStreamGetsItBehindTheFirst) {
  const uint64_t all = 192 * kMiB;
  auto* const block = static_cast<uint8_t*>(*pool_->allocate(all, 0, 1002));
  ASSERT_TRUE(device_
                  ->submit(2,
                           [block] {
                             *block = 1;
                             return ok_status();
                           })
                  .ok());
  pool_->deallocate(block, all, 1002);
  ASSERT_EQ(*pool_->allocate(all, 0, 1003), block);
  uint8_t seen = 0;
  ASSERT_TRUE(device_
                  ->submit(3,
                           [&seen, block] {
                             seen = *block;
                             return ok_status();
                           })
                  .ok());
  ASSERT_TRUE(device_->synchronize().ok());
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(pool_->statistics().steals, 1);
  pool_->deallocate(block, all, 1003);
}

TEST_F(DevicePoolTest, RefusalsHaveWords) {
  EXPECT_EQ(pool_->allocate(kMiB, 1, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(pool_->allocate(kMiB, 0, 77).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(pool_->allocate(500 * kMiB, 0, 0).status().code(), StatusCode::kResourceExhausted);
}

TEST_F(DevicePoolTest, AStreamThatIsGoneCountsAsTheDefaultOne) {
  void* const block = *pool_->allocate(kMiB, 0, 1001);
  pool_->deallocate(block, kMiB, 77);
  EXPECT_EQ(pool_->statistics().out_bytes, 0);
}

TEST(ProcessDevicePoolTest, WithoutADeviceItSaysSo) {
  const auto pool = process_device_pool();
  EXPECT_EQ(pool.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(made_device_pool(), nullptr);
}

}  // namespace
}  // namespace forebay::exchange
