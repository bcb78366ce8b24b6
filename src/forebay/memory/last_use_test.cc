// Memory used by a queue is free only when that is known, whatever the device's driver answers.
#include "forebay/memory/last_use.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>

#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/device_graph.h"
#include "forebay/memory/host/host_pool.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::memory {
namespace {

constexpr size_t kUsedBytes = size_t{64} << 10;
const Status kFull = resource_exhausted("the device is full");

class LastUseTest : public ::testing::Test {
 protected:
  /// Puts work on the queue that is not over before somebody waits for it.
  void put_work(uint32_t queue) {
    ASSERT_EQ(device_->submit(queue,
                              [this] {
                                ++done_;
                                return ok_status();
                              }),
              ok_status());
  }
  void fail(std::initializer_list<DriverCall> calls, const Status& error) {
    for (const DriverCall call : calls) {
      device_->fail_calls(call, error);
    }
  }

  std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.queues = 3, .eager = false});
  int done_ = 0;
};

TEST_F(LastUseTest, WithoutAPointTheEndOfTheQueueIsWaitedFor) {
  put_work(1);
  fail({DriverCall::kRecord}, kFull);
  const Fence end = end_of_queue(device_->driver(), 1);
  EXPECT_EQ(end.sequence, kEndOfQueue);
  EXPECT_FALSE(is_over(end));
  EXPECT_TRUE(wait_until_over(end));
  EXPECT_EQ(done_, 1);
  EXPECT_TRUE(is_over(end));
}

TEST_F(LastUseTest, AnotherQueueComesBehindTheEndOfAQueue) {
  put_work(1);
  fail({DriverCall::kRecord}, kFull);
  ASSERT_EQ(wait_on_queue(device_->driver(), 2, end_of_queue(device_->driver(), 1)), ok_status());
  EXPECT_EQ(done_, 1);
}

TEST_F(LastUseTest, AnErrorOfWorkBeforeThePointDoesNotKeepMemory) {
  ASSERT_EQ(device_->submit(1, [] { return data_loss("an illegal value"); }), ok_status());
  const Fence fence = *device_->record(1);
  EXPECT_TRUE(wait_until_over(fence));
  EXPECT_NE(wait(fence), ok_status());
}

TEST_F(LastUseTest, ADeviceThatHasStoppedUsesNothing) {
  put_work(1);
  const Fence fence = *device_->record(1);
  device_->stop();
  EXPECT_NE(wait(fence), ok_status());
  EXPECT_TRUE(is_over(fence));
  EXPECT_TRUE(wait_until_over(fence));
  EXPECT_TRUE(end_of_queue(device_->driver(), 1).is_trivial());
  EXPECT_EQ(done_, 0);
}

TEST_F(LastUseTest, ADriverThatIsGoneUsesNothing) {
  put_work(1);
  const Fence fence = *device_->record(1);
  device_.reset();
  EXPECT_TRUE(is_over(fence));
  EXPECT_TRUE(wait_until_over(fence));
  EXPECT_TRUE(end_of_queue(fence.driver, 1).is_trivial());
}

TEST_F(LastUseTest, WhatNobodyCanSayIsKeptUntilSomebodyCan) {
  put_work(1);
  const Fence fence = *device_->record(1);
  fail({DriverCall::kWait, DriverCall::kQuery}, unavailable("a bit fell over"));
  bool is_back = false;
  give_back_after(fence, [&] { is_back = true; });
  EXPECT_FALSE(is_back);
  EXPECT_EQ(give_back_kept(), 1);
  fail({DriverCall::kWait, DriverCall::kQuery}, ok_status());
  EXPECT_EQ(give_back_kept(), 1) << "still in use";
  ASSERT_EQ(device_->synchronize(), ok_status());
  EXPECT_EQ(give_back_kept(), 0);
  EXPECT_TRUE(is_back);
}

TEST_F(LastUseTest, ACopyThatWasPutOnTheQueueIsNoError) {
  std::array<std::byte, 64> from{};
  from.fill(std::byte{7});
  std::array<std::byte, 64> to{};
  fail({DriverCall::kRecord}, kFull);
  const Result<Fence> copied = copy_async(device_->driver(), 1, to.data(), from.data(), to.size());
  ASSERT_EQ(copied.status(), ok_status());
  EXPECT_FALSE(is_over(*copied));
  EXPECT_EQ(wait(*copied), ok_status());
  EXPECT_EQ(to, from);
}

TEST_F(LastUseTest, BothEndsOfACopyWithoutAPointStayUntilItIsDone) {
  auto pool = std::make_shared<HostPool>();
  BufferRef from = *Buffer::allocate(kUsedBytes, pool);
  BufferRef to = *Buffer::allocate(kUsedBytes, pool);
  const std::array<const void*, 2> ends{from->data(), to->data()};
  fail({DriverCall::kRecord}, kFull);
  const Result<Fence> copied = copy_async(device_->driver(), 1, to->data(), from->data(), kUsedBytes);
  ASSERT_EQ(copied.status(), ok_status());
  from->add_reader(*copied);
  to->set_last_write(*copied);
  from.reset();
  to.reset();
  EXPECT_EQ(pool->statistics().waiting_blocks, 2);
  void* const other = *pool->allocate(kUsedBytes);
  EXPECT_NE(other, ends[0]);
  EXPECT_NE(other, ends[1]);
  ASSERT_EQ(device_->synchronize(), ok_status());
  pool->deallocate(other, kUsedBytes, Fence{});
}

TEST_F(LastUseTest, ABufferOfSeveralQueuesStaysUntilAllAreDone) {
  auto pool = std::make_shared<HostPool>();
  BufferRef buffer = *Buffer::allocate(kUsedBytes, pool);
  const void* const block = buffer->data();
  put_work(1);
  put_work(2);
  buffer->add_reader(*device_->record(1));
  buffer->add_reader(*device_->record(2));
  fail({DriverCall::kWait, DriverCall::kQuery}, unavailable("a bit fell over"));
  buffer.reset();
  void* const other = *pool->allocate(kUsedBytes);
  EXPECT_NE(other, block);
  fail({DriverCall::kWait, DriverCall::kQuery}, ok_status());
  ASSERT_EQ(device_->synchronize(), ok_status());
  EXPECT_EQ(give_back_kept(), 0);
  void* const again = *pool->allocate(kUsedBytes);
  EXPECT_EQ(again, block);
  pool->deallocate(other, kUsedBytes, Fence{});
  pool->deallocate(again, kUsedBytes, Fence{});
}

TEST_F(LastUseTest, MemoryThatComesBackDuringACaptureSpoilsNothing) {
  put_work(1);
  HostPool pool;
  void* const block = *pool.allocate(kUsedBytes);
  const Fence fence = *device_->record(1);
  Result<Capture> capture = Capture::begin({device_->driver(), 1});
  ASSERT_EQ(capture.status(), ok_status());
  EXPECT_TRUE(is_capturing());
  pool.deallocate(block, kUsedBytes, fence);
  bool is_back = false;
  give_back_after(fence, [&] { is_back = true; });
  EXPECT_FALSE(is_back);
  EXPECT_EQ(end_of_queue(device_->driver(), 1).sequence, kEndOfQueue);
  EXPECT_EQ(capture->end().status(), ok_status());
  EXPECT_FALSE(is_capturing());
  EXPECT_EQ(pool.statistics().waiting_blocks, 1);
  ASSERT_EQ(device_->synchronize(), ok_status());
  EXPECT_EQ(give_back_kept(), 0);
  EXPECT_TRUE(is_back);
}

/// A pool of host memory that the device uses, with room for one block, which queue 1 is still writing.
class PoolWithoutPointsTest : public LastUseTest {
 protected:
  void SetUp() override {
    block_ = *pool_->allocate_on(kUsedBytes, {device_->driver(), 1});
    put_work(1);
    pool_->deallocate_on(block_, kUsedBytes, {device_->driver(), 1});
  }

  const std::shared_ptr<Pool> pool_ = *Pool::create(
      {.maximum_bytes = kUsedBytes, .initial_bytes = kUsedBytes, .cache_bytes = 0, .huge_pages = false});
  void* block_ = nullptr;
};

TEST_F(PoolWithoutPointsTest, AnotherQueueGetsTheBlockAfterTheWorkOnIt) {
  fail({DriverCall::kRecord}, kFull);
  EXPECT_EQ(*pool_->allocate_on(kUsedBytes, {device_->driver(), 2}), block_);
  EXPECT_EQ(done_, 1);
  pool_->deallocate_on(block_, kUsedBytes, {device_->driver(), 2});
}

TEST_F(PoolWithoutPointsTest, AThreadThatCapturesDoesNotGetIt) {
  Result<Capture> capture = Capture::begin({device_->driver(), 2});
  ASSERT_EQ(capture.status(), ok_status());
  EXPECT_EQ(pool_->allocate_on(kUsedBytes, {device_->driver(), 2}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(capture->end().status(), ok_status()) << "nor is what it captures spoilt";
  EXPECT_EQ(done_, 0);
  EXPECT_EQ(*pool_->allocate_on(kUsedBytes, {device_->driver(), 2}), block_);
  ASSERT_EQ(device_->synchronize(), ok_status());
  pool_->deallocate_on(block_, kUsedBytes, {device_->driver(), 2});
}

}  // namespace
}  // namespace forebay::memory
