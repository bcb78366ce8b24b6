#include "forebay/cuda/queues/driver_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "forebay/cuda/queues/staging.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::cuda {
namespace {

using engine::Engine;
using engine::ExecutorRef;
using engine::LaneRef;
using engine::Variable;
using memory::SimulatedDevice;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// On one thread: tasks run when the test steps, and the device's work when the test steps it or somebody
/// waits.
class DriverQueueTest : public ::testing::Test {
 protected:
  ~DriverQueueTest() override {
    engine_.shutdown();
    (void)device_->synchronize();
  }

  ExecutorRef executor(uint32_t queue) {
    return *engine_.device_executor("queue", driver_queue({device_->driver(), queue}, device_));
  }
  /// Pushes a task whose work records `name` when the device runs it.
  void push(const ExecutorRef& executor, uint32_t queue, std::string name, std::vector<Variable> reads,
            std::vector<Variable> writes) {
    ASSERT_EQ(engine_.push(lane_, {.reads = reads, .writes = writes, .executor = executor},
                           [this, queue, name] {
                             return device_->submit(queue, [this, name] {
                               notes_.push_back(name);
                               return ok_status();
                             });
                           }),
              ok_status());
  }
  /// Issues whatever may be issued, but waits for nothing.
  void issue(size_t tasks) {
    for (size_t i = 0; i < tasks; ++i) {
      ASSERT_TRUE(engine_.step());
    }
  }

  std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.queues = 3, .eager = false});
  Engine engine_{{.workers = 0}};
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  Variable x_ = engine_.new_variable();
  Variable y_ = engine_.new_variable();
  std::vector<std::string> notes_;
};

TEST_F(DriverQueueTest, TasksAreIssuedLongBeforeTheirWorkIsDone) {
  const ExecutorRef compute = executor(0);
  const ExecutorRef copies = executor(1);
  push(compute, 0, "produce", {}, {x_});
  push(compute, 0, "update", {x_}, {x_});
  push(copies, 1, "copy", {x_}, {y_});
  issue(3);
  EXPECT_TRUE(notes_.empty());
  EXPECT_GT(device_->pending(), 2);
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_THAT(notes_, ElementsAre("produce", "update", "copy"));
}

TEST_F(DriverQueueTest, AQueueOfAnotherDriverIsWaitedForByTheHost) {
  const auto other = *SimulatedDevice::create({.queues = 1, .eager = false});
  const ExecutorRef here = executor(0);
  const ExecutorRef there = *engine_.device_executor("there", driver_queue({other->driver(), 0}, other));
  push(here, 0, "here", {}, {x_});
  ASSERT_EQ(engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&y_, 1}, .executor = there},
                         [&] {
                           return other->submit(0, [&] {
                             notes_.push_back("there");
                             return ok_status();
                           });
                         }),
            ok_status());
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_THAT(notes_, ElementsAre("here", "there"));
  engine_.shutdown();
}

TEST_F(DriverQueueTest, AnErrorOfTheDevicesWorkIsTheTasks) {
  const ExecutorRef compute = executor(0);
  ASSERT_EQ(engine_.push(lane_, {.writes = {&x_, 1}, .executor = compute},
                         [&] { return device_->submit(0, [] { return data_loss("an illegal address"); }); }),
            ok_status());
  push(compute, 0, "later", {x_}, {y_});
  EXPECT_THAT(std::string(message(engine_.wait(y_))), HasSubstr("an illegal address"));
  EXPECT_THAT(notes_, ElementsAre());
}

TEST_F(DriverQueueTest, MemoryGivenBackInABodyIsUsedAgainByTheNextWithoutAWait) {
  const auto pool =
      *memory::Pool::create({.upstream = device_->resource(), .maximum_bytes = size_t{1} << 20});
  const ExecutorRef compute = executor(0);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&x_, 1}, .executor = compute},
                           [&]() -> Status {
                             const memory::Queue queue{device_->driver(), 0};
                             FOREBAY_ASSIGN_OR_RETURN(void* const block, pool->allocate_on(4096, queue));
                             blocks.push_back(block);
                             const Status submitted = device_->submit(0, [] { return ok_status(); });
                             pool->deallocate_on(block, 4096, queue);
                             return submitted;
                           }),
              ok_status());
  }
  issue(8);
  EXPECT_EQ(device_->pending(), 8) << "nothing has run yet";
  EXPECT_THAT(blocks, Each(blocks.front()));
  EXPECT_EQ(pool->statistics().events, 0);
  EXPECT_EQ(engine_.wait(x_), ok_status());
}

constexpr size_t kSlot = 4096;

/// Staging through three slots of "pinned" memory, on queue 1.
class StagingTest : public DriverQueueTest {
 protected:
  std::unique_ptr<Staging> make() {
    return *Staging::create(engine_, {.copies = executor(1),
                                      .queue = {device_->driver(), 1},
                                      .pinned = memory::host_pool(),
                                      .slot_bytes = kSlot,
                                      .slots = 3});
  }
  memory::BufferRef on_device(size_t bytes) { return *memory::Buffer::allocate(bytes, device_->resource()); }
};

TEST_F(StagingTest, BytesGoThereAndBackInPieces) {
  const auto staging = make();
  std::vector<std::byte> source(10 * kSlot + 77);
  for (size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<std::byte>(i * 31 >> 3);
  }
  std::vector<std::byte> back(source.size());
  const memory::BufferRef there = on_device(source.size());
  const Variable z = engine_.new_variable();
  ASSERT_EQ(staging->to_device(lane_, {.destination = there->data(),
                                       .source = source.data(),
                                       .size_bytes = source.size(),
                                       .reads = x_,
                                       .writes = y_}),
            ok_status());
  ASSERT_EQ(staging->to_host(lane_, {.destination = back.data(),
                                     .source = there->data(),
                                     .size_bytes = source.size(),
                                     .reads = y_,
                                     .writes = z}),
            ok_status());
  EXPECT_EQ(engine_.wait(z), ok_status());
  EXPECT_EQ(source, back);
}

TEST_F(StagingTest, CopiesGoOnBesideWorkThatComputes) {
  const auto staging = make();
  const ExecutorRef compute = executor(0);
  push(compute, 0, "long", {}, {y_});
  issue(1);
  const std::vector<std::byte> source(8 * kSlot, std::byte{5});
  const memory::BufferRef there = on_device(source.size());
  const Variable arrived = engine_.new_variable();
  ASSERT_EQ(staging->to_device(lane_, {.destination = there->data(),
                                       .source = source.data(),
                                       .size_bytes = source.size(),
                                       .reads = x_,
                                       .writes = arrived}),
            ok_status());
  push(compute, 0, "next", {arrived}, {y_});
  // The device does only copies; the computing queue is held all the while.
  ASSERT_EQ(device_->hold(0), ok_status());
  EXPECT_EQ(engine_.wait(arrived), ok_status());
  EXPECT_THAT(notes_, ElementsAre());
  ASSERT_EQ(device_->resume(0), ok_status());
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_THAT(notes_, ElementsAre("long", "next"));
}

TEST_F(StagingTest, ASlotIsFilledAgainOnlyWhenItsCopyIsDone) {
  const auto staging = make();
  const std::vector<std::byte> source(4 * kSlot, std::byte{5});
  const memory::BufferRef there = on_device(source.size());
  ASSERT_EQ(device_->hold(1), ok_status());
  ASSERT_EQ(staging->to_device(lane_, {.destination = there->data(),
                                       .source = source.data(),
                                       .size_bytes = source.size(),
                                       .reads = x_,
                                       .writes = y_}),
            ok_status());
  const uint64_t before = memory::bytes_copied();
  issue(6);
  EXPECT_EQ(memory::bytes_copied() - before, 6 * kSlot) << "three slots filled, three copies issued";
  EXPECT_EQ(engine_.pending_tasks(), 5) << "the fourth fill waits";
  ASSERT_EQ(device_->resume(1), ok_status());
  EXPECT_EQ(engine_.wait(y_), ok_status());
}

TEST_F(StagingTest, GoesBeforeItsCopiesAreDone) {
  auto staging = make();
  std::vector<std::byte> source(5 * kSlot, std::byte{7});
  const memory::BufferRef there = on_device(source.size());
  ASSERT_EQ(staging->to_device(lane_, {.destination = there->data(),
                                       .source = source.data(),
                                       .size_bytes = source.size(),
                                       .reads = x_,
                                       .writes = y_}),
            ok_status());
  issue(6);
  staging.reset();
  EXPECT_EQ(engine_.wait(y_), ok_status());
}

TEST_F(StagingTest, NeedsSlots) {
  EXPECT_EQ(Staging::create(engine_, {.copies = executor(1), .pinned = memory::host_pool(), .slots = 0})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::cuda
