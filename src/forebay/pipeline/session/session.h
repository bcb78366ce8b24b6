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
#include <span>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/types/span.h"
#include "forebay/base/budget/budget.h"
#include "forebay/base/clock.h"
#include "forebay/dataset/order/order.h"
#include "forebay/engine/engine.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/session/border.h"
#include "forebay/pipeline/session/error_policy.h"
#include "forebay/pipeline/session/explain.h"
#include "forebay/tensor/batch.h"

namespace forebay::pipeline {

struct SessionOptions {
  int num_threads = 1;     // most workers that run this session's tasks at once
  int prefetch_depth = 2;  // batches kept ready ahead of the consumer, at least 1
  bool on_demand = false;  // nothing runs ahead of run(); for feeds whose data is supplied by hand
  OnError on_error = OnError::kRaise;
  // Readers beside each other that do not have the same number of samples: what they give does not belong
  // together from the second epoch on. An error of create(), or a warning.
  bool refuses_unequal_readers = true;
  uint64_t memory_limit_bytes = 0;                         // 0: no limit
  std::shared_ptr<engine::Engine> engine;                  // null: the process's
  const Clock* clock = nullptr;                            // null: the system clock
  std::shared_ptr<memory::SimulatedDevice> device;         // for plans with has_device
  std::map<int, std::shared_ptr<ExternalFeed>> feeds;      // by node of the graph
  std::map<int, std::shared_ptr<HostFunction>> functions;  // by node of the graph

  /// Whether they do for the plan, feeds apart.
  Status check(const Plan& plan) const;
};

/// Identifies a delivered sample.
struct DeliveredSample {
  operators::SampleIdentity identity;
  bool is_padding = false;      // a repeat that fills up an epoch (pad_last_batch)
  bool is_replacement = false;  // replaces a broken sample
};

/// The results of one iteration.
struct Delivery {
  std::vector<tensor::Batch> outputs;    // one per graph output
  std::vector<DeliveredSample> samples;  // as many as each batch has
  int64_t iteration = 0;
};

/// Receives a delivery, or the reason why there is none, inside a task.
using Taker = absl::AnyInvocable<Status(Result<Delivery>)>;

/// The epochs in which a stream begins that goes on from others.
struct EpochsLeft {
  int64_t first_epoch = 0;
  /// Of that epoch and those after it: how many samples all ranks together still read. Later ones are whole.
  std::vector<int64_t> samples;
};

class Session {
 public:
  /// Opens the readers. Reads nothing ahead before the first prefetch() or run(). Where samples in remote
  /// shards are read in the order in which they lie, one reader alone and on_error kRaise, it waits for the
  /// first of them: the others are found while batches are made, and an error of that is one of run(). Else
  /// it waits until all samples are known.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Plan> plan, SessionOptions options);
  /// Batches promised by run_later() are still made and handed over; everything else ends.
  ~Session();

  /// Ends everything now: promised batches are handed over as cancelled.
  void close();

  /// After close(): blocks until nothing runs for this session any more. Returns at once inside one of its
  /// tasks; cancelled if interrupted.
  Status await_end(const std::function<bool()>& interrupted = {});

  /// Schedules batches up to the prefetch depth without blocking.
  void prefetch();

  /// One caller at a time. Blocks until the next batch is ready and returns it. After an error that is not a
  /// sample's own (is_of_sample()) the next call makes that batch again, except with feeds and expand
  /// operators and before promised batches: then it goes on behind it. end_of_data() if a feed's data has
  /// ended (reset_feeds() then starts the next epoch). `interrupted` is called from time to time while
  /// waiting; if it returns true the wait ends as cancelled.
  Result<Delivery> run(const std::function<bool()>& interrupted = {});

  /// Requests the next batch without waiting: returns at once, and when the batch is done a task calls `take`
  /// with what run() would have returned, and ends with its status. The task writes the variables `writes`,
  /// so other tasks can depend on it. Batches are handed over in the order of the calls; run() comes after
  /// them. unimplemented for graphs whose samples are not known in advance (expand).
  Status run_later(absl::Span<const engine::Variable> writes, Taker take);

  /// Starts the next epoch of the feeds once end_of_data() has been returned or handed over; before that it
  /// does nothing and returns false. Readers continue with the first sample not delivered yet.
  Result<bool> reset_feeds();

  /// The position behind the batches that were given or promised, as text, mostly of less than 1 KB: enough
  /// to continue from here in another process. Contains the hash of what decides which samples come in which
  /// order. Waits until promised batches are handed over.
  std::string state() const;
  /// Whether restore() of a session of this plan takes the states; it changes nothing. Returns which of them
  /// this rank goes on from, or -1 where what all ranks have left is divided anew.
  static Result<int> check_states(const Plan& plan, std::span<const std::string> states);
  /// How many batches were delivered, broken ones included.
  int64_t iterations() const;
  /// Continues from `state`, which must be of a session with the same seed and shard whose graph reads the
  /// same samples in the same order; what happens to a sample may be another. Otherwise failed_precondition.
  /// Reads no data.
  Status restore(const std::string& state) { return restore({&state, 1}); }
  /// Continues from the states of all ranks of a run, in any order and taken at any step. With another number
  /// of shards, what is left of the epochs that they are in is divided anew; later epochs begin whole.
  /// Otherwise each rank goes on from its own. failed_precondition, naming what is in the way, where that
  /// cannot be done: feeds, stick_to_shard, shuffle_after_epoch, pad_last_batch, or states that are not of
  /// one run, or not of all its ranks. Blocks until all samples are known.
  Status restore(std::span<const std::string> states);
  /// Where the readers' streams begin. not_found if there is no reader with that name.
  Result<EpochsLeft> epochs_left(std::string_view reader) const;

  /// Runs the whole graph again for the single sample delivered at a position: result[output]. `epoch` and
  /// `position` are those of DeliveredSample; if a broken sample was replaced, its replacement is run. A
  /// skipped sample gives its error. Results on the host are ready. Graphs with batch scope, feeds or
  /// functions cannot be replayed, and with several readers only this rank's samples can (out_of_range).
  /// Blocks until all samples are known.
  Result<std::vector<tensor::Tensor>> replay(int64_t epoch, int64_t position);

  /// Copies the errors of the batches delivered so far. Any thread may call it.
  ErrorLog errors() const;
  /// The number of those errors; cheaper than errors().
  uint64_t error_count() const;
  Explanation explain() const;

  /// DALI's reader_meta(); not_found if there is no reader with that name. Empty name: the only reader.
  /// Blocks until all samples are known, since it says how many there are.
  Result<dataset::ReaderMeta> reader_meta(std::string_view name) const;
  /// The same; does not block. The sizes are 0 while samples are being found.
  Result<dataset::ReaderMeta> known_reader_meta(std::string_view name) const;
  /// Whether the reader's data set has at least `samples`. Blocks until so many are known, or all.
  Result<bool> has_samples(std::string_view reader, uint64_t samples) const;
  std::vector<std::string> reader_names() const;

  /// Bytes in use under the memory limit, and bytes held by the user.
  const Budget& budget() const;
  /// The variable that becomes ready with the batch that run() will return next, for tasks that depend on it.
  engine::Variable next_ready() const;
  const Plan& plan() const;

  class Core;  // the implementation: core.h

 private:
  explicit Session(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  std::shared_ptr<Core> core_;
};

}  // namespace forebay::pipeline
