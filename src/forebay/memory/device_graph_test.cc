#include "forebay/memory/device_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/host_driver.h"

namespace forebay::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Work is captured on queue 1 and launched on queue 0; nothing runs before it must.
class DeviceGraphTest : public ::testing::Test {
 protected:
  Status put(uint32_t queue, std::string name) {
    return device_->submit(queue, [this, name] {
      notes_.push_back(name);
      return ok_status();
    });
  }
  CapturedWork captured(const std::vector<std::string>& names) {
    Capture capture = *Capture::begin(catching_);
    for (const std::string& name : names) {
      EXPECT_EQ(put(1, name), ok_status());
    }
    return *capture.end();
  }
  /// Returns the error of ending a capture during which `disturb` was refused.
  std::string spoilt_by(const std::function<Status()>& disturb) {
    Capture capture = *Capture::begin(catching_);
    EXPECT_EQ(put(1, "kept"), ok_status());
    EXPECT_FALSE(disturb().ok());
    return std::string(message(capture.end().status()));
  }

  std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.queues = 3, .eager = false});
  const Queue catching_{device_->driver(), 1};
  std::vector<std::string> notes_;
};

TEST_F(DeviceGraphTest, WhatIsCaughtIsNotDone) {
  const CapturedWork work = captured({"a", "b"});
  EXPECT_EQ(work.pieces(), 2);
  EXPECT_EQ(device_->pending(), 0);
  EXPECT_EQ(put(1, "after"), ok_status());
  EXPECT_EQ(device_->synchronize(), ok_status());
  EXPECT_THAT(notes_, ElementsAre("after"));
}

TEST_F(DeviceGraphTest, ALaunchDoesAllOfItInOrderWithinItsQueue) {
  const CapturedWork work = captured({"a", "b"});
  DeviceGraph graph = *DeviceGraph::make(work);
  ASSERT_EQ(put(0, "before"), ok_status());
  ASSERT_EQ(graph.launch(0), ok_status());
  ASSERT_EQ(put(0, "between"), ok_status());
  ASSERT_EQ(graph.launch(0), ok_status());
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_EQ(wait(*record(device_->driver(), 0)), ok_status());
  EXPECT_THAT(notes_, ElementsAre("before", "a", "b", "between", "a", "b"));
}

TEST_F(DeviceGraphTest, AnUpdateCountsFromTheNextLaunch) {
  DeviceGraph graph = *DeviceGraph::make(captured({"a", "b"}));
  ASSERT_EQ(graph.launch(0), ok_status());
  EXPECT_TRUE(*graph.update(captured({"c", "d"})));
  ASSERT_EQ(graph.launch(0), ok_status());
  EXPECT_FALSE(*graph.update(captured({"another", "shape", "this"})));
  EXPECT_EQ(device_->synchronize(), ok_status());
  EXPECT_THAT(notes_, ElementsAre("a", "b", "c", "d"));
}

TEST_F(DeviceGraphTest, ACaptureEndsWithItsScope) {
  try {
    const Capture capture = *Capture::begin(catching_);
    EXPECT_EQ(put(1, "lost"), ok_status());
    throw std::runtime_error("halfway");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(device_->graphs_in_use(), 0);
  EXPECT_EQ(captured({"next"}).pieces(), 1);
  EXPECT_EQ(device_->synchronize(), ok_status());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DeviceGraphTest, AskingForPointsSpoilsACapture) {
  const uint32_t driver = device_->driver();
  ASSERT_EQ(put(0, "elsewhere"), ok_status());
  const Fence elsewhere = *record(driver, 0);
  EXPECT_THAT(spoilt_by([&] { return record(driver, 1).status(); }), HasSubstr("invalidated"));
  EXPECT_THAT(spoilt_by([&] { return wait(elsewhere); }), HasSubstr("invalidated"));
  EXPECT_THAT(spoilt_by([&] { return has_passed(elsewhere).status(); }), HasSubstr("invalidated"));
  EXPECT_THAT(spoilt_by([&] { return wait_on_queue(driver, 1, elsewhere); }), HasSubstr("invalidated"));
  EXPECT_THAT(spoilt_by([&] { return device_->resource()->allocate(16).status(); }),
              HasSubstr("invalidated"));
  EXPECT_THAT(spoilt_by([&] { return Capture::begin(catching_).status(); }), HasSubstr("invalidated"));
  EXPECT_EQ(device_->graphs_in_use(), 0);
  EXPECT_EQ(wait(elsewhere), ok_status());
}

TEST_F(DeviceGraphTest, OtherThreadsWaitAndTakeMemoryAsEver) {
  Capture capture = *Capture::begin(catching_);
  ASSERT_EQ(put(1, "kept"), ok_status());
  std::thread([&] {
    EXPECT_EQ(put(0, "elsewhere"), ok_status());
    EXPECT_EQ(wait(*record(device_->driver(), 0)), ok_status());
    const Result<void*> memory = device_->resource()->allocate(16);
    EXPECT_EQ(memory.status(), ok_status());
    device_->resource()->deallocate(*memory, 16, {});
  }).join();
  EXPECT_EQ(capture.end()->pieces(), 1);
  EXPECT_THAT(notes_, ElementsAre("elsewhere"));
}

TEST_F(DeviceGraphTest, EachStepCanBeMadeToFailOnce) {
  const Status planned = data_loss("as planned");
  device_->fail_next(GraphStep::kBegin, planned);
  EXPECT_THAT(std::string(message(Capture::begin(catching_).status())), HasSubstr("as planned"));
  device_->fail_next(GraphStep::kEnd, planned);
  EXPECT_FALSE(Capture::begin(catching_)->end().ok());
  const CapturedWork work = captured({"a"});
  device_->fail_next(GraphStep::kMake, planned);
  EXPECT_FALSE(DeviceGraph::make(work).ok());
  DeviceGraph graph = *DeviceGraph::make(work);
  device_->fail_next(GraphStep::kUpdate, planned);
  EXPECT_FALSE(graph.update(work).ok());
  device_->fail_next(GraphStep::kLaunch, planned);
  EXPECT_FALSE(graph.launch(0).ok());
  EXPECT_EQ(device_->pending(), 0);
  EXPECT_EQ(graph.launch(0), ok_status());
  EXPECT_EQ(device_->synchronize(), ok_status());
  EXPECT_THAT(notes_, ElementsAre("a"));
}

TEST_F(DeviceGraphTest, AGraphThatGoesBeforeItHasRunIsSeen) {
  {
    DeviceGraph graph = *DeviceGraph::make(captured({"a"}));
    ASSERT_EQ(graph.launch(0), ok_status());
  }
  EXPECT_EQ(device_->graphs_in_use(), 0);
  EXPECT_THAT(std::string(message(device_->synchronize())),
              HasSubstr("a graph was dropped before it had run"));
}

TEST_F(DeviceGraphTest, AnErrorOfItsWorkIsTheQueues) {
  Capture capture = *Capture::begin(catching_);
  ASSERT_EQ(device_->submit(1, [] { return data_loss("an illegal address"); }), ok_status());
  ASSERT_EQ(put(1, "behind"), ok_status());
  DeviceGraph graph = *DeviceGraph::make(*capture.end());
  ASSERT_EQ(graph.launch(0), ok_status());
  EXPECT_EQ(device_->synchronize(), data_loss("an illegal address"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DeviceGraphTest, OutlivesItsDriver) {
  const CapturedWork work = captured({"a"});
  DeviceGraph graph = *DeviceGraph::make(work);
  device_.reset();
  EXPECT_EQ(graph.launch(0).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Capture::begin(catching_).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(DeviceGraphTest, DriversNeedNotKnowGraphsButAllOrNothing) {
  EXPECT_TRUE(has_graphs(device_->driver()));
  EXPECT_FALSE(has_graphs(kHostDriver));
  EXPECT_EQ(Capture::begin({}).status().code(), StatusCode::kUnimplemented);
  static constexpr DeviceGraphs kHalf{};
  DeviceDriver driver = host_driver();
  driver.graphs = &kHalf;
  EXPECT_EQ(register_driver(driver).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::memory
