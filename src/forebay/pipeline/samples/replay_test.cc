// Replaying a single sample gives the bits that were delivered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/text_of.h"

namespace forebay::pipeline {
namespace {

using testing::FileFolder;
using ::testing::HasSubstr;

int add_reader(Graph* graph, const FileFolder& folder, std::map<std::string, Value> more) {
  Node reader;
  reader.op = "readers.file";
  reader.constants = std::move(more);
  reader.constants["files"] = folder.files();
  return *graph->add(reader);
}

std::unique_ptr<Session> open_replay(const Graph& graph, SessionOptions options = {}) {
  auto plan = Plan::compile(graph, {.batch_size = 4, .seed = 3});
  EXPECT_TRUE(plan.ok()) << plan.status();
  options.refuses_unequal_readers = false;
  auto session = Session::create(*plan, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

/// Replays all samples of the next `batches`.
void expect_replayed(Session& session, int batches) {
  for (int batch = 0; batch < batches; ++batch) {
    const auto delivery = session.run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    for (size_t i = 0; i < delivery->samples.size(); ++i) {
      const operators::SampleIdentity& identity = delivery->samples[i].identity;
      const auto again = session.replay(identity.epoch, identity.position);
      ASSERT_TRUE(again.ok()) << again.status();
      for (size_t output = 0; output < again->size(); ++output) {
        EXPECT_EQ(text_of((*again)[output]), text_of(delivery->outputs[output][static_cast<int>(i)]))
            << "epoch " << identity.epoch << ", position " << identity.position << ", output " << output;
      }
    }
  }
}

TEST(Replay, GivesWhatEachReaderGave) {
  const FileFolder many(23);
  const FileFolder few(5);
  for (const int64_t shards : {1, 3}) {
    for (const bool many_first : {true, false}) {
      Graph graph;
      const std::map<std::string, Value> shuffled = {
          {"random_shuffle", true}, {"num_shards", shards}, {"shard_id", shards - 1}};
      const int first = add_reader(&graph, many_first ? many : few, shuffled);
      const int second = add_reader(&graph, many_first ? few : many, {});
      ASSERT_TRUE(graph.set_outputs({{first, 0}, {second, 0}, {second, 1}}).ok());
      expect_replayed(*open_replay(graph), 20);
    }
  }
}

TEST(Replay, GivesWhatStoodInForABrokenSample) {
  const FileFolder folder(11);
  Graph graph;
  const int reader = add_reader(&graph, folder, {{"random_shuffle", true}});
  Node uniform;
  uniform.op = "random.uniform";
  const int angle = *graph.add(uniform);
  ASSERT_TRUE(graph.set_outputs({{reader, 0}, {angle, 0}}).ok());
  for (const int broken : {2, 3, 7, 9}) {
    folder.remove(broken);
  }
  const auto session = open_replay(graph, {.on_error = OnError::kReplace});
  expect_replayed(*session, 9);
  EXPECT_GE(session->errors().count(), 8u);
}

TEST(Replay, OfASkippedSampleIsItsError) {
  const FileFolder folder(11);
  Graph graph;
  const int reader = add_reader(&graph, folder, {});
  ASSERT_TRUE(graph.set_outputs({{reader, 0}}).ok());
  folder.remove(2);
  const auto session = open_replay(graph, {.on_error = OnError::kSkip});
  EXPECT_THAT(std::string(message(session->replay(0, 2).status())), HasSubstr("file2.jpg"));
  expect_replayed(*session, 3);
}

TEST(Replay, OfAnotherRanksSampleNeedsOneReader) {
  const FileFolder folder(10);
  const std::map<std::string, Value> first_half = {{"num_shards", int64_t{2}}, {"shard_id", int64_t{0}}};
  Graph alone;
  ASSERT_TRUE(alone.set_outputs({{add_reader(&alone, folder, first_half), 0}}).ok());
  EXPECT_EQ(text_of((*open_replay(alone)->replay(0, 7))[0]), "7 ");
  Graph both;
  const int first = add_reader(&both, folder, first_half);
  const int second = add_reader(&both, folder, {});
  ASSERT_TRUE(both.set_outputs({{first, 0}, {second, 0}}).ok());
  EXPECT_EQ(open_replay(both)->replay(0, 7).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(open_replay(both)->replay(int64_t{1} << 60, 1).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(text_of((*open_replay(both)->replay(1, 7))[0]), "7 ");
}

}  // namespace
}  // namespace forebay::pipeline
