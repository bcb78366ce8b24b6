// What stores see of a session: its plans, and the context of its reads. One thread steps through the
// engine's tasks, so that each test is one schedule.
#include "forebay/pipeline/samples/session_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/base/end_of_data.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/operators.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/testing/threads_store.h"

namespace forebay::pipeline {
namespace {

using storage::FaultInjectingStore;
using storage::PlannedRange;
using storage::ReadPlan;

constexpr int kReadBatch = 4;

std::vector<std::string> keys_of(const std::vector<PlannedRange>& ranges) {
  std::vector<std::string> keys;
  for (const PlannedRange& range : ranges) {
    keys.push_back(range.key);
  }
  return keys;
}

/// Each sample twice.
class Twice final : public operators::Operator {
 public:
  operators::Scope scope() const override { return operators::Scope::kExpand; }
  Result<int64_t> expand_count(const operators::Sample&) const override { return 2; }
  Status run(operators::Sample& sample) const override {
    sample.forward(0, sample.input(0));
    return ok_status();
  }
};

/// Two batches an epoch.
class ShortFeed final : public ExternalFeed {
 public:
  Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest& request) override {
    if (request.iteration == 2) {
      return end_of_data("the epoch is over");
    }
    FOREBAY_ASSIGN_OR_RETURN(const tensor::Tensor sample, tensor::Tensor::scalar<int64_t>(request.iteration));
    return std::vector<std::vector<tensor::Tensor>>{std::vector(kReadBatch, sample)};
  }
};

class SessionReadsTest : public ::testing::Test {
 protected:
  SessionReadsTest() {
    storage::default_registry().mount("mem://session_reads/", store_);
    for (int i = 0; i < 11; ++i) {
      put("a" + std::to_string(i));
    }
    for (int i = 0; i < 7; ++i) {
      put("b" + std::to_string(i));
    }
  }
  ~SessionReadsTest() override {
    EXPECT_TRUE(storage::default_registry().unmount("mem://session_reads/").ok());
  }

  void put(const std::string& key) {
    EXPECT_TRUE(storage::write_now(*store_, key, std::as_bytes(std::span(key))).ok());
  }

  static Edge add_reader(Graph* graph, const std::string& prefix, int files,
                         std::map<std::string, Value> more = {}) {
    std::vector<std::string> paths;
    for (int i = 0; i < files; ++i) {
      paths.push_back("mem://session_reads/" + prefix + std::to_string(i));
    }
    Node reader;
    reader.op = "readers.file";
    reader.constants = std::move(more);
    reader.constants["files"] = std::move(paths);
    return {*graph->add(reader), 0};
  }

  /// A reader of "a0" to "a10", in order.
  static Graph one_reader(std::map<std::string, Value> more = {}) {
    Graph graph;
    EXPECT_TRUE(graph.set_outputs({add_reader(&graph, "a", 11, std::move(more))}).ok());
    return graph;
  }

  static std::shared_ptr<const Plan> compile(const Graph& graph) {
    return *Plan::compile(graph, {.batch_size = kReadBatch, .seed = 5});
  }
  std::unique_ptr<Session> open(const std::shared_ptr<const Plan>& plan, SessionOptions options = {}) const {
    options.engine = engine_;
    options.refuses_unequal_readers = false;
    auto session = Session::create(plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  std::unique_ptr<Session> open(const Graph& graph, SessionOptions options = {}) const {
    return open(compile(graph), std::move(options));
  }

  static void run(Session& session, int batches) {
    for (int i = 0; i < batches; ++i) {
      const auto delivery = session.run();
      ASSERT_TRUE(delivery.ok()) << delivery.status();
    }
  }
  void run_tasks() const {
    while (engine_->step()) {
    }
  }

  /// The keys that were read and begin with `prefix`, in order.
  std::vector<std::string> read_keys(const std::string& prefix) const {
    std::vector<std::string> keys;
    for (const FaultInjectingStore::ReadRecord& read : store_->reads()) {
      if (read.key.starts_with(prefix)) {
        keys.push_back(read.key);
      }
    }
    return keys;
  }

  const std::shared_ptr<FaultInjectingStore> store_ =
      std::make_shared<FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
  const std::shared_ptr<engine::Engine> engine_ =
      std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0});
};

TEST_F(SessionReadsTest, PlansSayWhatEachReaderReadsAfterwards) {
  Graph graph;
  const Edge first = add_reader(&graph, "a", 11, {{"random_shuffle", true}, {"pad_last_batch", true}});
  const Edge second = add_reader(&graph, "b", 7, {{"random_shuffle", true}});
  ASSERT_TRUE(graph.set_outputs({first, second}).ok());
  const auto session = open(graph);
  EXPECT_TRUE(store_->plans().empty());  // a state may still be restored
  session->prefetch();
  const std::vector<std::shared_ptr<ReadPlan>> plans = store_->plans();
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_TRUE(store_->reads().empty());  // the stores were told before
  run(*session, 9);
  run_tasks();
  for (const auto& [plan, prefix] : {std::pair(plans[0], "a"), std::pair(plans[1], "b")}) {
    const std::vector<std::string> read = read_keys(prefix);
    ASSERT_GT(read.size(), 9u * kReadBatch);  // through several epochs
    EXPECT_EQ(keys_of(plan->ranges(0, read.size())), read);
  }
  EXPECT_EQ(store_->plans().size(), 2u);
  for (const FaultInjectingStore::ReadRecord& read : store_->reads()) {
    EXPECT_FALSE(read.if_version.empty());
  }
}

TEST_F(SessionReadsTest, TheCursorFollowsWhatIsDelivered) {
  const auto session = open(one_reader(), {.prefetch_depth = 3});
  session->prefetch();
  run_tasks();
  const std::shared_ptr<ReadPlan> plan = store_->plans().at(0);
  EXPECT_EQ(plan->reader_window(), 3u * kReadBatch);
  EXPECT_EQ(plan->cursor(), 0u);  // three batches were read, and none delivered
  for (uint64_t batches = 1; batches < 5; ++batches) {
    run(*session, 1);
    EXPECT_EQ(plan->cursor(), batches * kReadBatch);
    ASSERT_TRUE(session->replay(0, 3).ok());
    EXPECT_EQ(plan->cursor(), batches * kReadBatch);
  }
}

TEST_F(SessionReadsTest, TheCursorPassesBrokenSamples) {
  store_->fail_reads("a2", data_loss("broken"));
  for (const OnError policy : {OnError::kRaise, OnError::kSkip, OnError::kReplace}) {
    store_->forget_reads();
    const auto session = open(one_reader(), {.on_error = policy});
    EXPECT_EQ(session->run().ok(), policy != OnError::kRaise);
    EXPECT_EQ(store_->plans().at(0)->cursor(), uint64_t{kReadBatch});
  }
}

TEST_F(SessionReadsTest, WithExpandTheCursorStaysAtTheBatchThatIsBeingDelivered) {
  Graph graph;
  Node keep;
  keep.op = "keep";
  keep.name = "twice";
  keep.inputs = {add_reader(&graph, "a", 11)};
  keep.constants = {{"where", true}};
  ASSERT_TRUE(graph.set_outputs({{*graph.add(keep), 0}}).ok());
  const auto plan = compile(graph);
  testing::replace_operator(*plan, "twice", std::make_shared<Twice>());
  const auto session = open(plan);
  run(*session, 2);
  EXPECT_EQ(store_->plans().at(0)->cursor(), 0u);
  run(*session, 1);
  EXPECT_EQ(store_->plans().at(0)->cursor(), uint64_t{kReadBatch});
}

TEST_F(SessionReadsTest, ARestoredSessionPlansFromItsPlace) {
  const Graph graph = one_reader({{"random_shuffle", true}});
  const auto before = open(graph);
  run(*before, 3);
  const std::string state = before->state();
  before->close();
  store_->forget_reads();
  const auto after = open(graph);
  ASSERT_TRUE(after->restore(state).ok());
  run(*after, 1);
  const std::shared_ptr<ReadPlan> plan = store_->plans().at(0);
  EXPECT_EQ(plan->cursor(), 4u * kReadBatch);
  std::vector<std::string> read = read_keys("a");
  read.resize(kReadBatch);
  EXPECT_EQ(keys_of(plan->ranges(3 * kReadBatch, kReadBatch)), read);
}

TEST_F(SessionReadsTest, TheNextEpochOfAFeedIsStillAhead) {
  Graph graph;
  const Edge bytes = add_reader(&graph, "a", 11);
  Node feed;
  feed.op = kExternalSource;
  const Edge fed{*graph.add(feed), 0};
  ASSERT_TRUE(graph.set_outputs({fed, bytes}).ok());
  const auto session =
      open(graph, {.prefetch_depth = 4, .feeds = {{fed.node, std::make_shared<ShortFeed>()}}});
  run(*session, 2);
  EXPECT_TRUE(is_end_of_data(session->run().status()));
  const std::shared_ptr<ReadPlan> plan = store_->plans().at(0);
  EXPECT_EQ(plan->cursor(), 2u * kReadBatch);
  ASSERT_TRUE(session->reset_feeds().ok());
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  const tensor::Tensor& next = delivery->outputs[1][0];
  EXPECT_EQ(std::string(static_cast<const char*>(next.data()), next.size_bytes()),
            plan->ranges(2 * kReadBatch, 1).at(0).key);
}

TEST_F(SessionReadsTest, EachSessionHasPlansOfItsOwnAndTakesThemBack) {
  const auto plan = compile(one_reader());
  auto closed = open(plan);
  auto dropped = open(plan);
  const auto kept = open(plan);
  for (Session* const session : {closed.get(), dropped.get(), kept.get()}) {
    run(*session, 1);
  }
  const std::vector<std::shared_ptr<ReadPlan>> plans = store_->plans();
  ASSERT_EQ(plans.size(), 3u);
  closed->close();
  closed->close();
  EXPECT_TRUE(plans[0]->is_retracted());
  dropped.reset();
  EXPECT_TRUE(plans[1]->is_retracted());
  EXPECT_FALSE(plans[2]->is_retracted());
  run(*kept, 1);
  EXPECT_EQ(plans[2]->cursor(), 2u * kReadBatch);
}

TEST_F(SessionReadsTest, AClosedSessionSendsNoPlan) {
  const auto session = open(one_reader());
  session->close();
  session->prefetch();
  EXPECT_FALSE(session->run().ok());
  EXPECT_TRUE(store_->plans().empty());
}

TEST_F(SessionReadsTest, ClosingGivesUpReadsThatAreUnderWay) {
  const auto session = open(one_reader());
  store_->hold_reads();
  session->prefetch();
  run_tasks();
  ASSERT_EQ(store_->held_reads(), 2u * kReadBatch);
  const storage::CallContext context = store_->reads().back().context;
  EXPECT_FALSE(context.cancellation.stop_requested());
  session->close();
  EXPECT_TRUE(context.cancellation.stop_requested());
  store_->release_reads();  // their answers come late, as errors, and find nobody
  EXPECT_TRUE(session->await_end().ok());
  EXPECT_EQ(store_->read_count(), 2u * kReadBatch);
}

TEST_F(SessionReadsTest, ReadsOfTheNextBatchAreWaitedForAndOthersAreAhead) {
  const auto session = open(one_reader(), {.prefetch_depth = 2});
  store_->hold_reads();
  session->prefetch();
  run_tasks();
  const std::vector<FaultInjectingStore::ReadRecord> reads = store_->reads();
  ASSERT_EQ(reads.size(), 2u * kReadBatch);
  for (const FaultInjectingStore::ReadRecord& read : reads) {
    const bool is_of_first = read.key < "a4";
    EXPECT_EQ(read.context.priority, is_of_first ? storage::Priority::kDemand : storage::Priority::kPrefetch);
  }
  store_->release_reads();
  store_->forget_reads();
  run(*session, 1);
  run_tasks();
  ASSERT_EQ(store_->read_count(), uint64_t{kReadBatch});
  EXPECT_EQ(store_->reads()[0].context.priority, storage::Priority::kPrefetch);
}

TEST_F(SessionReadsTest, WithoutPrefetchAllReadsAreWaitedFor) {
  const auto session = open(one_reader(), {.prefetch_depth = 1});
  run(*session, 3);
  for (const FaultInjectingStore::ReadRecord& read : store_->reads()) {
    EXPECT_EQ(read.context.priority, storage::Priority::kDemand);
  }
}

TEST_F(SessionReadsTest, EachReadSaysWhichSessionAsks) {
  const auto plan = compile(one_reader());
  const auto one = open(plan);
  run(*one, 1);
  ASSERT_TRUE(one->replay(0, 10).ok());
  run_tasks();
  const auto who = store_->reads().at(0).context.who;
  ASSERT_NE(who, nullptr);
  EXPECT_THAT(who->name, ::testing::StartsWith("pipeline "));
  for (const FaultInjectingStore::ReadRecord& read : store_->reads()) {
    EXPECT_EQ(read.context.who, who);
  }
  store_->forget_reads();
  const auto other = open(plan);
  run(*other, 1);
  EXPECT_NE(store_->reads().at(0).context.who->name, who->name);
}

// The engine has no threads of its own: the consumer runs what the store's threads make ready.
TEST_F(SessionReadsTest, WhoeverWaitsRunsWhatLateAnswersResume) {
  const std::string prefix = "mem://late_answers/";
  storage::default_registry().mount(prefix, std::make_shared<storage::ThreadsStore>(store_));
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants["files"] = std::vector<std::string>{prefix + "a0", prefix + "a1", prefix + "a2"};
  ASSERT_TRUE(graph.set_outputs({Edge{*graph.add(reader), 0}}).ok());
  run(*open(graph), 50);
  EXPECT_TRUE(storage::default_registry().unmount(prefix).ok());
}

}  // namespace
}  // namespace forebay::pipeline
