// Repeated work as graphs on a real device: what is proved on the simulated device, shown on hardware; also
// that CUDA refuses what the simulated device refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>

#include "forebay/cuda/check/pattern.h"
#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/cuda/queues/repeated_work.h"
#include "forebay/cuda/queues/task_stream.h"
#include "forebay/cuda/testing/gpu.h"
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
using memory::Queue;
using ::testing::HasSubstr;

constexpr size_t kBytes = size_t{1} << 20;
constexpr uint32_t kGraphQueue = 1;
constexpr uint32_t kGraphCatching = 3;

class CudaGraphs : public GpuTest {
 protected:
  using Disturbance = std::function<Status(Queue)>;

  void SetUp() override {
    GpuTest::SetUp();
    if (device_ == nullptr) {
      return;
    }
    need_pattern();
    if (pattern_ == nullptr) {
      return;
    }
    block_ = *Buffer::allocate(kBytes, device_resource(device_));
    wrong_ = *Buffer::allocate(sizeof(uint32_t), pinned_resource(device_));
    wrong() = 0;
    // The first launch of a kernel may wait for the whole device, which would never end with a held queue.
    ASSERT_EQ(put(queue(0), 1), ok_status());
    ASSERT_EQ(device_->synchronize(), ok_status());
    work_ = make(8);
  }

  std::unique_ptr<RepeatedWork> make(size_t most_graphs) {
    return *RepeatedWork::create({.queue = queue(kGraphQueue),
                                  .capture_queue = kGraphCatching,
                                  .most_graphs = most_graphs,
                                  .fewest_pieces = 2},
                                 device_);
  }
  uint32_t& wrong() { return *static_cast<uint32_t*>(wrong_->data()); }

  /// Two kernels: the second counts what the first did not write.
  Status put(Queue queue, uint32_t seed) {
    FOREBAY_RETURN_IF_ERROR(pattern_->fill(queue.queue, block_->data(), kBytes, seed));
    return pattern_->add_wrong(queue.queue, block_->data(), kBytes, seed, &wrong());
  }
  /// Runs the work for that seed, which is its key, and then checks, on the queue itself, that it was that
  /// work.
  void run(uint32_t seed, const Disturbance& disturb = nullptr) {
    ASSERT_EQ(work_->run(seed,
                         [&](Queue queue) {
                           FOREBAY_RETURN_IF_ERROR(put(queue, seed));
                           return disturb ? disturb(queue) : ok_status();
                         }),
              ok_status());
    ASSERT_EQ(pattern_->add_wrong(kGraphQueue, block_->data(), kBytes, seed, &wrong()), ok_status());
  }
  void expect_right() {
    EXPECT_EQ(memory::wait(*memory::record(device_->driver(), kGraphQueue)), ok_status());
    EXPECT_EQ(wrong(), 0);
  }

  BufferRef block_;
  BufferRef wrong_;
  std::unique_ptr<RepeatedWork> work_;
};

TEST_F(CudaGraphs, ALaunchDoesWhatWasCaptured) {
  for (int i = 0; i < 20; ++i) {
    run(1);
    run(2);
  }
  expect_right();
  EXPECT_EQ(work_->counts().plain, 2);
  EXPECT_EQ(work_->counts().launched, 38);
  EXPECT_EQ(work_->counts().made, 2);
}

TEST_F(CudaGraphs, AnUpdateTakesTheNewParametersWhileTheOldOnesMayStillRun) {
  work_ = make(1);
  for (int i = 0; i < 10; ++i) {
    run(1);
    run(1);
    run(2);
    run(2);
  }
  expect_right();
  EXPECT_EQ(work_->counts().plain, 2);
  EXPECT_EQ(work_->counts().made, 1);
  EXPECT_EQ(work_->counts().updated, 19);
}

TEST_F(CudaGraphs, AnotherShapeIsMadeAnew) {
  work_ = make(1);
  const Disturbance more = [this](Queue queue) { return put(queue, 2); };
  run(1);
  run(1);
  run(2, more);
  run(2, more);
  run(2, more);
  expect_right();
  EXPECT_EQ(work_->counts().updated, 0);
  EXPECT_EQ(work_->counts().made, 2);
}

TEST_F(CudaGraphs, WhatACaptureRefusesStaysPlain) {
  run(7);
  const Disturbance refused[] = {
      [](Queue queue) { return memory::record(queue.driver, queue.queue).status(); },
      [this](Queue) { return Buffer::allocate(kBytes, device_resource(device_)).status(); }};
  uint32_t seed = 1;
  for (const Disturbance& disturb : refused) {
    run(++seed, disturb);
    run(seed, disturb);
    run(seed, disturb);
  }
  expect_right();
  EXPECT_EQ(work_->counts().failed, 2);
  EXPECT_EQ(work_->counts().launched, 0);
  run(7);
  expect_right();
  EXPECT_EQ(work_->counts().launched, 1) << "the queue to capture on is whole";
}

TEST_F(CudaGraphs, AnErrorOfTheBodyEndsTheCapture) {
  run(1);
  const auto fails = [&](Queue queue) -> Status {
    FOREBAY_RETURN_IF_ERROR(put(queue, 99));
    return data_loss("as planned");
  };
  EXPECT_EQ(work_->run(1, fails), data_loss("as planned"));
  ASSERT_EQ(pattern_->add_wrong(kGraphQueue, block_->data(), kBytes, 1, &wrong()), ok_status());
  run(1);
  run(1);
  expect_right();
  EXPECT_EQ(work_->counts().launched, 2);
}

TEST_F(CudaGraphs, OtherThreadsAskForPointsMeanwhile) {
  const Disturbance others = [this](Queue) {
    std::thread([this] {
      EXPECT_EQ(memory::wait(*memory::record(device_->driver(), kGraphQueue)), ok_status());
      EXPECT_EQ(Buffer::allocate(kBytes, device_resource(device_)).status(), ok_status());
    }).join();
    return ok_status();
  };
  run(1, others);
  run(1, others);
  run(1);
  expect_right();
  EXPECT_EQ(work_->counts().failed, 0);
  EXPECT_EQ(work_->counts().launched, 2);
}

TEST_F(CudaGraphs, TheEndWaitsForWhatWasLaunched) {
  run(1);
  run(1);
  const Fence last = *memory::record(device_->driver(), kGraphQueue);
  work_.reset();
  EXPECT_TRUE(*memory::has_passed(last));
  expect_right();
}

TEST_F(CudaGraphs, AStreamOfTasksIsOneTaskAndOneLaunch) {
  const std::shared_ptr<RepeatedWork> work = make(8);
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const ExecutorRef executor = *engine.device_executor("stream", driver_queue(queue(kGraphQueue), device_));
  const Variable x = engine.new_variable();
  const Variable y = engine.new_variable();
  for (int i = 0; i < 50; ++i) {
    TaskStream stream(executor, work);
    const uint32_t seed = i % 2 == 0 ? 1 : 2;
    stream.add({.name = "fill", .writes = {&x, 1}, .key = seed},
               [=, this](Queue queue) { return pattern_->fill(queue.queue, block_->data(), kBytes, seed); });
    stream.add({.name = "look", .reads = {&x, 1}, .writes = {&y, 1}, .key = seed}, [=, this](Queue queue) {
      return pattern_->add_wrong(queue.queue, block_->data(), kBytes, seed, &wrong());
    });
    ASSERT_EQ(stream.push(engine, lane, {.name = "step"}), ok_status());
  }
  EXPECT_EQ(engine.wait_all(lane), ok_status());
  EXPECT_EQ(wrong(), 0);
  EXPECT_EQ(work->counts().plain, 2);
  EXPECT_EQ(work->counts().launched, 48);
}

}  // namespace
}  // namespace forebay::cuda
