// Exceptions from operators, feeds, functions and takers are errors of the sample or batch; the session
// continues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "forebay/memory/host/scratch.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/operators.h"

namespace forebay::pipeline {
namespace {

using testing::FileFolder;
using ::testing::HasSubstr;
using testing::replace_operator;

constexpr int64_t kThrowing = 5;  // the index of the sample whose operator throws

class ExceptionsTest : public ::testing::Test {
 protected:
  /// file -> copied, with operator `op` on node "work".
  std::shared_ptr<const Plan> plan(const std::string& op, std::map<std::string, Value> constants = {}) {
    Graph graph;
    Node reader;
    reader.op = "readers.file";
    reader.constants["files"] = folder_.files();
    Edge bytes{*graph.add(reader), 0};
    Node work;
    work.op = op;
    work.name = "work";
    work.constants = std::move(constants);
    work.inputs = {bytes};
    work_ = *graph.add(work);
    EXPECT_TRUE(graph.set_outputs({{work_, 0}}).ok());
    auto plan = Plan::compile(graph, {.batch_size = 4});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return *plan;
  }

  static std::unique_ptr<Session> open(const std::shared_ptr<const Plan>& plan, SessionOptions options) {
    options.num_threads = 2;
    auto session = Session::create(plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  FileFolder folder_{12};
  int work_ = -1;
};

TEST_F(ExceptionsTest, OfAnOperatorAreErrorsOfItsSample) {
  const auto made = plan("copy");
  replace_operator(*made, "work", [](operators::Sample& sample) -> Status {
    if (sample.identity().sample_index == kThrowing) {
      throw std::length_error("far too long");
    }
    sample.forward(0, sample.input(0));
    return ok_status();
  });
  for (const OnError policy : {OnError::kRaise, OnError::kSkip, OnError::kReplace}) {
    auto session = open(made, {.on_error = policy});
    for (int batch = 0; batch < 3; ++batch) {
      const auto delivery = session->run();
      EXPECT_EQ(delivery.ok(), policy != OnError::kRaise || batch != 1) << delivery.status();
    }
    ASSERT_EQ(session->errors().count(), 1u);
    const SampleError error = session->errors().errors()[0];
    EXPECT_THAT(error.cause, HasSubstr("far too long"));
    EXPECT_EQ(error.context.sample_index, kThrowing);
    EXPECT_EQ(error.context.operator_name, "work");
  }
}

TEST_F(ExceptionsTest, OfWantOfMemoryAreToldAsSuch) {
  const auto made = plan("copy");
  replace_operator(*made, "work", [](operators::Sample&) -> Status { throw std::bad_alloc(); });
  const auto delivery = open(made, {})->run();
  EXPECT_EQ(delivery.status().code(), StatusCode::kResourceExhausted);
}

TEST_F(ExceptionsTest, OfAnOperatorSplitOverWorkersAreThoseOfItsFirstItem) {
  const auto made = plan("copy");
  replace_operator(*made, "work", [](operators::Sample& sample) -> Status {
    sample.parallel_for(100, [](int64_t item) {
      if (item >= 20) {
        throw std::runtime_error("item " + std::to_string(item));
      }
    });
    return ok_status();
  });
  for (int round = 0; round < 20; ++round) {
    const auto delivery = open(made, {})->run();
    ASSERT_EQ(delivery.status().code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(message(delivery.status())), HasSubstr("item 20"));
  }
}

TEST_F(ExceptionsTest, OfAnOperatorOnTheWholeBatchAreErrorsOfTheBatch) {
  const auto made = plan("permute_batch", {{"indices", std::vector<int64_t>{0, 1, 2, 3}}});
  replace_operator(*made, "work", [](operators::Sample&) -> Status { throw std::length_error("no batch"); });
  const auto session = open(made, {.on_error = OnError::kSkip});
  for (int batch = 0; batch < 3; ++batch) {
    EXPECT_THAT(std::string(message(session->run().status())), HasSubstr("no batch"));
  }
}

TEST_F(ExceptionsTest, OfRefusedWorkingMemoryNameTheLimit) {
  for (const bool is_of_batch : {false, true}) {
    const auto made =
        is_of_batch ? plan("permute_batch", {{"indices", std::vector<int64_t>{0, 1, 2, 3}}}) : plan("copy");
    replace_operator(*made, "work", [](operators::Sample&) -> Status {
      const memory::ScratchVector<char> rows(size_t{1} << 20);
      return ok_status();
    });
    const auto delivery = open(made, {.memory_limit_bytes = uint64_t{1} << 19})->run();
    EXPECT_EQ(delivery.status().code(), StatusCode::kResourceExhausted) << is_of_batch;
    EXPECT_THAT(std::string(message(delivery.status())), HasSubstr("over the memory limit of 524288 bytes"));
  }
}

TEST_F(ExceptionsTest, OfAnExpandingOperatorAreErrorsOfItsSample) {
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants["files"] = folder_.files();
  const Edge bytes{*graph.add(reader), 0};
  Node keep;
  keep.op = "keep";
  keep.name = "keep";
  keep.inputs = {bytes};
  keep.constants = {{"where", true}};
  ASSERT_TRUE(graph.set_outputs({{*graph.add(keep), 0}}).ok());
  const auto made = *Plan::compile(graph, {.batch_size = 4});
  struct Throwing final : operators::Operator {
    Status run(operators::Sample&) const override { return ok_status(); }
    Result<int64_t> expand_count(const operators::Sample&) const override { throw std::bad_alloc(); }
  };
  replace_operator(*made, "keep", std::make_shared<Throwing>());
  const auto delivery = open(made, {})->run();
  EXPECT_EQ(delivery.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(delivery.status())), HasSubstr("'keep'"));
}

TEST_F(ExceptionsTest, OfFunctionsAndFeedsAreErrorsOfTheBatch) {
  struct Thrower final : HostFunction, ExternalFeed {
    Status run(std::span<FunctionSample>) override { throw std::length_error("from a function"); }
    Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest&) override {
      throw std::length_error("from a feed");
    }
  };
  const auto with_function = plan(std::string(kHostFunction));
  auto session = open(with_function, {.functions = {{work_, std::make_shared<Thrower>()}}});
  EXPECT_THAT(std::string(message(session->run().status())), HasSubstr("from a function"));

  Graph graph;
  Node feed;
  feed.op = kExternalSource;
  const int at = *graph.add(feed);
  ASSERT_TRUE(graph.set_outputs({{at, 0}}).ok());
  session = open(*Plan::compile(graph, {.batch_size = 4}), {.feeds = {{at, std::make_shared<Thrower>()}}});
  EXPECT_THAT(std::string(message(session->run().status())), HasSubstr("from a feed"));
}

TEST_F(ExceptionsTest, OfWhoTakesABatchAreErrorsOfWhatDependsOnIt) {
  auto session = open(plan("copy"), {});
  const auto engine = engine::Engine::process_engine();
  const engine::Variable written = engine->new_variable();
  const auto take = [](const Result<Delivery>&) -> Status { throw std::length_error("not taken"); };
  ASSERT_EQ(session->run_later({&written, 1}, take), ok_status());
  EXPECT_THAT(std::string(message(engine->wait(written))), HasSubstr("not taken"));
  EXPECT_TRUE(session->run().ok());
}

}  // namespace
}  // namespace forebay::pipeline
