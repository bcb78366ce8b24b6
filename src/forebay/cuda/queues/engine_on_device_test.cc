// The engine's tasks on the streams of a real device: what schedules prove on the simulated device, shown on
// hardware.
#include <gtest/gtest.h>

#include <vector>

#include "forebay/base/units.h"
#include "forebay/cuda/check/pattern.h"
#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/cuda/queues/staging.h"
#include "forebay/cuda/testing/gpu.h"
#include "forebay/engine/engine.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/device_driver.h"

namespace forebay::cuda {
namespace {

using engine::Engine;
using engine::ExecutorRef;
using engine::LaneRef;
using engine::Variable;
using memory::Buffer;
using memory::BufferRef;

class CudaEngine : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_ == nullptr) {
      return;
    }
    need_pattern();
    if (pattern_ == nullptr) {
      return;
    }
    block_ = *Buffer::allocate(kMiB, device_resource(device_));
    wrong_ = *Buffer::allocate(sizeof(uint32_t), pinned_resource(device_));
    wrong() = 0;
    // The first launch of a kernel may wait for the whole device, which would never end with a held queue.
    ASSERT_EQ(pattern_->fill(0, block_->data(), kMiB, 1), ok_status());
    ASSERT_EQ(pattern_->add_wrong(0, block_->data(), kMiB, 1, &wrong()), ok_status());
    ASSERT_EQ(device_->synchronize(), ok_status());
  }

  ExecutorRef executor(uint32_t number) {
    return *engine_.device_executor("stream", driver_queue(queue(number), device_));
  }
  uint32_t& wrong() { return *static_cast<uint32_t*>(wrong_->data()); }
  void push_fill(const ExecutorRef& executor, uint32_t number, uint32_t seed) {
    ASSERT_EQ(engine_.push(lane_, {.name = "fill", .writes = {&x_, 1}, .executor = executor},
                           [=, this] { return pattern_->fill(number, block_->data(), kMiB, seed); }),
              ok_status());
  }
  void push_look(const ExecutorRef& executor, uint32_t number, uint32_t seed) {
    ASSERT_EQ(
        engine_.push(lane_, {.name = "look", .reads = {&x_, 1}, .writes = {&y_, 1}, .executor = executor},
                     [=, this] { return pattern_->add_wrong(number, block_->data(), kMiB, seed, &wrong()); }),
        ok_status());
  }

  Engine engine_{{.workers = 2}};
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  Variable x_ = engine_.new_variable();
  Variable y_ = engine_.new_variable();
  BufferRef block_;
  BufferRef wrong_;
};

TEST_F(CudaEngine, StreamsKeepTheOrderOfPushesAndTheHostSeesTheEnd) {
  const ExecutorRef one = executor(1);
  const ExecutorRef two = executor(2);
  uint32_t seen = 1;
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    push_fill(seed % 3 == 0 ? two : one, seed % 3 == 0 ? 2 : 1, seed);
    push_look(seed % 2 == 0 ? two : one, seed % 2 == 0 ? 2 : 1, seed);
  }
  ASSERT_EQ(engine_.push(lane_, {.reads = {&y_, 1}},
                         [&] {
                           seen = wrong();
                           return ok_status();
                         }),
            ok_status());
  EXPECT_EQ(engine_.wait_all(lane_), ok_status());
  EXPECT_EQ(seen, 0);
}

TEST_F(CudaEngine, AStreamBehindAHeldOneIsIssuedAndWaitsOnTheDevice) {
  const ExecutorRef one = executor(1);
  const ExecutorRef two = executor(2);
  HeldQueue held(*device_, 1);
  push_fill(one, 1, 7);
  push_look(two, 2, 7);
  Variable issued = engine_.new_variable();
  std::atomic<bool> is_issued{false};
  ASSERT_EQ(engine_.push(lane_, {.reads = {&y_, 1}, .writes = {&issued, 1}, .executor = two},
                         [&] {
                           is_issued = true;
                           is_issued.notify_all();
                           return ok_status();
                         }),
            ok_status());
  is_issued.wait(false);
  EXPECT_EQ(engine_.pending_tasks(), 3);
  held.resume();
  EXPECT_EQ(engine_.wait(issued), ok_status());
  EXPECT_EQ(wrong(), 0);
}

TEST_F(CudaEngine, EventsAreRecordedABatchNotATask) {
  const ExecutorRef one = executor(1);
  const size_t before = device_->events_made();
  const Fence first = *memory::record(device_->driver(), 1);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&x_, 1}, .executor = one},
                           [] { return ok_status(); }),
              ok_status());
  }
  EXPECT_EQ(engine_.wait(x_), ok_status());
  const Fence last = *memory::record(device_->driver(), 1);
  EXPECT_LT(last.sequence - first.sequence, 500);
  EXPECT_LE(device_->events_made(), before + 500);
}

TEST_F(CudaEngine, StagedCopiesGoBesideAHeldStream) {
  const auto staging = *Staging::create(
      engine_,
      {.copies = executor(3), .queue = queue(3), .pinned = pinned_resource(device_), .slot_bytes = kMiB / 8});
  HeldQueue held(*device_, 1);
  push_fill(executor(1), 1, 9);
  std::vector<std::byte> source(kMiB, std::byte{3});
  std::vector<std::byte> back(kMiB);
  const BufferRef there = *Buffer::allocate(kMiB, device_resource(device_));
  const Variable arrived = engine_.new_variable();
  const Variable returned = engine_.new_variable();
  ASSERT_EQ(staging->to_device(lane_, {.destination = there->data(),
                                       .source = source.data(),
                                       .size_bytes = kMiB,
                                       .reads = y_,
                                       .writes = arrived}),
            ok_status());
  ASSERT_EQ(staging->to_host(lane_, {.destination = back.data(),
                                     .source = there->data(),
                                     .size_bytes = kMiB,
                                     .reads = arrived,
                                     .writes = returned}),
            ok_status());
  EXPECT_EQ(engine_.wait(returned), ok_status());
  EXPECT_EQ(source, back);
  held.resume();
  EXPECT_EQ(engine_.wait(x_), ok_status());
}

}  // namespace
}  // namespace forebay::cuda
