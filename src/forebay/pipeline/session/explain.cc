#include "forebay/pipeline/session/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace forebay::pipeline {
namespace {

constexpr char kStorage[] = "storage";
constexpr char kMemoryLimit[] = "memory limit";

int64_t busy_ns(const RunTimes& times) {
  int64_t sum = 0;
  for (const StageTime& stage : times.stages) {
    sum += stage.time_ns;
  }
  return sum;
}

// What held the loader back: the longest stage, or what its workers waited for if they were mostly idle.
std::string slowest(const RunTimes& times) {
  const auto longest = std::ranges::max_element(times.stages, {}, &StageTime::time_ns);
  const int64_t busy = busy_ns(times);
  const int64_t capacity = (times.consumer_wait_ns + times.consumer_work_ns) * std::max(1, times.workers);
  const bool workers_idle = capacity > 0 && busy * 2 < capacity;
  if (workers_idle && std::max(times.read_wait_ns, times.parked_ns) > busy) {
    return times.read_wait_ns >= times.parked_ns ? kStorage : kMemoryLimit;
  }
  return longest == times.stages.end() ? "" : longest->name;
}

double milliseconds(int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}

/// Whether nobody works on the batches, as when a loader is measured alone.
bool has_no_consumer(const Explanation& explanation) {
  const RunTimes& times = explanation.times;
  return explanation.wait_share > 1 - kWorkShare &&
         times.consumer_work_ns < kLeastWorkNs * static_cast<int64_t>(times.batches);
}

std::string verdict(const Explanation& explanation) {
  switch (explanation.bottleneck) {
    case Bottleneck::kUnknown:
      return "not enough batches were delivered for a verdict";
    case Bottleneck::kConsumer:
      return fmt::format("the consumer is the bottleneck: it waited for data {:.1f} % of the time",
                         100 * explanation.wait_share);
    case Bottleneck::kLoader:
      if (has_no_consumer(explanation)) {
        return fmt::format("nothing worked between the batches; most of the loader's time goes to '{}'",
                           explanation.stage);
      }
      return fmt::format("the loader is the bottleneck, at '{}': the consumer waited {:.1f} % of the time",
                         explanation.stage, 100 * explanation.wait_share);
  }
  return "";
}

}  // namespace

Explanation explain(const RunTimes& times) {
  Explanation result;
  result.times = times;
  const int64_t total = times.consumer_wait_ns + times.consumer_work_ns;
  if (times.batches < 2 || total <= 0) {
    return result;
  }
  result.wait_share = static_cast<double>(times.consumer_wait_ns) / static_cast<double>(total);
  if (result.wait_share < kWaitShare) {
    result.bottleneck = Bottleneck::kConsumer;
    return result;
  }
  result.bottleneck = Bottleneck::kLoader;
  result.stage = slowest(times);
  return result;
}

std::string Explanation::to_string() const {
  std::string text = verdict(*this) + "\n";
  text += fmt::format("{} batches, {} samples, {} workers; first batch after {:.1f} ms\n", times.batches,
                      times.samples, times.workers, milliseconds(times.first_batch_ns));
  const int64_t busy = busy_ns(times);
  size_t widest = 0;
  for (const StageTime& stage : times.stages) {
    widest = std::max(widest, stage.name.size());
  }
  for (const StageTime& stage : times.stages) {
    text += fmt::format("  {:<{}} {:>10.1f} ms {:>5.1f} %  {:>8} x {:.3f} ms\n", stage.name, widest,
                        milliseconds(stage.time_ns), busy == 0 ? 0.0 : 100.0 * stage.time_ns / busy,
                        stage.count, stage.count == 0 ? 0.0 : milliseconds(stage.time_ns) / stage.count);
  }
  text += fmt::format("  waiting: storage {:.1f} ms, memory limit {:.1f} ms (summed over samples)\n",
                      milliseconds(times.read_wait_ns), milliseconds(times.parked_ns));
  for (const std::string& note : notes) {
    text += "  " + note + "\n";
  }
  return text;
}

std::string Explanation::to_json() const {
  static constexpr const char* kNames[] = {"unknown", "consumer", "loader"};
  nlohmann::json object = {{"bottleneck", kNames[static_cast<int>(bottleneck)]},
                           {"stage", stage},
                           {"wait_share", wait_share},
                           {"batches", times.batches},
                           {"samples", times.samples},
                           {"workers", times.workers},
                           {"consumer_wait_ns", times.consumer_wait_ns},
                           {"consumer_work_ns", times.consumer_work_ns},
                           {"first_batch_ns", times.first_batch_ns},
                           {"read_wait_ns", times.read_wait_ns},
                           {"parked_ns", times.parked_ns},
                           {"stages", nlohmann::json::array()},
                           {"notes", notes}};
  for (const StageTime& row : times.stages) {
    object["stages"].push_back({{"name", row.name}, {"time_ns", row.time_ns}, {"count", row.count}});
  }
  return object.dump();
}

}  // namespace forebay::pipeline
