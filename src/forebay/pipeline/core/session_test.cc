#include "forebay/pipeline/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "forebay/base/testing/rounds.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/text_of.h"

namespace forebay::pipeline {
namespace {

using testing::FileFolder;

// file -> (bytes, label); angle: a random number a sample
struct Reading {
  Graph graph;
  Edge bytes;
  Edge label;
  Edge angle;
};

Reading reading_graph(const FileFolder& folder, std::map<std::string, Value> more = {}) {
  Reading reading;
  Node reader;
  reader.op = "readers.file";
  reader.name = "reader";
  reader.constants = std::move(more);
  reader.constants.try_emplace("files", folder.files());
  const int at = *reading.graph.add(reader);
  reading.bytes = {at, 0};
  reading.label = {at, 1};
  Node uniform;
  uniform.op = "random.uniform";
  reading.angle = {*reading.graph.add(uniform), 0};
  return reading;
}

struct Run {
  int batch_size = 4;
  int threads = 2;
  int depth = 2;
  OnError on_error = OnError::kRaise;
  uint64_t limit = 0;
  uint64_t seed = 7;
};

Result<std::unique_ptr<Session>> open(const Graph& graph, const Run& how) {
  PlanOptions plan_options;
  plan_options.batch_size = how.batch_size;
  plan_options.seed = how.seed;
  FOREBAY_ASSIGN_OR_RETURN(auto plan, Plan::compile(graph, plan_options));
  SessionOptions options;
  options.num_threads = how.threads;
  options.prefetch_depth = how.depth;
  options.on_error = how.on_error;
  options.memory_limit_bytes = how.limit;
  return Session::create(std::move(plan), std::move(options));
}

// What identifies a sample's content: its bytes and its random number.
using Content = std::pair<std::string, float>;

std::vector<Content> contents(const Delivery& delivery) {
  std::vector<Content> all;
  for (int i = 0; i < delivery.outputs[0].size(); ++i) {
    all.emplace_back(text_of(delivery.outputs[0][i]), *delivery.outputs[1][i].view().as<float>());
  }
  return all;
}

std::vector<Content> take(Session& session, size_t samples) {
  std::vector<Content> all;
  while (all.size() < samples) {
    auto delivery = session.run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    if (!delivery.ok()) {
      break;
    }
    const std::vector<Content> batch = contents(*delivery);
    all.insert(all.end(), batch.begin(), batch.end());
  }
  all.resize(std::min(all.size(), samples));
  return all;
}

class SessionTest : public ::testing::Test {
 protected:
  Graph shuffled(std::map<std::string, Value> more = {}) {
    more["random_shuffle"] = true;
    Reading reading = reading_graph(folder_, std::move(more));
    EXPECT_TRUE(reading.graph.set_outputs({reading.bytes, reading.angle}).ok());
    return reading.graph;
  }

  FileFolder folder_{23};
};

TEST_F(SessionTest, DeliversEachSampleOnceAnEpoch) {
  auto session = open(shuffled(), {});
  ASSERT_TRUE(session.ok()) << session.status();
  const std::vector<Content> epoch = take(**session, 23);
  const std::set<Content> distinct(epoch.begin(), epoch.end());
  EXPECT_EQ(distinct.size(), 23u);
}

TEST_F(SessionTest, SameBitsForAnyThreadsDepthAndBatchSize) {
  const Graph graph = shuffled();
  auto reference = open(graph, {.batch_size = 1, .threads = 1, .depth = 1});
  const std::vector<Content> expected = take(**reference, 60);
  for (const int batch_size : {1, 3, 8, 64}) {
    for (const int threads : {1, 2, 4, 8}) {
      for (const int depth : {1, 2, 5}) {
        auto session = open(graph, {.batch_size = batch_size, .threads = threads, .depth = depth});
        EXPECT_EQ(take(**session, 60), expected) << batch_size << " " << threads << " " << depth;
      }
    }
  }
}

TEST_F(SessionTest, EpochsDiffer) {
  auto session = open(shuffled(), {.batch_size = 23});
  EXPECT_NE(take(**session, 23), take(**session, 23));
}

TEST_F(SessionTest, SeedsDiffer) {
  const Graph graph = shuffled();
  auto a = open(graph, {.seed = 1});
  auto b = open(graph, {.seed = 2});
  EXPECT_NE(take(**a, 23), take(**b, 23));
}

TEST_F(SessionTest, ResumesAtAnyDeliveredBatchWithAnyBatchSize) {
  const Graph graph = shuffled();
  auto reference = open(graph, {.batch_size = 1});
  const std::vector<Content> expected = take(**reference, 60);
  for (int delivered = 0; delivered < 8; ++delivered) {
    auto first = open(graph, {.batch_size = 5, .depth = 3});
    take(**first, delivered * 5);
    const std::string state = (*first)->state();
    EXPECT_LT(state.size(), 1024u);
    auto second = open(graph, {.batch_size = 3});
    ASSERT_TRUE((*second)->restore(state).ok());
    const std::vector<Content> rest(expected.begin() + delivered * 5, expected.begin() + delivered * 5 + 15);
    EXPECT_EQ(take(**second, 15), rest);
  }
}

TEST_F(SessionTest, StateOfAnotherPipelineIsRefused) {
  auto a = open(shuffled(), {.seed = 1});
  auto b = open(shuffled(), {.seed = 2});
  EXPECT_EQ((*b)->restore((*a)->state()).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ((*b)->restore("{}").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*b)->restore("not json").code(), StatusCode::kInvalidArgument);
  std::string state = (*b)->state();
  const size_t order = state.find("\"order\":");
  EXPECT_EQ(
      (*b)->restore(state.substr(0, order) + "\"order\":5,\"order2\":" + state.substr(order + 8)).code(),
      StatusCode::kFailedPrecondition);
  const size_t stream = state.find("\"stream\":") + 9;
  EXPECT_EQ((*b)->restore(state.insert(stream, "900000000000000000")).code(), StatusCode::kInvalidArgument);
}

TEST_F(SessionTest, StateIsSmallAndNamesAnyFile) {
  const Graph graph = shuffled();
  Graph odd = shuffled({{"files", std::vector<std::string>{"caf\xE9.jpg", "plain.jpg"}}});
  const auto of_odd = open(odd, {});
  ASSERT_TRUE(of_odd.ok()) << of_odd.status();
  const std::string state = (*of_odd)->state();
  EXPECT_LT(state.size(), 1024u);
  EXPECT_TRUE((*open(*Graph::from_json(odd.to_json()), {}))->restore(state).ok());
  EXPECT_THAT(std::string(message((*open(graph, {}))->restore(state))),
              ::testing::HasSubstr("reads other samples"));
  EXPECT_THAT(std::string(message((*open(odd, {.seed = 8}))->restore(state))),
              ::testing::HasSubstr("seed 7"));
}

TEST_F(SessionTest, RanksTogetherReadWhatOneReads) {
  auto whole = open(shuffled(), {.batch_size = 1});
  std::vector<Content> expected = take(**whole, 23);
  std::ranges::sort(expected);
  for (const int64_t world : {1, 2, 3, 8}) {
    std::vector<Content> together;
    for (int64_t rank = 0; rank < world; ++rank) {
      auto session = open(shuffled({{"num_shards", world}, {"shard_id", rank}}), {.batch_size = 1});
      const auto mine = take(**session, (rank + 1) * 23 / world - rank * 23 / world);
      together.insert(together.end(), mine.begin(), mine.end());
    }
    std::ranges::sort(together);
    EXPECT_EQ(together, expected) << world << " ranks";
  }
}

TEST_F(SessionTest, ReplayGivesTheDeliveredSample) {
  auto session = open(shuffled(), {.batch_size = 8});
  take(**session, 16);
  auto delivery = (*session)->run();
  ASSERT_TRUE(delivery.ok());
  for (size_t i = 0; i < delivery->samples.size(); ++i) {
    const auto& identity = delivery->samples[i].identity;
    auto again = (*session)->replay(identity.epoch, identity.position);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(text_of((*again)[0]), text_of(delivery->outputs[0][static_cast<int>(i)]));
    EXPECT_EQ(*(*again)[1].view().as<float>(), *delivery->outputs[1][static_cast<int>(i)].view().as<float>());
  }
  EXPECT_EQ((*session)->replay(0, 23).status().code(), StatusCode::kOutOfRange);
}

TEST_F(SessionTest, RaiseNamesTheSampleAndGoesOn) {
  const Graph graph = shuffled();
  auto session = open(graph, {.batch_size = 23});
  folder_.remove(5);
  const auto broken = (*session)->run();
  ASSERT_FALSE(broken.ok());
  const auto context = context_of(broken.status());
  ASSERT_TRUE(context.has_value());
  EXPECT_THAT(context->origin.object, ::testing::HasSubstr("file5.jpg"));
  EXPECT_EQ(context->operator_name, "reader");
  EXPECT_EQ(context->sample_index, 5);
  EXPECT_EQ((*session)->errors().count(), 1u);
  EXPECT_FALSE((*session)->run().ok());  // the next epoch contains it too: the session is still usable
  EXPECT_EQ((*session)->errors().count(), 2u);
}

TEST_F(SessionTest, SkipLeavesAHoleAndShiftsNothing) {
  const Graph graph = shuffled();
  auto whole = open(graph, {.batch_size = 1});
  std::vector<Content> expected = take(**whole, 46);
  std::erase_if(expected, [](const Content& content) { return content.first.starts_with("5 "); });
  folder_.remove(5);
  for (const int batch_size : {4, 7, 23}) {
    auto session = open(graph, {.batch_size = batch_size, .threads = 4, .on_error = OnError::kSkip});
    EXPECT_EQ(take(**session, 44), expected);
    ASSERT_GE((*session)->errors().errors().size(), 2u);
    EXPECT_EQ((*session)->errors().errors()[0].action, "skipped");
  }
}

TEST_F(SessionTest, SkipNeverDeliversAnEmptyBatch) {
  const Graph graph = shuffled();
  folder_.remove(5);
  auto session = open(graph, {.batch_size = 1, .on_error = OnError::kSkip});
  int stand_ins = 0;
  for (int i = 0; i < 23; ++i) {
    auto delivery = (*session)->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    ASSERT_EQ(delivery->samples.size(), 1u);
    stand_ins += delivery->samples[0].is_replacement;
  }
  EXPECT_EQ(stand_ins, 1);
}

TEST_F(SessionTest, ReplaceKeepsTheBatchFullAndIsTheSameEveryRun) {
  const Graph graph = shuffled();
  folder_.remove(5);
  folder_.remove(11);
  std::vector<Content> first;
  for (const int threads : {1, 3, 8}) {
    auto session = open(graph, {.batch_size = 6, .threads = threads, .on_error = OnError::kReplace});
    const std::vector<Content> all = take(**session, 46);
    EXPECT_EQ(all.size(), 46u);
    first = first.empty() ? all : first;
    EXPECT_EQ(all, first);
  }
}

TEST_F(SessionTest, MayBeClosedWhileItsBatchesBegin) {
  const Graph graph = shuffled();
  for (int round = 0; round < rounds(200, 1000); ++round) {
    auto session = open(graph, {.batch_size = 2, .threads = 2});
    (*session)->prefetch();
  }
}

TEST_F(SessionTest, EverythingBrokenIsAnErrorWhateverThePolicy) {
  const Graph graph = shuffled();
  for (int i = 0; i < 23; ++i) {
    folder_.remove(i);
  }
  for (const OnError policy : {OnError::kRaise, OnError::kSkip, OnError::kReplace}) {
    auto session = open(graph, {.on_error = policy});
    EXPECT_EQ((*session)->run().status().code(), StatusCode::kNotFound);
  }
}

TEST_F(SessionTest, KeepLetsThroughWhatItsConditionHolds) {
  Reading reading = reading_graph(folder_, {{"random_shuffle", true}});
  Node coin;
  coin.op = "random.coin_flip";
  const Edge kept_when{*reading.graph.add(coin), 0};
  Node keep;
  keep.op = "keep";
  keep.inputs = {reading.bytes, reading.angle};
  keep.tensors = {{"where", kept_when}};
  const int at = *reading.graph.add(keep);
  ASSERT_TRUE(reading.graph.set_outputs({{at, 0}, {at, 1}}).ok());
  auto reference = open(reading.graph, {.batch_size = 1, .threads = 1});
  const std::vector<Content> expected = take(**reference, 40);
  for (const int batch_size : {2, 5, 16}) {
    auto session = open(reading.graph, {.batch_size = batch_size, .threads = 3});
    EXPECT_EQ(take(**session, 40), expected);
  }
  auto first = open(reading.graph, {.batch_size = 6});
  take(**first, 12);
  auto second = open(reading.graph, {.batch_size = 4});
  ASSERT_TRUE((*second)->restore((*first)->state()).ok());
  EXPECT_EQ(take(**second, 12), std::vector<Content>(expected.begin() + 12, expected.begin() + 24));
}

TEST_F(SessionTest, KeepAfterABarrierAndAfterAnotherKeep) {
  Reading reading = reading_graph(folder_, {{"random_shuffle", true}});
  Node function;
  function.op = "permute_batch";
  function.inputs = {reading.bytes};
  function.constants = {{"indices", std::vector<int64_t>{3, 2, 1, 0}}};
  const Edge permuted{*reading.graph.add(function), 0};
  Edge label = reading.label;
  Edge bytes = permuted;
  for (int i = 0; i < 2; ++i) {
    Node keep;
    keep.op = "keep";
    keep.inputs = {bytes, label, i == 0 ? reading.angle : Edge{bytes.node, 2}};
    keep.tensors = {{"where", label}};
    const int at = *reading.graph.add(keep);
    bytes = {at, 0};
    label = {at, 1};
  }
  ASSERT_TRUE(reading.graph.set_outputs({bytes, {bytes.node, 2}}).ok());
  auto session = open(reading.graph, {.batch_size = 4});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(take(**session, 40).size(), 40u);
}

TEST_F(SessionTest, OutputsFromBothSidesOfKeepAreRefused) {
  Reading reading = reading_graph(folder_);
  Node keep;
  keep.op = "keep";
  keep.inputs = {reading.bytes};
  keep.tensors = {{"where", reading.label}};
  const int at = *reading.graph.add(keep);
  ASSERT_TRUE(reading.graph.set_outputs({{at, 0}, reading.label}).ok());
  EXPECT_THAT(message(open(reading.graph, {}).status()), ::testing::HasSubstr("keep"));
}

TEST_F(SessionTest, MemoryLimitIsKeptAndNothingIsLost) {
  const Graph graph = shuffled();
  auto reference = open(graph, {.batch_size = 4});
  const std::vector<Content> expected = take(**reference, 46);
  for (const uint64_t limit : {200, 400, 4000}) {
    auto session = open(graph, {.batch_size = 4, .threads = 4, .depth = 3, .limit = limit});
    EXPECT_EQ(take(**session, 46), expected) << limit;
    EXPECT_LE((*session)->budget().peak_working_bytes(), limit);
  }
}

// A step starts over when the limit refuses: what it takes from the previous step must still exist.
TEST_F(SessionTest, MemoryLimitIsKeptBehindABarrier) {
  Reading reading = reading_graph(folder_, {{"random_shuffle", true}});
  const auto add = [&](std::string op, Edge input, std::map<std::string, Value> constants) {
    Node node;
    node.op = std::move(op);
    node.inputs = {input};
    node.constants = std::move(constants);
    return Edge{*reading.graph.add(node), 0};
  };
  const Edge permuted = add("permute_batch", reading.bytes, {{"indices", std::vector<int64_t>{3, 2, 1, 0}}});
  const auto dtype = [](tensor::DType type) { return Value(static_cast<int64_t>(type)); };
  const Edge floats = add("cast", permuted, {{"dtype", dtype(tensor::DType::kFloat)}});
  const Edge bytes = add("cast", floats, {{"dtype", dtype(tensor::DType::kUint8)}});
  ASSERT_TRUE(reading.graph.set_outputs({bytes, reading.angle}).ok());
  auto reference = open(reading.graph, {.batch_size = 4});
  const std::vector<Content> expected = take(**reference, 44);
  for (uint64_t limit = 320; limit < 1200; limit += 40) {
    auto session = open(reading.graph, {.batch_size = 4, .threads = 4, .depth = 3, .limit = limit});
    EXPECT_EQ(take(**session, 44), expected) << limit;
  }
}

// Includes promised batches that had to give up their memory for an earlier batch.
TEST_F(SessionTest, PromisedBatchesAreMadeAgainWithinTheMemoryLimit) {
  const Graph graph = shuffled();
  auto reference = open(graph, {.batch_size = 4, .threads = 1, .depth = 1});
  const std::vector<Content> expected = take(**reference, 48);
  for (int round = 0; round < 50; ++round) {
    auto session = open(graph, {.batch_size = 4, .threads = 4, .depth = 3, .limit = 200});
    std::vector<Content> all;
    const auto note = [&](const Result<Delivery>& delivery) {
      EXPECT_TRUE(delivery.ok()) << delivery.status();
      const std::vector<Content> batch = delivery.ok() ? contents(*delivery) : std::vector<Content>();
      all.insert(all.end(), batch.begin(), batch.end());
      return ok_status();
    };
    const auto engine = engine::Engine::process_engine();
    const engine::Variable written = engine->new_variable();
    for (int batch = 0; batch < 12; ++batch) {
      ASSERT_EQ((*session)->run_later({&written, 1}, note), ok_status());
    }
    EXPECT_EQ(engine->wait(written), ok_status());
    EXPECT_EQ(all, expected);
  }
}

TEST_F(SessionTest, WhatExceedsTheWholeLimitFailsWithTheBytesItNeeds) {
  auto session = open(shuffled(), {.batch_size = 4, .limit = 8});
  const auto delivery = (*session)->run();
  EXPECT_EQ(delivery.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(delivery.status())), ::testing::HasSubstr("limit of 8 bytes"));
}

TEST_F(SessionTest, HeldBatchesNeverBlock) {
  auto session = open(shuffled(), {.batch_size = 4, .limit = 400});
  std::vector<Delivery> held;
  for (int i = 0; i < 20; ++i) {
    auto delivery = (*session)->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    held.push_back(*std::move(delivery));
  }
  EXPECT_GT((*session)->budget().held_bytes(), 400u);
}

}  // namespace
}  // namespace forebay::pipeline
