// What runs a sample: takes it through the actions of a step, one after the other, hot in cache. It knows no
// other sample, no order of batches and no task: who calls it decides where and when, and what becomes of the
// outcome.
//
// run_sample.cc has the actions, read_sample.cc the readers', run_device.cc those on a device, run_group.cc
// those on a few samples at once, run_batch.cc those on a whole batch, replay.cc one sample again.
//
// No mutex: a sample is its caller's for the length of a call; counters are atomic; the rest is set by
// open().
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/clock.h"
#include "forebay/pipeline/jobs/job.h"
#include "forebay/pipeline/samples/memory_gate.h"
#include "forebay/pipeline/samples/open_reader.h"
#include "forebay/pipeline/samples/session_reads.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline {

struct ActionSamples;
struct DeviceEnd;

/// The counters of one action, for explain().
struct ActionTimes {
  std::atomic<int64_t> time_ns{0};
  std::atomic<int64_t> count{0};
};

/// Resumes a sample when its bytes have arrived. Must live as long as reads are in progress.
class SampleOwner : public std::enable_shared_from_this<SampleOwner> {
 public:
  virtual void resume(const BatchRef& batch, int index) = 0;
  /// Asked before each operator: an error ends the sample with it.
  virtual Status check_wanted(const BatchJob& /*batch*/) const { return ok_status(); }

 protected:
  ~SampleOwner() = default;
};

/// How far a sample got.
struct Outcome {
  enum class Kind {
    kDone,       // to the next barrier; or it broke, and job.error says how
    kGroup,      // it stands before a group step: run_group() takes it on
    kReading,    // its owner is (or was already) told to resume it, on a thread of the store
    kForDevice,  // device actions come next: issue(), then run_after_device()
    kRefused,    // the memory limit, or the device, refuses the memory that it needs now
  };
  Kind kind = Kind::kDone;
  const Action* refused = nullptr;
  Status refusal;
};

class SampleRunner {
 public:
  /// The references must outlive it.
  SampleRunner(const Plan& plan, const SessionOptions& options, const Clock& clock);

  /// Opens the readers.
  Status open();
  const std::vector<OpenReader>& readers() const { return readers_; }
  /// The reader whose samples were not all known when it was opened; null if there is none.
  GrowingReader* growing() const { return readers_.empty() ? nullptr : readers_[0].growing.get(); }
  /// Whether not all of its samples are known yet.
  bool is_growing() const { return growing() != nullptr && !growing()->is_whole(); }
  /// One for each reader. Before anything is read.
  void set_orders(const std::vector<dataset::Order>& orders);

  /// Runs the sample from job.step and job.next_action on, to the next group step or barrier; at the end of a
  /// phase, also counts what its expand operator will make of the sample. `owner` holds this object.
  Outcome run(const BatchRef& batch, int index, SampleOwner& owner);
  /// Runs the group step that `members` of the batch stand before. How far each has come: kDone or kRefused.
  std::vector<Outcome> run_group(BatchJob* batch, std::span<const int> members);
  /// Whether what functions of the user gave sample by sample is of one kind each over the batch.
  static Status check_given(const BatchJob& batch);
  /// After kForDevice: puts the next actions on the sample's queue. Call it in a device task of that queue.
  /// Errors are reported by run_after_device().
  void issue(BatchJob* batch, int index);
  /// When the engine has finished that task with the status `passed`: goes on like run().
  Outcome run_after_device(const BatchRef& batch, int index, const Status& passed, SampleOwner& owner);
  /// The device queue of a sample. Only with a device.
  uint32_t queue_of(const SampleJob& job) const;
  /// After kRefused: frees what the step has made so far; the step will start over.
  void forget_step(BatchJob* batch, int index) const;
  /// After kRefused, if waiting does not help: breaks the sample, or replaces it.
  void refuse(BatchJob* batch, int index, const Outcome& refused) const;
  /// What is said of a sample that was broken and replaced.
  static std::string replaced_by(const SampleJob& replaced);
  /// Replaces a broken sample that came straight from a reader. Returns false if it cannot be replaced.
  bool replace(BatchJob* batch, int index) const;

  /// Runs a step on the whole batch.
  Status run_batch_operator(BatchJob* batch, const Action& action);
  Status run_function(BatchJob* batch, const Action& action);
  /// Asks all feeds of the step for `request` and returns the number of samples. Where one fails the batch of
  /// each is gone; where the data of one has ended (end_of_data()) the others keep theirs. So feeds stay
  /// beside each other.
  Result<int> run_feeds(BatchJob* batch, const Step& step, const FeedRequest& request);
  /// Forgets what feeds have given and nobody has used.
  void forget_kept_feeds() { kept_.clear(); }

  /// Calls issue() in a device task and waits for the task.
  using DeviceRun = absl::FunctionRef<Status(const BatchRef& batch)>;
  /// See Session::replay().
  Result<std::vector<tensor::Tensor>> replay(int64_t epoch, int64_t position, DeviceRun run_device);

  /// What stores are told of the session.
  SessionReads& reads() { return reads_; }
  MemoryGate& gate() { return gate_; }
  const MemoryGate& gate() const { return gate_; }
  /// The output that a value of a phase is delivered as; -1: none.
  int output_slot(int phase, int value) const;

  ActionTimes& times_of(const Action& action) { return *times_[action.node]; }
  const ActionTimes& times_of(const Action& action) const { return *times_[action.node]; }
  int64_t read_wait_ns() const { return read_wait_ns_.load(); }

 private:
  enum class ReadProgress { kThere, kUnderWay };
  using Fed = std::vector<std::vector<tensor::Tensor>>;  // a feed's batch: [output][sample]

  // run_sample.cc
  Outcome run_step(const BatchRef& batch, int index, SampleOwner& owner);
  Outcome run_actions(const BatchRef& batch, int index, SampleOwner& owner);
  Result<ReadProgress> take_action(const BatchRef& batch, int index, const Action& action,
                                   SampleOwner& owner);
  Status run_action(BatchJob* batch, int index, const Action& action);
  Status run_operator(BatchJob* batch, int index, const Action& action);
  Status count_copies(BatchJob* batch, int index, const Action& action);
  Status make_copy(BatchJob* batch, int index, const Action& action);
  static void end_action(SampleJob* job, const Action& action);
  /// For an action on whole batches: takes the outputs of one sample out of `outputs`.
  static Status end_barrier(SampleJob* job, const Action& action, std::span<tensor::Tensor> outputs);
  static void drop_dead_values(SampleJob* job, const Action& action);
  static Status keep_outputs(SampleJob* job, const Action& action, std::span<tensor::Tensor> outputs);
  void note_time(const Action& action, int64_t begin_ns, int64_t end_ns);
  bool guards_hold(const SampleJob& job, const Action& action) const;
  bool is_for_device(const SampleJob& job, const Action& action) const {
    return action.placement != Placement::kHost && guards_hold(job, action);
  }
  bool fail(BatchJob* batch, int index, const Action& action, const Status& status) const;
  Status describe(const SampleJob& job, const Action& action, const Status& status) const;
  /// Where what the action works on lies: one field of a sample may be in another object than the first.
  SampleOrigin origin_of_field(const SampleJob& job, const Action& action) const;

  // run_device.cc
  Status run_on_device(BatchJob* batch, int index, const Action& action);
  DeviceEnd end_on_device(BatchJob* batch, int index, const Status& passed) const;

  // read_sample.cc
  Result<ReadProgress> read(const BatchRef& batch, int index, const Action& action, SampleOwner& owner);
  Result<ReadProgress> start_read(const BatchRef& batch, int index, const Action& action, SampleOwner& owner);
  Status take_record(BatchJob* batch, int index, const Action& action, dataset::Record record);
  Status decode_record(BatchJob* batch, int index, const Action& action, const dataset::Record& record);
  uint64_t index_to_read(const SampleJob& job, const OpenReader& reader) const;
  const OpenReader& reader_of(const Action& action) const { return readers_[action.reader]; }

  // run_group.cc
  ActionSamples samples_of(BatchJob* batch, std::span<const int> members, const Action& action);
  Status run_group_operator(BatchJob* batch, std::span<const int> members, const Action& action,
                            std::span<Status> results);
  Status call_function(BatchJob* batch, std::span<const int> members, const Action& action,
                       std::span<Status> results);
  static Status take_given(SampleJob* job, const Action& action, FunctionSample given);
  Outcome end_group_step(BatchJob* batch, int index, const Action& action, const Status& result);

  // run_batch.cc
  Result<HostFunction*> function_of(const Action& action) const;
  /// The error of an operator on the batch, with all that is known of the sample that it names.
  Status describe(const BatchJob& batch, const Action& action, const Status& status) const;
  std::vector<int> active_samples(const BatchJob& batch, const Action& action) const;
  Result<Fed> ask_feed(const Action& action, const FeedRequest& request);
  void keep_for_later(const Step& step, std::vector<Result<Fed>>* given);
  Status check_fed(const std::vector<tensor::Tensor>& samples, std::optional<size_t> count) const;

  // replay.cc
  Result<operators::SampleIdentity> identity_at(int64_t epoch, int64_t position) const;
  Status replay_step(const BatchRef& batch, DeviceRun run_device);
  Result<DeviceEnd> replay_on_device(const BatchRef& batch, DeviceRun run_device) const;
  Status replay_action(BatchJob* batch, const Action& action);
  Status replay_expand(BatchJob* batch);

  const std::vector<Step>& steps_of(const BatchJob& batch) const { return plan_.phases()[batch.phase].steps; }
  const Step& step_of(const BatchJob& batch, int index) const {
    return steps_of(batch)[batch.samples[index].step];
  }
  const Action* expand_of(const BatchJob& batch, int index) const;
  uint64_t key_of(const SampleJob& job, const Action& action) const;
  int64_t now_ns() const { return clock_.now_ns(); }

  const Plan& plan_;
  const SessionOptions& options_;
  const Clock& clock_;
  SessionReads reads_;
  std::vector<OpenReader> readers_;                  // in the order of plan_.sources()
  std::vector<std::unique_ptr<ActionTimes>> times_;  // by node
  std::map<int, Fed> kept_;                          // by node; feeds are asked one batch at a time
  MemoryGate gate_;
  std::atomic<int64_t> read_wait_ns_{0};
};

}  // namespace forebay::pipeline
