// The trace of a whole pipeline tells what happened: every task once and in a lawful order, every sample's
// operators once, one after the other, and within their batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data_set.h"
#include "forebay/base/trace/trace.h"
#include "forebay/engine/testing/trace_check.h"
#include "main_job.h"

namespace forebay::end_to_end {
namespace {

using Sample = std::pair<int64_t, int64_t>;  // epoch, position

struct Step {
  std::string name;
  int64_t begin_ns;
  int64_t end_ns;
};

/// What the operators did to each sample, in the order of time.
std::map<Sample, std::vector<Step>> steps_of(const std::vector<TraceSpan>& spans) {
  std::map<Sample, std::vector<Step>> steps;
  for (const TraceSpan& span : spans) {
    if (std::string_view(span.category) == "operator") {
      const auto arguments = nlohmann::json::parse(span.arguments);
      steps[{arguments.at("epoch"), arguments.at("position")}].push_back(
          {span.name, span.begin_ns, span.end_ns});
    }
  }
  for (auto& [sample, of_sample] : steps) {
    std::sort(of_sample.begin(), of_sample.end(),
              [](const Step& a, const Step& b) { return a.begin_ns < b.begin_ns; });
  }
  return steps;
}

void expect_each_operator_once(const Sample& sample, const std::vector<Step>& steps) {
  std::vector<std::string> names;
  int64_t end_ns = 0;
  for (const Step& step : steps) {
    EXPECT_GE(step.begin_ns, end_ns) << step.name << " of " << sample.first << " " << sample.second;
    end_ns = step.end_ns;
    if (step.name != "mirror") {
      names.push_back(step.name);
    }
  }
  EXPECT_THAT(names, ::testing::ElementsAre("decode", "resize", "normalize"));
}

/// Runs a session that starts after the trace and ends before it; the samples that it delivered.
std::set<Sample> run_session(Pipeline& pipe, int workers, int batches) {
  pipeline::PlanOptions plan_options;
  plan_options.batch_size = 4;
  plan_options.fuse = false;
  const auto plan = pipeline::Plan::compile(pipe.graph(), plan_options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  pipeline::SessionOptions options;
  options.engine = std::make_shared<engine::Engine>(engine::EngineOptions{.workers = workers});
  options.num_threads = workers;
  auto session = pipeline::Session::create(*plan, options);
  EXPECT_TRUE(session.ok()) << session.status();
  std::set<Sample> delivered;
  for (int batch = 0; batch < batches; ++batch) {
    const auto delivery = (*session)->run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    for (const auto& sample : delivery->samples) {
      EXPECT_TRUE(delivered.emplace(sample.identity.epoch, sample.identity.position).second);
    }
  }
  session->reset();
  options.engine->shutdown();  // what still runs is in the trace after that
  return delivered;
}

TEST(TraceTest, EverySampleOnceAndEveryTaskInOrder) {
  TemporaryFolder folder;
  const std::vector<std::string> files = write_files(folder, small_images(20));
  const auto pipe = open_job(files_input(files), {});
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  for (const int workers : {1, 4}) {
    process_trace().clear();
    process_trace().start();
    const std::set<Sample> delivered = run_session(**pipe, workers, 12);
    process_trace().stop();
    const std::vector<TraceSpan> spans = process_trace().spans();
    const std::vector<engine::testing::TracedTask> tasks = engine::testing::tasks_of(spans);
    EXPECT_THAT(engine::testing::check_tasks(tasks), ::testing::IsEmpty());
    EXPECT_GE(
        std::count_if(tasks.begin(), tasks.end(), [](const auto& task) { return task.name == "batch"; }), 12);
    const auto steps = steps_of(spans);
    for (const Sample& sample : delivered) {
      ASSERT_TRUE(steps.contains(sample)) << sample.first << " " << sample.second;
      expect_each_operator_once(sample, steps.at(sample));
    }
  }
  process_trace().clear();
}

}  // namespace
}  // namespace forebay::end_to_end
