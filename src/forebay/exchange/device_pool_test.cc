#include "forebay/exchange/device_pool.h"

#include <gtest/gtest.h>

#include "forebay/exchange/streams.h"
#include "forebay/memory/simulated_device.h"

namespace forebay::exchange {
namespace {

using memory::SimulatedDevice;

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Streams 1 and 2 are queues 0 and 1; handles are 1000 + queue.
class Names final : public StreamNames {
 public:
  Result<uint32_t> queue_of(uint64_t stream) const override {
    if (stream == 1 || stream == 2) {
      return static_cast<uint32_t>(stream - 1);
    }
    if (stream < 1000 || stream > 1003) {
      return invalid_argument("no stream {}", stream);
    }
    return static_cast<uint32_t>(stream - 1000);
  }
  Result<uint64_t> stream_of(uint32_t queue) const override { return uint64_t{1000} + queue; }
};

class DevicePoolTest : public testing::Test {
 protected:
  void SetUp() override {
    device_ = *SimulatedDevice::create({.seed = 11, .memory_bytes = 256 * kMiB, .eager = false});
    set_stream_names(device_->driver(), std::make_shared<Names>());
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
