// What a pool does when a device's driver fails: it waits on the host where the device will not, and goes on
// where there is nobody to wait for.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "forebay/memory/device_driver.h"
#include "forebay/memory/pool.h"

namespace forebay::memory {
namespace {

constexpr size_t kBytes = size_t{2} << 20;  // all that the pool has

/// A driver whose functions fail when told to, and count.
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
                     .error_text = [](void*, int) { return "told to fail"; }};
  uint32_t id = *register_driver(table);
  bool can_record = true;
  bool can_wait_on_queue = true;
  bool can_query = true;
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
    return self(context).can_record ? 0 : -1;
  }
  static int wait_for(void* context, uint32_t, uint64_t sequence) {
    self(context).waited_for = sequence;
    return 0;
  }
  static int wait_there(void* context, uint32_t, uint32_t, uint64_t sequence) {
    self(context).ordered_behind = sequence;
    return self(context).can_wait_on_queue ? 0 : -1;
  }
  static int ask(void* context, uint32_t, uint64_t) {
    return self(context).can_query ? static_cast<int>(self(context).has_passed) : -1;
  }
  static int refuse_copy(void*, uint32_t, void*, const void*, size_t) { return -1; }
  static int refuse_memory(void*, size_t, void**) { return -1; }
};

class PoolOverAFailingDriver : public testing::Test {
 protected:
  /// One block, used on queue 1 and given back there.
  void* used_block() {
    void* const block = *pool_->allocate_on(kBytes, driver_.queue(1));
    pool_->deallocate_on(block, kBytes, driver_.queue(1));
    return block;
  }

  FailingDriver driver_;
  const std::shared_ptr<Pool> pool_ =
      *Pool::create({.maximum_bytes = kBytes, .initial_bytes = kBytes, .cache_bytes = 0});
};

TEST_F(PoolOverAFailingDriver, TheHostWaitsWhereTheQueueCannot) {
  driver_.can_wait_on_queue = false;
  void* const block = used_block();
  EXPECT_EQ(*pool_->allocate_on(kBytes, driver_.queue(2)), block);
  EXPECT_EQ(driver_.ordered_behind, 1);
  EXPECT_EQ(driver_.waited_for, 1);
  EXPECT_EQ(pool_->statistics().waits, 1);
}

TEST_F(PoolOverAFailingDriver, TheHostDoesNotWaitWhereTheQueueCan) {
  void* const block = used_block();
  EXPECT_EQ(*pool_->allocate_on(kBytes, driver_.queue(2)), block);
  EXPECT_EQ(driver_.ordered_behind, 1);
  EXPECT_EQ(driver_.waited_for, 0);
}

TEST_F(PoolOverAFailingDriver, APointThatCannotBeRecordedHoldsNobodyUp) {
  driver_.can_record = false;
  void* const block = used_block();
  EXPECT_EQ(*pool_->allocate_on(kBytes, driver_.queue(2)), block);
  EXPECT_EQ(driver_.recorded, 1);
  EXPECT_EQ(driver_.ordered_behind, 0);
  EXPECT_EQ(driver_.waited_for, 0);
}

TEST_F(PoolOverAFailingDriver, AnAnswerThatFailsCountsAsPassed) {
  void* const block = *pool_->allocate_on(kBytes, driver_.queue(1));
  pool_->deallocate(block, kBytes, *record(driver_.id, 1));
  driver_.can_query = false;
  EXPECT_EQ(*pool_->allocate(kBytes), block);
  EXPECT_EQ(driver_.waited_for, 0);
}

TEST_F(PoolOverAFailingDriver, AnAnswerOfNotYetIsWaitedFor) {
  void* const block = *pool_->allocate_on(kBytes, driver_.queue(1));
  pool_->deallocate(block, kBytes, *record(driver_.id, 1));
  EXPECT_EQ(*pool_->allocate(kBytes), block);
  EXPECT_NE(driver_.waited_for, 0);
}

TEST_F(PoolOverAFailingDriver, ForgetWaitsForTheQueueOrForNobody) {
  void* const block = used_block();
  pool_->forget(driver_.queue(1));
  EXPECT_EQ(driver_.waited_for, 1);
  EXPECT_EQ(*pool_->allocate(kBytes), block);
  pool_->deallocate(block, kBytes, Fence{});
  used_block();
  driver_.can_record = false;
  pool_->forget(driver_.queue(1));
  EXPECT_EQ(driver_.waited_for, 1) << "a point that was not recorded";
  EXPECT_EQ(*pool_->allocate(kBytes), block);
}

}  // namespace
}  // namespace forebay::memory
