// Explains the speed of a run: whether the loader or the consumer was the bottleneck, and which stage of the
// loader.
//
// Verdict. Between the first and the last delivery the consumer either waits in run() or works between two
// runs. If it waits for less than kWaitShare of that time, the consumer is the bottleneck (the loader keeps
// up, even if single batches are slow, because prefetching hides them). Otherwise the loader is, and its
// bottleneck is the stage that took most of its workers' time; if the workers were mostly idle, it is what
// they waited for: storage (reads in progress) or the memory limit (parked samples). Where the consumer
// worked for less than kWorkShare, and less than kLeastWorkNs on a batch, as in a benchmark, there is none to
// speak of: the text names the stage only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace forebay::pipeline {

/// Smaller shares of time count as noise.
inline constexpr double kWaitShare = 0.05;
inline constexpr double kWorkShare = 0.01;
inline constexpr int64_t kLeastWorkNs = 200'000;

struct StageTime {
  std::string name;     // the node's name, else its operator
  int64_t time_ns = 0;  // summed over all workers
  int64_t count = 0;    // samples (or batches, for batch scope)
};

/// The counts and times of a Session, in nanoseconds of its clock.
struct RunTimes {
  int64_t batches = 0;
  int64_t samples = 0;
  int64_t consumer_wait_ns = 0;  // in run(), after the first batch
  int64_t consumer_work_ns = 0;  // between two runs
  int64_t first_batch_ns = 0;    // from build to the first delivery
  int64_t read_wait_ns = 0;      // samples waiting for storage, summed
  int64_t parked_ns = 0;         // samples waiting for memory, summed
  int workers = 1;
  std::vector<StageTime> stages;
};

enum class Bottleneck { kUnknown, kConsumer, kLoader };

struct Explanation {
  Bottleneck bottleneck = Bottleneck::kUnknown;
  std::string stage;      // of the loader; "" if the consumer is the bottleneck
  double wait_share = 0;  // share of the consumer's time spent waiting
  RunTimes times;
  std::vector<std::string> notes;  // e.g. which operators make results depend on the batch size

  std::string to_string() const;  // for people: a verdict, followed by a table of stages
  std::string to_json() const;
};

Explanation explain(const RunTimes& times);

}  // namespace forebay::pipeline
