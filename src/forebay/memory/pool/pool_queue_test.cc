// What a pool does for several queues of a device, one case at a time; pool_ordering_test.cc has random
// schedules.
#include "forebay/memory/pool/pool_queue.h"

#include <gtest/gtest.h>

#include "forebay/memory/buffer.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::memory {
namespace {

constexpr size_t kQueuedBytes = size_t{64} << 10;

class PoolQueues : public ::testing::Test {
 protected:
  std::shared_ptr<Pool> make(size_t maximum_bytes, size_t cache_bytes = 0) {
    return *Pool::create({.upstream = device_->resource(),
                          .maximum_bytes = maximum_bytes,
                          .initial_bytes = maximum_bytes,
                          .cache_bytes = cache_bytes});
  }
  Queue queue(uint32_t number) const { return {device_->driver(), number}; }
  /// Submits work that runs when the test says so.
  void submit(uint32_t number) {
    EXPECT_TRUE(device_->submit(number, [] { return ok_status(); }).ok());
  }

  const std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.queues = 4, .eager = false});
};

TEST_F(PoolQueues, WorkOfOneQueueRecordsNothing) {
  for (const size_t cache_bytes : {size_t{0}, size_t{1} << 20}) {
    const auto pool = make(16 * kQueuedBytes, cache_bytes);
    for (int i = 0; i < 100; ++i) {
      void* const a = *pool->allocate_on(kQueuedBytes, queue(1));
      void* const b = *pool->allocate_on(kQueuedBytes * (i % 7 + 1), queue(1));
      submit(1);
      pool->deallocate_on(a, kQueuedBytes, queue(1));
      pool->deallocate_on(b, kQueuedBytes * (i % 7 + 1), queue(1));
    }
    const PoolStatistics statistics = pool->statistics();
    EXPECT_EQ(statistics.events, 0);
    EXPECT_EQ(statistics.waits, 0);
    EXPECT_EQ(statistics.allocations, 200);
    EXPECT_EQ(device_->pending(), 100) << "nothing was waited for";
    EXPECT_TRUE(device_->synchronize().ok());
  }
}

TEST_F(PoolQueues, OneEventServesAllThatCameBackBeforeIt) {
  const auto pool = make(8 * kQueuedBytes);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(*pool->allocate_on(kQueuedBytes, queue(1)));
    submit(1);
  }
  for (void* const block : blocks) {
    pool->deallocate_on(block, kQueuedBytes, queue(1));
  }
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(pool->allocate_on(kQueuedBytes, queue(2)).ok());
  }
  EXPECT_EQ(pool->statistics().steals, 8);
  EXPECT_EQ(pool->statistics().events, 1);
  EXPECT_EQ(pool->statistics().waits, 1);
  for (void* const block : blocks) {
    pool->deallocate_on(block, kQueuedBytes, queue(2));
  }
}

TEST_F(PoolQueues, AFenceThatCameWithTheBlockIsUsed) {
  const auto pool = make(kQueuedBytes);
  void* const block = *pool->allocate_on(kQueuedBytes, queue(1));
  submit(1);
  pool->deallocate(block, kQueuedBytes, *device_->record(1));
  submit(1);  // later work on the queue, which nobody need wait for
  EXPECT_EQ(*pool->allocate_on(kQueuedBytes, queue(2)), block);
  EXPECT_EQ(pool->statistics().events, 0);
  EXPECT_EQ(pool->statistics().waits, 1);
  submit(2);
  const Fence second = *device_->record(2);
  EXPECT_TRUE(wait(second).ok());
  pool->deallocate(block, kQueuedBytes, second);
}

TEST_F(PoolQueues, AHostRequestGetsWhatHasPassedOrWaitsWhenNothingElseIsLeft) {
  const auto pool = make(2 * kQueuedBytes);
  void* const a = *pool->allocate_on(kQueuedBytes, queue(1));
  void* const b = *pool->allocate_on(kQueuedBytes, queue(2));
  submit(1);
  submit(2);
  const Fence of_a = *device_->record(1);
  pool->deallocate(a, kQueuedBytes, of_a);
  pool->deallocate_on(b, kQueuedBytes, queue(2));
  EXPECT_TRUE(wait(of_a).ok());
  EXPECT_EQ(*pool->allocate(kQueuedBytes), a) << "its queue is done";
  EXPECT_EQ(pool->statistics().waits, 0);
  EXPECT_EQ(*pool->allocate(kQueuedBytes), b) << "the host waited";
  EXPECT_EQ(pool->statistics().waits, 1);
  EXPECT_EQ(device_->pending(), 0);
  pool->deallocate(a, kQueuedBytes, Fence{});
  pool->deallocate(b, kQueuedBytes, Fence{});
}

TEST_F(PoolQueues, NeighboursOfSeveralQueuesAreJoinedWhenNothingElseFits) {
  const auto pool = make(4 * kQueuedBytes);
  std::vector<void*> blocks;
  for (uint32_t i = 0; i < 4; ++i) {
    blocks.push_back(*pool->allocate_on(kQueuedBytes, queue(i)));
    submit(i);
  }
  for (uint32_t i = 0; i < 4; ++i) {
    pool->deallocate_on(blocks[i], kQueuedBytes, queue(i));
  }
  EXPECT_EQ(pool->statistics().holes, 4);
  void* const whole = *pool->allocate_on(4 * kQueuedBytes, queue(0));
  EXPECT_EQ(whole, blocks[0]);
  EXPECT_EQ(pool->statistics().events, 3);
  EXPECT_EQ(device_->pending(), 7) << "4 pieces of work and 3 waits of queue 0";
  pool->deallocate_on(whole, 4 * kQueuedBytes, queue(0));
}

TEST_F(PoolQueues, ForgetMakesAQueuesBlocksEverybodys) {
  const auto pool = make(kQueuedBytes, kQueuedBytes);
  void* const block = *pool->allocate_on(kQueuedBytes, queue(3));
  submit(3);
  pool->deallocate_on(block, kQueuedBytes, queue(3));
  pool->forget(queue(3));
  EXPECT_EQ(device_->pending(), 0);
  EXPECT_EQ(*pool->allocate_on(kQueuedBytes, queue(1)), block);
  EXPECT_EQ(pool->statistics().steals, 0);
  pool->deallocate_on(block, kQueuedBytes, queue(1));
}

TEST_F(PoolQueues, AReturnOnAQueueTooManyIsWaitedFor) {
  const auto device = *SimulatedDevice::create({.queues = Pool::kMaxQueues + 1, .eager = false});
  const auto pool = *Pool::create({.upstream = device->resource(), .maximum_bytes = size_t{1} << 20});
  const auto on = [&](size_t number) { return Queue{device->driver(), static_cast<uint32_t>(number)}; };
  void* const block = *pool->allocate_on(kQueuedBytes, on(0));
  for (size_t number = 1; number < Pool::kMaxQueues; ++number) {
    const Result<void*> other = pool->allocate_on(256, on(number));
    if (other.ok()) {
      pool->deallocate_on(*other, 256, on(number));
    }
  }
  bool is_used = false;
  EXPECT_TRUE(device->submit(Pool::kMaxQueues, [&] { return is_used = true, ok_status(); }).ok());
  pool->deallocate_on(block, kQueuedBytes, on(Pool::kMaxQueues));
  EXPECT_TRUE(is_used);
}

TEST_F(PoolQueues, BuffersComeFromIt) {
  const auto pool = make(kQueuedBytes);
  {
    const BufferRef buffer = *Buffer::allocate(kQueuedBytes, pool);
    submit(1);
    buffer->set_last_write(*device_->record(1));
  }
  EXPECT_EQ(pool->statistics().out_bytes, 0);
  EXPECT_EQ(device_->pending(), 1);
  EXPECT_TRUE(Buffer::allocate(kQueuedBytes, pool).ok());
  EXPECT_EQ(device_->pending(), 0) << "a host request for memory that a queue still used";
}

}  // namespace
}  // namespace forebay::memory
