#include "forebay/cuda/queues/repeated_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/device_driver.h"

namespace forebay::cuda {
namespace {

using memory::GraphStep;
using memory::Queue;
using memory::SimulatedDevice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kQueue = 0;
constexpr uint32_t kCatching = 1;

/// Work records its name, once per piece, when the device runs it; nothing runs before somebody waits.
class RepeatedWorkTest : public ::testing::Test {
 protected:
  using Disturbance = std::function<Status(Queue)>;

  ~RepeatedWorkTest() override {
    work_.reset();
    EXPECT_EQ(device_->graphs_in_use(), 0);
    (void)device_->synchronize();
  }

  std::unique_ptr<RepeatedWork> make(size_t most_graphs = 8, size_t fewest_pieces = 2) {
    return *RepeatedWork::create({.queue = {device_->driver(), kQueue},
                                  .capture_queue = kCatching,
                                  .most_graphs = most_graphs,
                                  .fewest_pieces = fewest_pieces},
                                 device_);
  }

  Status put(Queue queue, const std::string& name, int pieces) {
    for (int i = 0; i < pieces; ++i) {
      FOREBAY_RETURN_IF_ERROR(device_->submit(queue.queue, [this, name] {
        notes_ += name;
        return ok_status();
      }));
    }
    return ok_status();
  }

  /// Runs the work with that name, which is its key; `disturb` is called after its pieces.
  Status run(const std::string& name, int pieces = 2, const Disturbance& disturb = nullptr,
             std::shared_ptr<const void> owners = nullptr) {
    const uint64_t key = std::hash<std::string>()(name);
    return work_->run(
        key,
        [&](Queue queue) {
          calls_ += queue.queue == kQueue ? 'p' : 'c';
          FOREBAY_RETURN_IF_ERROR(put(queue, name, pieces));
          return disturb ? disturb(queue) : ok_status();
        },
        std::move(owners));
  }
  void run_times(const std::string& name, int times, int pieces = 2) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(run(name, pieces), ok_status());
    }
  }
  /// What the device has done since the last call.
  std::string done() {
    EXPECT_EQ(device_->synchronize(), ok_status());
    return std::exchange(notes_, {});
  }

  std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.queues = 2, .eager = false});
  std::unique_ptr<RepeatedWork> work_ = make();
  std::string notes_;
  std::string calls_;  // calls of the function that puts work: p on the queue itself, c for a capture
};

TEST_F(RepeatedWorkTest, TheSecondTimeIsCapturedAndLaterOnesAreLaunched) {
  run_times("a", 5);
  EXPECT_EQ(calls_, "pc");
  EXPECT_EQ(done(), "aaaaaaaaaa");
  EXPECT_EQ(work_->counts().plain, 1);
  EXPECT_EQ(work_->counts().launched, 4);
  EXPECT_EQ(work_->counts().made, 1);
}

TEST_F(RepeatedWorkTest, RunsKeepTheirOrderOnTheQueue) {
  for (const char* const name : {"a", "b", "a", "c", "b", "a", "b", "c", "a"}) {
    ASSERT_EQ(run(name), ok_status());
    ASSERT_EQ(put({device_->driver(), kQueue}, ".", 1), ok_status());
  }
  EXPECT_EQ(done(), "aa.bb.aa.cc.bb.aa.bb.cc.aa.");
  EXPECT_EQ(calls_, "ppcpcc");
}

TEST_F(RepeatedWorkTest, AFewPiecesStayPlain) {
  work_ = make(8, 3);
  run_times("few", 4, 2);
  EXPECT_EQ(calls_, "pcppp") << "looked at once";
  calls_.clear();
  run_times("enough", 4, 3);
  EXPECT_EQ(calls_, "pc");
  EXPECT_EQ(work_->counts().failed, 0);
  EXPECT_EQ(done(), "fewfewfewfewfewfewfewfew" + std::string("enoughenoughenough") + "enoughenoughenough" +
                        "enoughenoughenough" + "enoughenoughenough");
}

TEST_F(RepeatedWorkTest, AnotherKeyOfTheSameShapeTakesTheOldestGraph) {
  work_ = make(2);
  run_times("a", 2);
  run_times("b", 2);
  run_times("a", 1);
  run_times("c", 3);
  EXPECT_EQ(work_->counts().updated, 1);
  EXPECT_EQ(work_->counts().made, 2);
  calls_.clear();
  run_times("a", 1);
  EXPECT_EQ(calls_, "") << "b's was the oldest";
  run_times("b", 1);
  EXPECT_EQ(calls_, "c");
  EXPECT_EQ(done(), "aaaabbbbaacccccc" + std::string("aabb"));
  EXPECT_EQ(device_->graphs_in_use(), 2);
}

TEST_F(RepeatedWorkTest, TheGraphThatGoesIsTheOneUsedLeastRecently) {
  work_ = make(3);
  for (const char* const name : {"a", "b", "c"}) {
    run_times(name, 2);
  }
  run_times("a", 1);
  run_times("d", 2);
  calls_.clear();
  for (const char* const name : {"a", "c", "d"}) {
    run_times(name, 1);
  }
  EXPECT_EQ(calls_, "");
  run_times("b", 1);
  EXPECT_EQ(calls_, "c");
  EXPECT_EQ(done(), "aaaabbbbccccaaddddaaccddbb");
}

TEST_F(RepeatedWorkTest, AnotherShapePutsTheOldestGraphAway) {
  work_ = make(1);
  run_times("a", 2);
  run_times("b", 3, 3);
  EXPECT_EQ(work_->counts().updated, 0);
  EXPECT_EQ(work_->counts().made, 2);
  EXPECT_EQ(device_->graphs_in_use(), 2) << "the first one may still run";
  EXPECT_EQ(done(), "aaaabbbbbbbbb");
  run_times("b", 1, 3);
  EXPECT_EQ(device_->graphs_in_use(), 1);
  EXPECT_EQ(done(), "bbb");
}

TEST_F(RepeatedWorkTest, AKeyThatNeverComesAgainIsNeverCaptured) {
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(run("key " + std::to_string(i)), ok_status());
  }
  EXPECT_EQ(calls_, std::string(500, 'p'));
}

TEST_F(RepeatedWorkTest, KeysThatComeAndGoTooFastAreGivenUpAndTriedAgain) {
  work_ = make(1);
  for (int i = 0; i < 4000; ++i) {
    ASSERT_EQ(run(std::to_string(i % 40)), ok_status());
    ASSERT_EQ(device_->synchronize(), ok_status());
  }
  const auto captures = std::ranges::count(calls_, 'c');
  EXPECT_GT(captures, 40) << "tried again";
  EXPECT_LT(captures, 150);
  calls_.clear();
  run_times("1", 1000);
  EXPECT_LE(std::ranges::count(calls_, 'c'), 1);
  EXPECT_LE(calls_.size(), 70) << "it has calmed down";
}

TEST_F(RepeatedWorkTest, ManyKeysAreForgottenWithTheirGraphs) {
  work_ = make(8);
  run_times("a", 3);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(run("key " + std::to_string(i)), ok_status());
  }
  (void)done();
  calls_.clear();
  run_times("a", 1);
  EXPECT_EQ(device_->graphs_in_use(), 0);
  EXPECT_EQ(calls_, "p");
}

TEST_F(RepeatedWorkTest, AnErrorOfTheBodyEndsTheCaptureAndIsGivenBack) {
  const Disturbance fails = [](Queue) { return data_loss("the body's own"); };
  EXPECT_EQ(run("a", 2, fails), data_loss("the body's own"));
  EXPECT_EQ(done(), "aa") << "put on the queue before the error";
  EXPECT_EQ(run("a", 2, fails), data_loss("the body's own"));
  EXPECT_EQ(done(), "") << "nothing that was captured runs";
  EXPECT_EQ(calls_, "pc");
  run_times("a", 2);
  EXPECT_EQ(calls_, "pcc");
  EXPECT_EQ(done(), "aaaa");
}

TEST_F(RepeatedWorkTest, AnExceptionEndsTheCapture) {
  run_times("a", 1);
  EXPECT_THROW((void)run("a", 2, [](Queue) -> Status { throw std::runtime_error("halfway"); }),
               std::runtime_error);
  EXPECT_EQ(done(), "aa");
  run_times("a", 2);
  EXPECT_EQ(calls_, "pcc");
  EXPECT_EQ(done(), "aaaa");
}

/// Work that records a point, like a copy whose fence is wanted.
TEST_F(RepeatedWorkTest, WorkThatCannotBeCapturedStaysPlain) {
  const Disturbance asks = [](Queue queue) { return memory::record(queue.driver, queue.queue).status(); };
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(run("a", 2, asks), ok_status());
  }
  EXPECT_EQ(calls_, "pcppp");
  EXPECT_EQ(work_->counts().failed, 1);
  EXPECT_EQ(done(), "aaaaaaaa") << "each once";
}

TEST_F(RepeatedWorkTest, AFailureOfAnyStepLosesNothing) {
  for (const GraphStep step : {GraphStep::kBegin, GraphStep::kEnd, GraphStep::kMake, GraphStep::kLaunch}) {
    SCOPED_TRACE(static_cast<int>(step));
    work_ = make();
    calls_.clear();
    run_times("a", 1);
    device_->fail_next(step, data_loss("as planned"));
    run_times("a", 3);
    EXPECT_EQ(calls_, step == GraphStep::kBegin ? "pppp" : "pcppp");
    EXPECT_EQ(work_->counts().failed, 1);
    EXPECT_EQ(done(), "aaaaaaaa");
  }
}

TEST_F(RepeatedWorkTest, AFailedUpdateMakesAGraphAnew) {
  work_ = make(1);
  run_times("a", 2);
  run_times("b", 1);
  device_->fail_next(GraphStep::kUpdate, data_loss("as planned"));
  run_times("b", 2);
  EXPECT_EQ(work_->counts().made, 2);
  EXPECT_EQ(work_->counts().updated, 0);
  EXPECT_EQ(done(), "aaaabbbbbb");
}

TEST_F(RepeatedWorkTest, AFailedLaunchOfAnOldGraphIsRunPlainly) {
  run_times("a", 3);
  device_->fail_next(GraphStep::kLaunch, data_loss("as planned"));
  run_times("a", 2);
  EXPECT_EQ(calls_, "pcpp");
  EXPECT_EQ(done(), "aaaaaaaaaa");
}

TEST_F(RepeatedWorkTest, OwnersStayUntilTheDeviceHasPassedTheLastLaunch) {
  work_ = make(1);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> alive = owner;
  ASSERT_EQ(run("a", 2, nullptr, owner), ok_status());
  EXPECT_EQ(owner.use_count(), 1) << "no graph, nothing to keep it for";
  ASSERT_EQ(run("a", 2, nullptr, std::exchange(owner, nullptr)), ok_status());
  run_times("a", 1);
  run_times("b", 3);  // takes over the graph
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(done(), "aaaaaabbbbbb");
  run_times("b", 1);
  EXPECT_TRUE(alive.expired());
}

TEST_F(RepeatedWorkTest, ItsEndWaitsForWhatWasLaunched) {
  auto owner = std::make_shared<int>(1);
  ASSERT_EQ(run("a"), ok_status());
  ASSERT_EQ(run("a", 2, nullptr, owner), ok_status());
  EXPECT_THAT(notes_, IsEmpty());
  work_.reset();
  EXPECT_EQ(notes_, "aaaa");
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(device_->synchronize(), ok_status());
}

TEST_F(RepeatedWorkTest, OtherThreadsMayAskForPointsOfTheQueueDuringACapture) {
  run_times("a", 1);
  const Disturbance others = [this](Queue) { return memory::record(device_->driver(), kQueue).status(); };
  ASSERT_EQ(run("a", 2, others), ok_status());
  run_times("a", 1);
  EXPECT_EQ(calls_, "pc");
  EXPECT_EQ(done(), "aaaaaa");
}

TEST_F(RepeatedWorkTest, AQueueWithAnErrorKeepsIt) {
  run_times("a", 2);
  ASSERT_EQ(device_->submit(kQueue, [] { return data_loss("an illegal address"); }), ok_status());
  run_times("a", 1);
  EXPECT_EQ(device_->synchronize(), data_loss("an illegal address"));
  EXPECT_EQ(notes_, "aaaa");
}

TEST_F(RepeatedWorkTest, ADriverWithoutGraphsIsServedPlainly) {
  const auto plain = *RepeatedWork::create({.queue = {memory::kHostDriver, 0}, .capture_queue = 1}, nullptr);
  int calls = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(plain->run(7,
                         [&](Queue) {
                           ++calls;
                           return ok_status();
                         }),
              ok_status());
  }
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(plain->counts().plain, 3);
  EXPECT_EQ(plain->counts().failed, 0);
}

TEST_F(RepeatedWorkTest, NeedsAQueueToCaptureOnAndAGraph) {
  const Queue queue{device_->driver(), kQueue};
  EXPECT_EQ(RepeatedWork::create({.queue = queue, .capture_queue = kQueue}, device_).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      RepeatedWork::create({.queue = queue, .capture_queue = 1, .most_graphs = 0}, device_).status().code(),
      StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::cuda
