// The inside of a session: the tasks that take batches from the schedule through the runner of samples to
// whoever gets them. Three parts can be read alone: schedule.h says what is scheduled, sample_runner.h runs a
// sample, delivered.h keeps what was delivered. What is here pushes tasks and moves batches from one to the
// other:
//
//   core.cc        opening, closing, what is asked of a session
//   steps.cc       a batch's way through its steps
//   group_steps.cc samples that go through a step in groups
//   hand_over.cc   batches to who waits for them, and to who does not
//   state.cc       state and restore
//
// It has no mutex: what is set here is set by open(). No mutex of the parts is held while operators, readers,
// feeds or functions run, nor while the engine is called from a place that may run tasks.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/pipeline/core/waiting_sessions.h"
#include "forebay/pipeline/delivery/delivered.h"
#include "forebay/pipeline/samples/device_queues.h"
#include "forebay/pipeline/samples/sample_runner.h"
#include "forebay/pipeline/schedule/schedule.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline {

class Session::Core final : public SampleOwner, public WaitedSession {
 public:
  Core(std::shared_ptr<const Plan> plan, SessionOptions options);

  Status open();
  void close() { end(ok_status()); }
  Status await_end(const std::function<bool()>& interrupted);
  /// Makes the promised batches, then closes. Does not wait.
  void finish_promised();

  void prefetch() { start(schedule_.fill()); }
  Result<bool> reset_feeds();
  Explanation explain() const;
  Result<EpochsLeft> epochs_left(std::string_view name) const;
  Result<dataset::ReaderMeta> reader_meta(std::string_view name) const;
  Result<dataset::ReaderMeta> known_reader_meta(std::string_view name) const;
  Result<bool> has_samples(std::string_view reader, uint64_t samples) const;
  std::vector<std::string> reader_names() const;
  Result<std::vector<tensor::Tensor>> replay(int64_t epoch, int64_t position);

  std::shared_ptr<WaitedSession> kept() override { return self(); }
  /// As close(), if `error` is OK; else who asks for a batch from now on, or was promised one, gets the
  /// error.
  void end(const Status& error) override;

  // hand_over.cc
  Result<Delivery> run(const std::function<bool()>& interrupted);
  Status run_later(absl::Span<const engine::Variable> writes, Taker take);
  engine::Variable next_ready() const { return schedule_.next_ready(); }

  // state.cc
  std::string state();
  Status restore(std::span<const std::string> states);
  int64_t iterations() const { return delivered_.position().iterations; }

  const Plan& plan() const { return *plan_; }
  const Budget& budget() const { return runner_.gate().budget(); }
  ErrorLog errors() const { return delivered_.errors(); }
  uint64_t error_count() const { return delivered_.error_count(); }

 private:
  Result<const dataset::Order*> order_of(std::string_view name) const;
  std::shared_ptr<Core> self() { return std::static_pointer_cast<Core>(shared_from_this()); }
  int64_t now_ns() const { return clock_->now_ns(); }
  const Step& step_of(const BatchJob& batch) const { return plan_->phases()[batch.phase].steps[batch.step]; }

  SessionBatch place_of(const BatchJob& batch) {
    return {.session = this,
            .phase = batch.phase,
            .iteration = batch.iteration,
            .stream_begin = batch.stream_begin};
  }

  Status open_executors();
  /// failed_precondition on a thread that runs a source or function of this session.
  Status check_caller() const;
  Status check_readers() const;
  Status await_samples(uint64_t samples = std::numeric_limits<int64_t>::max()) const;

  // steps.cc
  void start(const Starts& starts);
  void start_when_known(const BatchRef& batch, const dataset::GrowingSource& source);
  void plan_reads();
  void begin(const BatchRef& batch, const Status& known);
  void end_where_thrown(const BatchRef& batch, absl::FunctionRef<void()> body);
  void start_step(const BatchRef& batch);
  void complete(const BatchRef& batch, const Status& status);
  void push_samples(const BatchRef& batch);
  void push_sample(const BatchRef& batch, int index) { push_samples(batch, index, index + 1); }
  void push_samples(const BatchRef& batch, int begin, int end);
  void resume(const BatchRef& batch, int index) override { push_sample(batch, index); }
  void advance(const BatchRef& batch, int index);
  void take_outcome(const BatchRef& batch, int index, Outcome outcome);
  void push_to_device(const BatchRef& batch, int index);
  void finish_sample(const BatchRef& batch, int index);
  bool runs_after_refusal(const BatchRef& batch, int index, const Outcome& refused);
  void finish_flow(const BatchRef& batch);
  size_t end_of_flow(const BatchJob& batch) const;
  void run_barrier(const BatchRef& batch);
  void pass_barrier(const BatchRef& batch);
  Status work_of(const BatchRef& batch, const Step& barrier);
  Status run_feeds(BatchJob* batch, const Step& step);
  void pass_turn(const BatchJob& batch, size_t step);
  void pass_turns_to_come(const BatchJob& batch);
  bool park(const Waiting& refused);
  void wake_parked();

  // group_steps.cc
  void make_groups(BatchJob* batch) const;
  void go_on(const BatchRef& batch, int index);
  void arrive(const BatchRef& batch, int index);
  void leave_groups(const BatchRef& batch, int index);
  void run_next_group(const BatchRef& batch, size_t step);
  void run_group(const BatchRef& batch, size_t step, const std::vector<int>& members);

  // hand_over.cc
  Result<BatchRef> next_batch(const std::function<bool()>& interrupted);
  Result<Delivery> deliver(BatchRef batch);
  Result<Delivery> delivery_of(const BatchJob& batch);
  void go_on_after(int64_t entered_ns, size_t samples);
  Status push_taker(const BatchRef& batch, absl::Span<const engine::Variable> writes,
                    absl::AnyInvocable<Status()> hand_over);
  void close_when_done();

  const std::shared_ptr<const Plan> plan_;
  const SessionOptions options_;
  const Clock* const clock_;
  std::shared_ptr<engine::Engine> engine_;
  engine::LaneRef lane_;           // waiting threads do not help: num_threads is what the user asked for
  engine::ExecutorRef sources_;    // if the plan has feeds
  engine::ExecutorRef functions_;  // if the plan has functions of the user
  DeviceQueues device_queues_;
  engine::Variable handed_;  // written by each hand-over of run_later(), which keeps them in order

  SampleRunner runner_;
  Delivered delivered_;
  Schedule schedule_;
};

}  // namespace forebay::pipeline
