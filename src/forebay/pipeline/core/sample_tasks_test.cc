// How samples share tasks: some in each, fewer towards the end of a batch, as many tasks as threads where
// there are few samples.
#include <gtest/gtest.h>

#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline {
namespace {

/// Tasks that the samples of a batch take.
int sample_tasks(int batch_size, int threads) {
  Graph graph;
  Node uniform;
  uniform.op = "random.uniform";
  const int drawn = *graph.add(std::move(uniform));
  EXPECT_TRUE(graph.set_outputs({{drawn, 0}}).ok());
  SessionOptions options;
  options.engine = std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0});
  options.num_threads = threads;
  options.prefetch_depth = 1;
  const auto engine = options.engine;
  auto session = *Session::create(*Plan::compile(graph, {.batch_size = batch_size}), std::move(options));
  session->prefetch();
  EXPECT_TRUE(engine->step()) << "the batch begins";
  int tasks = 0;
  while (engine->step()) {
    ++tasks;
  }
  EXPECT_EQ(session->run()->samples.size(), static_cast<size_t>(batch_size));
  return tasks;
}

TEST(SampleTasksTest, AFewSamplesAreOneTask) {
  EXPECT_EQ(sample_tasks(8, 1), 1);
  EXPECT_EQ(sample_tasks(32, 1), 4);
}

TEST(SampleTasksTest, EachThreadGetsSome) {
  EXPECT_EQ(sample_tasks(4, 4), 4);
  EXPECT_EQ(sample_tasks(3, 8), 3);
}

TEST(SampleTasksTest, TasksAreSmallerTowardsTheEnd) {
  EXPECT_EQ(sample_tasks(20, 2), 6) << "of 8, 6, 3, 1, 1 and 1";
}

}  // namespace
}  // namespace forebay::pipeline
