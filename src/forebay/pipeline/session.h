// A session runs a plan: it holds the position, keeps batches ahead of the consumer, applies the error policy
// and the memory limit, and knows its state. Light: many sessions may share a plan.
//
// Each batch is a variable of the engine; each sample is a task, in program order of one lane. A sample whose
// bytes are not at hand, or whose work is on a device, gives its worker back meanwhile. A sample that the
// memory limit refuses gives back what it holds and is run again when memory comes back; the oldest
// unfinished sample has precedence over all others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/types/span.h"
#include "forebay/base/budget.h"
#include "forebay/base/clock.h"
#include "forebay/dataset/order.h"
#include "forebay/engine/engine.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/pipeline/border.h"
#include "forebay/pipeline/delivery/error_policy.h"
#include "forebay/pipeline/delivery/explain.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/tensor/batch.h"

namespace forebay::pipeline {

struct SessionOptions {
  int num_threads = 1;     // most workers that run this session's tasks at once
  int prefetch_depth = 2;  // batches kept ready ahead of the consumer, at least 1
  bool on_demand = false;  // nothing runs ahead of run(): for feeds that are given their data by hand
  OnError on_error = OnError::kRaise;
  uint64_t memory_limit_bytes = 0;                         // 0: no limit
  std::shared_ptr<engine::Engine> engine;                  // null: the process's
  const Clock* clock = nullptr;                            // null: the machine's
  std::shared_ptr<memory::SimulatedDevice> device;         // for plans with has_device
  std::map<int, std::shared_ptr<ExternalFeed>> feeds;      // by node of the graph
  std::map<int, std::shared_ptr<HostFunction>> functions;  // by node of the graph

  /// Whether they do for the plan, feeds apart.
  Status check(const Plan& plan) const;
};

/// Who a delivered sample is.
struct DeliveredSample {
  operators::SampleIdentity identity;
  bool is_padding = false;      // a repeat that fills an epoch (pad_last_batch)
  bool is_replacement = false;  // stands in for a broken sample
};

/// One iteration's results.
struct Delivery {
  std::vector<tensor::Batch> outputs;    // one a graph output
  std::vector<DeliveredSample> samples;  // as many as each batch has
  int64_t iteration = 0;
};

/// Gets a delivery, or why there is none, inside a task.
using Taker = absl::AnyInvocable<Status(Result<Delivery>)>;

class Session {
 public:
  /// Opens the readers. Nothing is read ahead before the first prefetch() or run().
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Plan> plan, SessionOptions options);
  /// Batches that run_later() promised are still made and handed over; everything else ends.
  ~Session();

  /// Ends everything now: what was promised is handed over as cancelled.
  void close();

  /// After close(): waits until nothing runs any more for this session. At once inside one of its tasks;
  /// cancelled when interrupted.
  Status await_end(const std::function<bool()>& interrupted = {});

  /// Schedules batches up to the prefetch depth; returns at once.
  void prefetch();

  /// The next batch. end_of_data() when a feed's data has ended (then reset_feeds() starts the next epoch);
  /// `interrupted` is asked from time to time while waiting and ends it with cancelled.
  Result<Delivery> run(const std::function<bool()>& interrupted = {});

  /// The next batch without waiting for it: returns at once, and when the batch is done a task calls `take`
  /// with what run() would have returned, then ends with its status. The task writes the variables `writes`,
  /// so that others can depend on it. Batches are handed over in the order of the calls; run() comes after
  /// them. unimplemented for graphs in which it is not known beforehand which samples there are (expand).
  Status run_later(absl::Span<const engine::Variable> writes, Taker take);

  /// Starts the next epoch of the feeds after end_of_data() was returned or handed over; before it, does
  /// nothing and says false. Readers go on with the first sample that they have not given yet.
  Result<bool> reset_feeds();

  /// What was delivered, as text under 1 KB: enough to go on from here in another process. The graph is in it
  /// by its hash.
  std::string state() const;
  /// Goes on from `state`, of a session with an equal graph and the same seed. Reads nothing.
  /// failed_precondition when the state is of another.
  Status restore(std::string_view state);

  /// The delivered sample at a place again, the whole graph run for it alone: result[output]. `epoch` and
  /// `position` as DeliveredSample tells them; where a broken sample was replaced, what stood in for it. A
  /// sample that was skipped gives its error. Results on the host are ready. Graphs with batch scope, feeds
  /// or functions cannot be replayed, with several readers only this rank's samples (out_of_range).
  Result<std::vector<tensor::Tensor>> replay(int64_t epoch, int64_t position);

  const ErrorLog& errors() const;
  Explanation explain() const;

  /// As DALI's reader_meta(); not_found when there is no reader of that name. Empty name: the only reader.
  Result<dataset::ReaderMeta> reader_meta(std::string_view name) const;
  std::vector<std::string> reader_names() const;

  /// Bytes in use under the memory limit, and what the user holds.
  const Budget& budget() const;
  /// The variable that is ready when the batch that run() will give next is: for tasks that depend on it.
  engine::Variable next_ready() const;
  const Plan& plan() const;

  class Core;  // the inside: core.h

 private:
  explicit Session(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  std::shared_ptr<Core> core_;
};

}  // namespace forebay::pipeline
