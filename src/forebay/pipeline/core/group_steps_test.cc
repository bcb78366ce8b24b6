// Samples that go through a step in groups: the same bits for any grouping, an error each, and nothing that
// waits for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>

#include "forebay/base/testing/rounds.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"

namespace forebay::pipeline {
namespace {

using operators::Sample;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FileFolder;
using ::testing::HasSubstr;
using ::testing::Le;

constexpr int kFiles = 23;
constexpr std::string_view kCopy = "copy";

/// Copies its input and draws a number from it; what `failing` says of a sample may break it.
class GroupOperator final : public operators::Operator {
 public:
  using Failing = std::function<Status(const Sample&)>;
  explicit GroupOperator(int size, Failing failing = {}) : size_(size), failing_(std::move(failing)) {}

  operators::Scope scope() const override { return operators::Scope::kGroup; }
  int group_size() const override { return size_; }
  Status run(Sample& sample) const override {
    if (failing_) {
      FOREBAY_RETURN_IF_ERROR(failing_(sample));
    }
    const tensor::Tensor& input = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const auto output, sample.output(0, input.spec()));
    const auto drawn = static_cast<std::byte>(sample.random().next_u32());
    std::ranges::transform(input.bytes(), output.bytes().begin(),
                           [&](std::byte byte) { return byte ^ drawn; });
    return ok_status();
  }
  void run_group(std::span<Sample> samples, std::span<Status> results) const override {
    {
      const std::lock_guard lock(mutex_);
      sizes_.push_back(static_cast<int>(samples.size()));
    }
    Operator::run_group(samples, results);
  }
  std::vector<int> sizes() const {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  const int size_;
  const Failing failing_;
  mutable std::mutex mutex_;
  mutable std::vector<int> sizes_;
};

/// Gives what it was given, and notes whom it has seen.
class NotingFunction final : public HostFunction {
 public:
  Status run(std::span<FunctionSample> samples) override {
    const std::lock_guard lock(mutex_);
    sizes_.push_back(static_cast<int>(samples.size()));
    for (FunctionSample& sample : samples) {
      positions_.push_back(sample.identity.stream_index);
      sample.outputs = sample.inputs;
    }
    return ok_status();
  }
  std::vector<int64_t> positions() const {
    const std::lock_guard lock(mutex_);
    return positions_;
  }
  std::vector<int> sizes() const {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<int> sizes_;
  std::vector<int64_t> positions_;
};

struct Setting {
  int batch_size = 4;
  int threads = 3;
  int depth = 2;
  OnError on_error = OnError::kRaise;
  uint64_t limit = 0;
  std::shared_ptr<engine::Engine> engine;  // null: the process's
};

using FileContents = std::vector<std::string>;

FileContents contents_of_next(Session& session, size_t samples) {
  FileContents all;
  while (all.size() < samples) {
    const auto delivery = session.run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    if (!delivery.ok()) {
      break;
    }
    for (const tensor::Tensor& tensor : delivery->outputs[0].samples()) {
      all.emplace_back(static_cast<const char*>(tensor.data()), tensor.size_bytes());
    }
  }
  all.resize(std::min(all.size(), samples));
  return all;
}

class GroupStepsTest : public ::testing::Test {
 protected:
  /// reader -> "work" -> "after", an operator of type `after`.
  Graph graph(std::string_view work, const std::string& after = "copy") {
    Graph graph;
    Node reader;
    reader.op = "readers.file";
    reader.constants = {{"files", folder_.files()}, {"random_shuffle", true}};
    Node worker;
    worker.op = work;
    worker.name = "work";
    worker.inputs = {{*graph.add(reader), 0}};
    work_ = *graph.add(worker);
    Node last;
    last.op = after;
    last.name = "after";
    last.inputs = {{work_, 0}};
    if (after == "keep") {
      last.constants = {{"where", true}};
    }
    EXPECT_TRUE(graph.set_outputs({{*graph.add(last), 0}}).ok());
    return graph;
  }

  std::unique_ptr<Session> open(const Graph& graph, const Setting& how,
                                const std::shared_ptr<const operators::Operator>& op,
                                const std::shared_ptr<HostFunction>& function = nullptr) {
    PlanOptions plan_options;
    plan_options.batch_size = how.batch_size;
    plan_options.seed = 7;
    if (op != nullptr) {
      plan_options.replaced_operators = {{"work", op}};
    }
    auto plan = Plan::compile(graph, plan_options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    SessionOptions options;
    options.num_threads = how.threads;
    options.prefetch_depth = how.depth;
    options.on_error = how.on_error;
    options.memory_limit_bytes = how.limit;
    options.engine = how.engine;
    if (function != nullptr) {
      options.functions = {{work_, function}};
    }
    auto session = Session::create(*plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  FileFolder folder_{kFiles};
  int work_ = -1;
};

TEST_F(GroupStepsTest, SameBitsForAnyGroupBatchAndThreads) {
  const Graph made = graph(kCopy);
  const FileContents expected =
      contents_of_next(*open(made, {.batch_size = 1, .threads = 1}, std::make_shared<GroupOperator>(1)), 60);
  for (const int size : {1, 2, 3, 8}) {
    for (const int batch_size : {1, 5, 16}) {
      const auto op = std::make_shared<GroupOperator>(size);
      EXPECT_EQ(contents_of_next(*open(made, {.batch_size = batch_size, .threads = 4}, op), 60), expected);
      EXPECT_THAT(op->sizes(), Each(Le(size)));
    }
  }
}

TEST_F(GroupStepsTest, NeighboursAreAGroup) {
  const auto op = std::make_shared<GroupOperator>(3);
  const auto engine = std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0});
  contents_of_next(*open(graph(kCopy), {.batch_size = 8, .depth = 1, .engine = engine}, op), 8);
  const std::vector<int> sizes = op->sizes();
  ASSERT_GE(sizes.size(), 3u);
  EXPECT_THAT(std::span(sizes).first(3), ElementsAre(3, 3, 2));
}

TEST_F(GroupStepsTest, ABrokenSampleLeavesItsGroupAlone) {
  const auto break_some = [](const Sample& sample) {
    return sample.identity().sample_index % 7 == 5 ? data_loss("damaged") : ok_status();
  };
  const auto session = open(graph(kCopy), {.batch_size = 8, .on_error = OnError::kSkip},
                            std::make_shared<GroupOperator>(4, break_some));
  contents_of_next(*session, kFiles - 3);
  ASSERT_GE(session->errors().count(), 3u);
  const ErrorLog log = session->errors();
  for (const SampleError& error : log.errors()) {
    EXPECT_EQ(error.context.sample_index % 7, 5);
    EXPECT_EQ(error.context.operator_name, "work");
    EXPECT_EQ(error.context.origin.object, folder_.files()[error.context.sample_index]);
  }
}

TEST_F(GroupStepsTest, WhatIsThrownIsTheErrorOfTheWholeGroup) {
  const auto throw_at_once = [](const Sample&) -> Status { throw std::length_error("far too long"); };
  const auto session =
      open(graph(kCopy), {.batch_size = 6}, std::make_shared<GroupOperator>(4, throw_at_once));
  EXPECT_THAT(std::string(message(session->run().status())), HasSubstr("far too long"));
  EXPECT_EQ(session->errors().count(), 6u);
}

TEST_F(GroupStepsTest, WhoIsBrokenBeforeIsNotWaitedFor) {
  for (int index = 0; index < kFiles; index += 2) {
    folder_.remove(index);
  }
  for (const OnError policy : {OnError::kSkip, OnError::kReplace}) {
    FileContents first;
    for (const int threads : {1, 4}) {
      const auto session = open(graph(kCopy), {.batch_size = 6, .threads = threads, .on_error = policy},
                                std::make_shared<GroupOperator>(4));
      const FileContents all = contents_of_next(*session, 40);
      first = first.empty() ? all : first;
      EXPECT_EQ(all.size(), 40u);
      EXPECT_EQ(all, first);
    }
  }
}

// Who stands in for one that broke in the group begins at the reader, and comes to the step late.
TEST_F(GroupStepsTest, AnotherMayStandInForOneThatBrokeInAGroup) {
  const Graph made = graph(kCopy);
  const auto break_some = [](const Sample& sample) {
    return sample.identity().sample_index % 3 == 0 ? data_loss("damaged") : ok_status();
  };
  const Setting alone{.batch_size = 6, .threads = 1, .on_error = OnError::kReplace};
  const auto reference = open(made, alone, std::make_shared<GroupOperator>(1, break_some));
  const FileContents expected = contents_of_next(*reference, 48);
  EXPECT_GT(reference->errors().count(), 0u);
  for (const int size : {2, 5, 8}) {
    const Setting how{.batch_size = 6, .threads = 4, .on_error = OnError::kReplace};
    EXPECT_EQ(contents_of_next(*open(made, how, std::make_shared<GroupOperator>(size, break_some)), 48),
              expected);
  }
}

TEST_F(GroupStepsTest, TheMemoryLimitIsKeptAndNobodyWaitsForEver) {
  const Graph made = graph(kCopy);
  const FileContents expected =
      contents_of_next(*open(made, {.batch_size = 4}, std::make_shared<GroupOperator>(1)), 46);
  for (const int size : {2, 4, 8}) {
    for (const uint64_t limit : {300, 400, 600, 4000}) {
      const auto session = open(made, {.batch_size = 4, .threads = 4, .depth = 3, .limit = limit},
                                std::make_shared<GroupOperator>(size));
      EXPECT_EQ(contents_of_next(*session, 46), expected) << size << " in " << limit;
      EXPECT_LE(session->budget().peak_working_bytes(), limit);
    }
  }
}

TEST_F(GroupStepsTest, AnExpandOperatorMayFollow) {
  const FileContents expected =
      contents_of_next(*open(graph(kCopy), {}, std::make_shared<GroupOperator>(1)), 40);
  const auto session = open(graph(kCopy, "keep"), {.batch_size = 5}, std::make_shared<GroupOperator>(3));
  EXPECT_EQ(contents_of_next(*session, 40), expected);
}

TEST_F(GroupStepsTest, ASampleIsReplayedInAGroupOfOne) {
  const auto op = std::make_shared<GroupOperator>(4);
  const auto session = open(graph(kCopy), {.batch_size = 8}, op);
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  for (int i = 0; i < 8; ++i) {
    const operators::SampleIdentity& identity = delivery->samples[i].identity;
    const auto again = session->replay(identity.epoch, identity.position);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(std::ranges::equal((*again)[0].bytes(), delivery->outputs[0][i].bytes()));
  }
}

TEST_F(GroupStepsTest, MayBeClosedWhileGroupsFill) {
  const Graph made = graph(kCopy);
  for (int round = 0; round < rounds(100, 300); ++round) {
    const auto session = open(made, {.batch_size = 6, .threads = 2}, std::make_shared<GroupOperator>(4));
    session->prefetch();
  }
}

TEST_F(GroupStepsTest, AFunctionSeesSamplesInOrderAndGroupsOfEight) {
  const Graph made = graph(kHostFunction);
  for (const uint64_t limit : {0, 2000}) {
    const auto function = std::make_shared<NotingFunction>();
    const auto session =
        open(made, {.batch_size = 20, .threads = 4, .depth = 4, .limit = limit}, nullptr, function);
    contents_of_next(*session, 100);
    session->close();
    ASSERT_TRUE(session->await_end().ok());
    const std::vector<int64_t> positions = function->positions();
    ASSERT_GE(positions.size(), 100u);
    EXPECT_TRUE(std::ranges::is_sorted(positions));
    EXPECT_EQ(positions[99], 99);
    const std::vector<int> sizes = function->sizes();
    for (size_t call = 0; call + 3 <= 15; call += 3) {
      EXPECT_THAT(std::span(sizes).subspan(call, 3), ElementsAre(8, 8, 4));
    }
  }
}

TEST_F(GroupStepsTest, AFunctionDoesNotSeeWhatIsBroken) {
  for (int index = 0; index < kFiles; index += 2) {
    folder_.remove(index);
  }
  const Graph made = graph(kHostFunction);
  for (const int batch_size : {1, 2, 12}) {  // of small batches all are broken now and then: one stands in
    const auto function = std::make_shared<NotingFunction>();
    const auto session =
        open(made, {.batch_size = batch_size, .threads = 4, .on_error = OnError::kSkip}, nullptr, function);
    const FileContents all = contents_of_next(*session, 30);
    EXPECT_EQ(all.size(), 30u);
    session->close();
    ASSERT_TRUE(session->await_end().ok());
    EXPECT_TRUE(std::ranges::is_sorted(function->positions()));
    const std::vector<int64_t> positions = function->positions();
    EXPECT_EQ(std::set(positions.begin(), positions.end()).size(), positions.size());
  }
}

TEST_F(GroupStepsTest, AnOutputThatIsMissingIsTheErrorOfItsSample) {
  struct Forgetful final : HostFunction {
    Status run(std::span<FunctionSample> samples) override {
      for (FunctionSample& sample : samples) {
        if (sample.identity.stream_index == 2) {
          sample.outputs.clear();
        } else {
          sample.outputs = sample.inputs;
        }
      }
      return ok_status();
    }
  };
  const auto session = open(graph(kHostFunction), {}, nullptr, std::make_shared<Forgetful>());
  EXPECT_THAT(std::string(message(session->run().status())), HasSubstr("gave 0 outputs, 1 expected"));
  EXPECT_EQ(session->errors().count(), 1u);
}

}  // namespace
}  // namespace forebay::pipeline
