// The inside of a session. Split by concern: core.cc schedules batches and hands them over, run_sample.cc
// runs samples, run_barrier.cc runs feeds, batch operators and host functions, run_device.cc puts work on a
// device, memory_pressure.cc parks and evicts, state.cc saves and restores, replay.cc runs one sample again.
//
// Locking: `mutex_` guards the streams, parked samples, the log and counters. It is never held while
// operators, readers, feeds or functions run, nor while the engine is called from a place that may run tasks.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/dataset/order.h"
#include "forebay/dataset/source.h"
#include "forebay/pipeline/job.h"
#include "forebay/pipeline/memory_gate.h"
#include "forebay/pipeline/session.h"
#include "forebay/pipeline/turns.h"

namespace forebay::pipeline {

/// A reader, opened.
struct OpenReader {
  std::string name;
  std::shared_ptr<dataset::Source> source;
  dataset::Order order;
};

/// Counters of one action, for explain().
struct ActionTimes {
  std::atomic<int64_t> time_ns{0};
  std::atomic<int64_t> count{0};
};

/// The stream of batches of one phase.
struct PhaseStream {
  int64_t next_iteration = 0;
  std::deque<BatchRef> under_way;     // in order; the front is the next to be taken
  int promised = 0;                   // so many at the front already have a taker, by run_later()
  std::deque<SampleJob> pending;      // for phases after an expand: what it let through
  std::vector<SampleFault> left_out;  // faults of samples dropped since the last that was let through
  bool has_ended = false;             // a feed's data ended; no further batches until reset
  int64_t fruitless = 0;              // samples taken since the last that was let through
};

class Session::Core : public std::enable_shared_from_this<Session::Core> {
 public:
  Core(std::shared_ptr<const Plan> plan, SessionOptions options);

  Status open();
  void close();
  Status await_end(const std::function<bool()>& interrupted);
  void let_go();

  // core.cc
  void prefetch();
  Result<Delivery> run(const std::function<bool()>& interrupted);
  Status run_later(absl::Span<const engine::Variable> writes, Taker take);
  Result<bool> reset_feeds();
  engine::Variable next_ready();
  Explanation explain() const;
  Result<dataset::ReaderMeta> reader_meta(std::string_view name) const;
  std::vector<std::string> reader_names() const;

  // state.cc
  std::string state() const;
  Status restore(std::string_view text);

  // replay.cc
  Result<std::vector<tensor::Tensor>> replay(int64_t epoch, int64_t position);

  const Plan& plan() const { return *plan_; }
  const Budget& budget() const { return gate_.budget(); }
  const ErrorLog& errors() const { return log_; }

 private:
  friend class ActionServices;

  // core.cc: scheduling. Called with mutex_ held; what they start is collected and pushed after it is let go.
  using Starts = std::vector<BatchRef>;
  void pump(Starts* starts);
  bool pump_phase(int phase, int depth, Starts* starts);
  BatchRef make_batch(int phase, int samples);
  void promise_ready(BatchJob* batch);
  void identify_from_order(BatchJob* batch);
  void take_pending(BatchJob* batch);
  void harvest(int phase);
  void harvest_sample(int phase, SampleJob* job);
  bool drops_restored(const SampleJob& job);
  void start(const Starts& starts);
  // deliver.cc
  Result<BatchRef> next_batch(const std::function<bool()>& interrupted);
  BatchRef awaited() const;
  Result<Delivery> deliver(BatchRef batch);
  Result<Delivery> delivery_of(const BatchJob& batch);
  Status tell_end(bool is_of_an_earlier_epoch = false);
  void note_delivered(const BatchJob& batch);
  void log_faults(const BatchJob& batch);
  Status first_error(const BatchJob& batch) const;
  Result<std::vector<tensor::Batch>> collect(const BatchJob& batch) const;
  Status check_merges(const BatchJob& batch) const;
  Status check_kinds(const std::vector<tensor::Batch>& outputs) const;
  Status check_promises(const std::vector<tensor::Batch>& outputs) const;
  void count_times(int64_t entered_ns, size_t samples);
  int64_t now_ns() const { return clock_->now_ns(); }
  bool is_last(int phase) const { return phase + 1 == static_cast<int>(plan_->phases().size()); }
  const Step& step_of(const BatchJob& batch) const { return plan_->phases()[batch.phase].steps[batch.step]; }

  // run_later.cc
  Result<BatchRef> promise_next();
  Status push_taker(const BatchRef& batch, absl::Span<const engine::Variable> writes,
                    absl::AnyInvocable<Status()> hand_over);
  bool take_promised(const BatchRef& batch);
  void close_when_done();

  // run_sample.cc
  void begin(const BatchRef& batch);
  void start_step(const BatchRef& batch);
  void push_sample(const BatchRef& batch, int index);
  void end_where_thrown(const BatchRef& batch, absl::FunctionRef<void()> body);
  void advance(const BatchRef& batch, int index);
  bool run_actions(const BatchRef& batch, int index);
  Status run_action(const BatchRef& batch, int index, const Action& action);
  static void note_merged(SampleJob* job, const Action& action);
  bool guards_hold(const SampleJob& job, const Action& action) const;
  Status run_operator(const BatchRef& batch, int index, const Action& action);
  // run_device.cc
  Status run_on_device(const BatchRef& batch, int index, const Action& action);
  Status wait_for_inputs(const SampleJob& job, const Action& action) const;

  // read_sample.cc
  enum class ReadProgress { kThere, kUnderWay };
  Result<ReadProgress> take_action(const BatchRef& batch, int index, const Action& action);
  Result<ReadProgress> read(const BatchRef& batch, int index, const Action& action);
  Status take_record(const BatchRef& batch, int index, const Action& action, dataset::Record record);
  uint64_t index_to_read(const SampleJob& job, const OpenReader& reader) const;
  const OpenReader& reader_of(const Action& action) const;

  // replay.cc
  Result<operators::SampleIdentity> identity_at(int64_t epoch, int64_t position) const;
  Status replay_step(const BatchRef& batch);
  Status replay_action(const BatchRef& batch, const Action& action);
  Status replay_expand(const BatchRef& batch);

  // run_sample.cc
  Status expand(const BatchRef& batch, int index);
  // Either the sample is run again (false), or it stays broken and its step is over (true).
  bool fail(const BatchRef& batch, int index, const Action& action, const Status& status);
  bool replace(BatchJob* batch, int index);
  void finish_sample(const BatchRef& batch, int index);
  void end_forced(const BatchRef& batch, int index);
  void finish_step(const BatchRef& batch);
  void complete(const BatchRef& batch, Status status);
  int output_slot(int phase, int value) const;
  ActionTimes& times_of(const Action& action) { return *times_[action.node]; }
  Status describe(const BatchJob& batch, int index, const Action& action, const Status& status) const;

  // run_barrier.cc
  void run_barrier(const BatchRef& batch);
  void pass_barrier(const BatchRef& batch, int running);
  Status work_of(const BatchRef& batch, const Step& barrier);
  bool counts_as_running(const Step& barrier) const;
  bool take_turn(const BatchRef& batch);
  void pass_turn(const BatchRef& batch, const Step& step);
  void pass_turns_to_come(const BatchRef& batch);
  Status run_feeds(const BatchRef& batch);
  Status run_batch_operator(const BatchRef& batch);
  Status run_function(const BatchRef& batch);
  static Status check_results(const std::vector<FunctionSample>& samples, const Action& action);
  std::vector<int> active_samples(const BatchJob& batch, const Action& action) const;

  // memory_pressure.cc
  bool park(const BatchRef& batch, int index);
  void wake_parked();
  bool blocks_delivery(const BatchJob& batch) const;
  bool evict_younger(const BatchJob& than, std::vector<engine::Completion>* dropped);
  void forget_step(BatchJob* batch, int index);

  const std::shared_ptr<const Plan> plan_;
  const SessionOptions options_;
  const Clock* const clock_;
  std::shared_ptr<engine::Engine> engine_;
  engine::LaneRef lane_;     // who waits does not help: num_threads is what the user asked for
  bool has_threads_ = true;  // without, whoever waits runs the tasks
  engine::ExecutorRef python_;
  engine::Variable handed_;  // written by each hand-over of run_later(), so that they keep their order
  std::vector<OpenReader> readers_;                  // as plan_->sources()
  std::vector<std::unique_ptr<ActionTimes>> times_;  // by node
  MemoryGate gate_;

  mutable std::mutex mutex_;
  std::vector<PhaseStream> streams_;
  std::vector<std::optional<tensor::TensorSpec>> expected_;  // by delivered output
  bool has_delivered_ = false;
  int delivering_ = 0;  // batches that were taken off the streams and are not handed over yet
  bool has_told_end_ = false;
  std::atomic<bool> is_closed_{false};
  bool is_let_go_ = false;  // ends with the last batch that was promised
  ErrorLog log_;

  // What was delivered.
  int64_t delivered_iterations_ = 0;
  int64_t stream_origin_ = 0;     // stream index of the first batch: where a restored session goes on
  int64_t delivered_stream_ = 0;  // the stream index from which to go on
  int64_t delivered_taken_ = 0;   // with expand: samples already delivered of that stream index
  int64_t skip_stream_ = -1;      // after restore: drop the first skip_count_ samples of this stream index
  int64_t skip_count_ = 0;
  // Feeds: what was scheduled and what was delivered.
  FeedRequest feed_next_;
  FeedRequest feed_delivered_;
  int64_t feeds_end_ = 0;  // the stream index of the batch in which a feed's data ended

  std::map<const Step*, Turns> turns_;  // of the steps that run Python

  // Memory pressure.
  struct Parked {
    BatchRef batch;
    int index;
  };
  std::vector<Parked> parked_;     // index -1: the batch's barrier
  std::vector<BatchRef> evicted_;  // to be started again
  std::atomic<int> running_{0};    // sample tasks queued or running
  Parked forced_{nullptr, 0};      // the oldest parked sample, while it runs alone

  // explain()
  int64_t opened_ns_ = 0;
  int64_t last_delivery_ns_ = 0;
  RunTimes run_times_;
  std::atomic<int64_t> read_wait_ns_{0};
};

}  // namespace forebay::pipeline
