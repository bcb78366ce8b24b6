// What a pool does if a device's driver fails: it waits on the host where the device will not, keeps blocks
// that cannot be waited for, and continues if the device has stopped.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/last_use.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::memory {
namespace {

constexpr size_t kPoolBytes = size_t{2} << 20;  // the size of the pool

constexpr int kPassing = -1;
constexpr int kFinal = -2;

/// A driver whose functions fail when told to, and count calls.
struct FailingDriver {
  DeviceDriver table{.version = kDeviceDriverVersion,
                     .name = "failing",
                     .context = this,
                     .record = &record_point,
                     .wait = &wait_for,
                     .wait_on_queue = &wait_there,
                     .query = &ask,
                     .copy = &refuse_copy,
                     .allocate = &refuse_memory,
                     .deallocate = [](void*, void*, size_t) {},
                     .error_text = [](void*, int) { return "told to fail"; },
                     .is_final = [](void*, int error) { return error == kFinal ? 1 : 0; }};
  uint32_t id = *register_driver(table);
  bool can_record = true;
  bool can_wait_on_queue = true;
  bool can_query = true;
  bool can_wait = true;
  int error = kPassing;  // what a failing call returns
  uint64_t recorded = 0;
  uint64_t waited_for = 0;      // by the host
  uint64_t ordered_behind = 0;  // on a queue
  bool has_passed = false;

  FailingDriver() = default;
  FailingDriver(const FailingDriver&) = delete;
  FailingDriver& operator=(const FailingDriver&) = delete;
  ~FailingDriver() { unregister_driver(id); }

  Queue queue(uint32_t number) const { return {id, number}; }

 private:
  static FailingDriver& self(void* context) { return *static_cast<FailingDriver*>(context); }
  static int record_point(void* context, uint32_t, uint64_t* sequence) {
    *sequence = ++self(context).recorded;
    return self(context).can_record ? 0 : self(context).error;
  }
  static int wait_for(void* context, uint32_t, uint64_t sequence) {
    self(context).waited_for = sequence;
    return self(context).can_wait ? 0 : self(context).error;
  }
  static int wait_there(void* context, uint32_t, uint32_t, uint64_t sequence) {
    self(context).ordered_behind = sequence;
    return self(context).can_wait_on_queue ? 0 : self(context).error;
  }
  static int ask(void* context, uint32_t, uint64_t) {
    return self(context).can_query ? static_cast<int>(self(context).has_passed) : self(context).error;
  }
  static int refuse_copy(void*, uint32_t, void*, const void*, size_t) { return -1; }
  static int refuse_memory(void*, size_t, void**) { return -1; }
};

class PoolOverAFailingDriver : public ::testing::Test {
 protected:
  /// Returns a block that was used and freed on queue 1.
  void* used_block() {
    void* const block = *pool_->allocate_on(kPoolBytes, driver_.queue(1));
    pool_->deallocate_on(block, kPoolBytes, driver_.queue(1));
    return block;
  }

  FailingDriver driver_;
  const std::shared_ptr<Pool> pool_ =
      *Pool::create({.maximum_bytes = kPoolBytes, .initial_bytes = kPoolBytes, .cache_bytes = 0});
};

TEST_F(PoolOverAFailingDriver, TheHostWaitsWhereTheQueueCannot) {
  driver_.can_wait_on_queue = false;
  void* const block = used_block();
  EXPECT_EQ(*pool_->allocate_on(kPoolBytes, driver_.queue(2)), block);
  EXPECT_EQ(driver_.ordered_behind, 1);
  EXPECT_EQ(driver_.waited_for, 1);
  EXPECT_EQ(pool_->statistics().waits, 1);
}

TEST_F(PoolOverAFailingDriver, TheHostDoesNotWaitWhereTheQueueCan) {
  void* const block = used_block();
  EXPECT_EQ(*pool_->allocate_on(kPoolBytes, driver_.queue(2)), block);
  EXPECT_EQ(driver_.ordered_behind, 1);
  EXPECT_EQ(driver_.waited_for, 0);
}

TEST_F(PoolOverAFailingDriver, TheHostWaitsForTheQueueWhereNoPointCanBeRecorded) {
  driver_.can_record = false;
  void* const block = used_block();
  EXPECT_EQ(*pool_->allocate_on(kPoolBytes, driver_.queue(2)), block);
  EXPECT_EQ(driver_.recorded, 1);
  EXPECT_EQ(driver_.ordered_behind, 0);
  EXPECT_EQ(driver_.waited_for, kEndOfQueue);
}

TEST_F(PoolOverAFailingDriver, ABlockThatNobodyCanWaitForIsHandedToNobodyElse) {
  driver_.can_record = false;
  driver_.can_wait = false;
  driver_.can_query = false;
  void* const block = used_block();
  EXPECT_EQ(pool_->allocate_on(kPoolBytes, driver_.queue(2)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(pool_->allocate(kPoolBytes).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*pool_->allocate_on(kPoolBytes, driver_.queue(1)), block) << "its own queue has it at once";
  pool_->deallocate_on(block, kPoolBytes, driver_.queue(1));
  driver_.can_wait = true;
  EXPECT_EQ(*pool_->allocate_on(kPoolBytes, driver_.queue(2)), block);
}

TEST_F(PoolOverAFailingDriver, ADeviceThatHasStoppedHoldsNobodyUp) {
  driver_.can_record = false;
  driver_.can_query = false;
  driver_.error = kFinal;
  void* const block = used_block();
  EXPECT_EQ(*pool_->allocate(kPoolBytes), block);
  EXPECT_EQ(driver_.waited_for, 0);
}

TEST_F(PoolOverAFailingDriver, MemoryThatNobodyCanWaitForOutlivesThePool) {
  const std::shared_ptr<MemoryResource> upstream = std::make_shared<StatisticsResource>(host_resource());
  const auto& statistics = static_cast<StatisticsResource&>(*upstream);
  auto pool = *Pool::create({.upstream = upstream, .maximum_bytes = kPoolBytes, .initial_bytes = kPoolBytes});
  pool->deallocate_on(*pool->allocate_on(kPoolBytes, driver_.queue(1)), kPoolBytes, driver_.queue(1));
  driver_.can_record = false;
  driver_.can_wait = false;
  driver_.can_query = false;
  pool.reset();
  EXPECT_EQ(statistics.statistics().bytes, kPoolBytes) << "the queue may still use it";
  driver_.can_query = true;
  driver_.has_passed = true;
  EXPECT_EQ(give_back_kept(), 0);
  EXPECT_EQ(statistics.statistics().bytes, 0);
}

TEST_F(PoolOverAFailingDriver, AnAnswerThatFailsSaysNothing) {
  void* const block = *pool_->allocate_on(kPoolBytes, driver_.queue(1));
  pool_->deallocate(block, kPoolBytes, *record(driver_.id, 1));
  driver_.can_query = false;
  EXPECT_EQ(*pool_->allocate(kPoolBytes), block);
  EXPECT_NE(driver_.waited_for, 0) << "so the host waits";
}

TEST_F(PoolOverAFailingDriver, AnAnswerOfNotYetIsWaitedFor) {
  void* const block = *pool_->allocate_on(kPoolBytes, driver_.queue(1));
  pool_->deallocate(block, kPoolBytes, *record(driver_.id, 1));
  EXPECT_EQ(*pool_->allocate(kPoolBytes), block);
  EXPECT_NE(driver_.waited_for, 0);
}

TEST_F(PoolOverAFailingDriver, ForgetWaitsForTheQueue) {
  void* const block = used_block();
  pool_->forget(driver_.queue(1));
  EXPECT_EQ(driver_.waited_for, 1);
  EXPECT_EQ(*pool_->allocate(kPoolBytes), block);
  pool_->deallocate(block, kPoolBytes, Fence{});
  used_block();
  driver_.can_record = false;
  pool_->forget(driver_.queue(1));
  EXPECT_EQ(driver_.waited_for, kEndOfQueue) << "no point could be recorded";
  EXPECT_EQ(*pool_->allocate(kPoolBytes), block);
}

}  // namespace
}  // namespace forebay::memory
