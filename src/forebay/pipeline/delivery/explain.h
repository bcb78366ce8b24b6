// Why a run was as fast as it was: is the loader or the consumer the bottleneck, and which stage of the
// loader.
//
// Verdict. Between the first and the last delivery the consumer either waits in run() or works between two
// runs. When it waits for less than kWaitShare of that time, the consumer is the bottleneck (the loader keeps
// up, even if single batches are slow: prefetching hid them). Otherwise the loader is, and its bottleneck is
// the stage that its workers spent most time in; when workers were mostly idle instead, it is what they
// waited for: storage (reads under way) or the memory limit (samples parked).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace forebay::pipeline {

/// Shares of time below this are taken for noise.
inline constexpr double kWaitShare = 0.05;

struct StageTime {
  std::string name;     // the node's name, else its operator
  int64_t time_ns = 0;  // over all workers
  int64_t count = 0;    // samples (or batches, for batch scope)
};

/// What a Session counts. Times in nanoseconds of its clock.
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
  std::string stage;      // of the loader; "" when the consumer is the bottleneck
  double wait_share = 0;  // of the consumer's time spent waiting
  RunTimes times;
  std::vector<std::string> notes;  // e.g. which operators make results depend on the batch size

  std::string to_string() const;  // for people: a verdict, then a table of stages
  std::string to_json() const;
};

Explanation explain(const RunTimes& times);

}  // namespace forebay::pipeline
