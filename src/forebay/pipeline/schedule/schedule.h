// Decides what is scheduled: which batches are in progress, in which order they are started, delivered and
// woken, and where the stream of samples continues. It runs nothing itself: it returns what has to be
// started, and the caller starts it after the mutex has been released.
//
// schedule.cc has the streams of batches and their delivery, schedule_expand.cc the streams behind expand
// operators, schedule_feeds.cc the epochs of feeds, memory_pressure.cc what waits for memory.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/engine/engine.h"
#include "forebay/pipeline/delivery/delivered.h"
#include "forebay/pipeline/jobs/job.h"
#include "forebay/pipeline/samples/open_reader.h"
#include "forebay/pipeline/schedule/turns.h"

namespace forebay::pipeline {

/// Batches to be started, each by its own task.
using Starts = std::vector<BatchRef>;

/// A sample of a batch or, with index -1, the barrier that the batch is waiting at.
struct Waiting {
  BatchRef batch;
  int index = 0;
};

/// Thread safe. The constructor's arguments must outlive it.
class Schedule {
 public:
  Schedule(const Plan& plan, const SessionOptions& options, const Clock& clock,
           const std::vector<OpenReader>& readers, Delivered& delivered);

  /// Called first: each batch is a variable of `engine`, written by a task of `lane`.
  void open(std::shared_ptr<engine::Engine> engine, engine::LaneRef lane);
  /// Schedules nothing from now on. Returns the completions that the caller must complete with
  /// reason_of_end(). `error`: what has ended the session, which next() and promise() return from now on; OK
  /// if it was closed. The first call says which.
  std::vector<engine::Completion> close(const Status& error) FOREBAY_EXCLUDES(mutex_);
  bool is_closed() const { return is_closed_; }
  /// After close(): the error, or cancelled.
  Status reason_of_end() const FOREBAY_EXCLUDES(mutex_);
  /// From now on only promised batches are made.
  void finish_promised() FOREBAY_EXCLUDES(mutex_);
  /// Whether finish_promised() was called, no promised batch is left, and close() was not called yet.
  bool is_done() const FOREBAY_EXCLUDES(mutex_);

  // Batches in progress:

  /// Starts batches up to the prefetch depth.
  Starts fill() FOREBAY_EXCLUDES(mutex_);
  /// Returns false if the batch is already over.
  bool begin(BatchJob* batch) FOREBAY_EXCLUDES(mutex_);

  struct Completed {
    engine::Completion done;  // empty if it was already complete
    Status status;            // what `done` is to be completed with: the batch's first error
    Starts starts;
  };
  /// Ends the batch, with `status` if it has no error yet. From then on its samples belong to whoever takes
  /// it.
  Completed complete(BatchJob* batch, const Status& status) FOREBAY_EXCLUDES(mutex_);
  bool is_complete(const BatchJob& batch) const FOREBAY_EXCLUDES(mutex_);

  /// Whether it is the batch's turn for a step that runs Python; if not, pass_turn() of another batch will
  /// return it.
  bool take_turn(const BatchRef& batch, const Step& step) FOREBAY_EXCLUDES(mutex_);
  /// Returns the batch whose turn it then is, or null.
  BatchRef pass_turn(const BatchJob& batch, const Step& step) FOREBAY_EXCLUDES(mutex_);

  // Delivery of batches:

  struct Next {
    Starts starts;
    BatchRef batch;  // the batch that the consumer gets or waits for
    // The batch is complete and now belongs to the caller, who must call note_handed_over().
    bool is_there = false;
    bool is_promised = false;  // promised batches come first: the caller waits for their hand-over
    engine::Variable ready;    // otherwise, the variable to wait for
  };
  Result<Next> next() FOREBAY_EXCLUDES(mutex_);
  /// Puts a batch that was taken, and could not be given for no fault of its own, back to where it was, to be
  /// made anew. Where that cannot be done it is left out, and there is nothing to start: with feeds and
  /// expand operators, where those behind it are promised, and once nothing more is made ahead.
  Starts put_back(int64_t iteration) FOREBAY_EXCLUDES(mutex_);
  /// Promises the next batch to a task; see Session::run_later().
  Result<Next> promise() FOREBAY_EXCLUDES(mutex_);
  /// Takes a promised batch; false if it was evicted meanwhile and is being made again.
  bool take_promised(const BatchJob& batch) FOREBAY_EXCLUDES(mutex_);
  /// Called when a taken batch has been handed to the user or dropped. Before that, no sample is told that
  /// there is no memory.
  void note_handed_over() FOREBAY_EXCLUDES(mutex_);
  /// Whether promised batches are still to be handed over.
  bool has_promised() const FOREBAY_EXCLUDES(mutex_);
  engine::Variable ready_of(const BatchJob& batch) const FOREBAY_EXCLUDES(mutex_);
  /// The `ready` variable of the batch that next() will return.
  engine::Variable next_ready() const FOREBAY_EXCLUDES(mutex_);

  // Feeds:

  /// What the batch should request from the feeds; nullopt if their data has ended before it.
  std::optional<FeedRequest> next_feed(BatchJob* batch) FOREBAY_EXCLUDES(mutex_);
  void note_fed(BatchJob* batch, int samples) FOREBAY_EXCLUDES(mutex_);
  /// Records that the feeds' data ended with this batch, which is empty.
  void end_feeds(BatchJob* batch) FOREBAY_EXCLUDES(mutex_);
  /// Returns the consumer's error for the end of the data, and notes that it was reported unless it belongs
  /// to an earlier epoch.
  Status report_end(bool is_of_an_earlier_epoch) FOREBAY_EXCLUDES(mutex_);
  bool has_reported_end() const FOREBAY_EXCLUDES(mutex_);
  /// After has_reported_end(): the stream index at which the data ended.
  int64_t end_of_feeds() const FOREBAY_EXCLUDES(mutex_);
  /// After has_reported_end(): goes on with the next epoch's first request.
  void begin_epoch(const FeedRequest& first) FOREBAY_EXCLUDES(mutex_);

  /// Continues from `position`. failed_precondition once a batch was made.
  Status go_on_from(const Position& position) FOREBAY_EXCLUDES(mutex_);

  // Memory pressure (memory_pressure.cc):

  /// Adds `change` to the number of sample tasks and barriers that are queued or running.
  void note_running(int change) { running_ += change; }

  enum class Park {
    kFinal,   // nothing will free memory: the refusal is final
    kParked,  // it will be woken
    kAlone,   // it will be woken, but nothing is running that would do so: the caller must
  };
  /// Parks a sample or barrier that the memory limit refused and that has freed what it held.
  Park park(const Waiting& refused) FOREBAY_EXCLUDES(mutex_);

  struct Woken {
    Starts starts;                // or
    std::optional<Waiting> next;  // to be run again
  };
  /// Returns what can continue; called for each sample that finishes.
  Woken wake() FOREBAY_EXCLUDES(mutex_);
  /// Called when it has finished: it no longer runs alone.
  void end_forced(const Waiting& finished) FOREBAY_EXCLUDES(mutex_);
  int64_t parked_ns() const { return parked_ns_; }

 private:
  /// The stream of batches of one phase.
  struct Stream {
    int64_t next_iteration = 0;
    std::deque<BatchRef> under_way;  // in order; the front is taken next
    int promised = 0;                // how many at the front are already promised
    std::deque<SampleJob> pending;   // for phases behind an expand: samples that still have copies to be made
    int64_t copies_pending = 0;      // summed over `pending`
    int64_t used = 0;                // of a restored session: as many samples are still to be left out
    std::vector<SampleFault> left_out;  // errors of samples dropped since the last one that was let through
    bool has_ended = false;             // a feed's data has ended; no more batches until the next epoch
    int64_t fruitless = 0;              // samples taken since the last one that was let through
  };

  void fill_up(Starts* starts) FOREBAY_REQUIRES(mutex_);
  void fill_phase(int phase, int depth, Starts* starts) FOREBAY_REQUIRES(mutex_);
  BatchRef make_batch(int phase, int64_t iteration, int samples) FOREBAY_REQUIRES(mutex_);
  bool can_make_again() const { return plan_.phases().size() == 1 && plan_.feeds().empty(); }
  void promise_ready(BatchJob* batch) FOREBAY_REQUIRES(mutex_);
  /// Once, when the batch is made: others read its place without the mutex.
  void place_in_stream(BatchJob* batch) const FOREBAY_REQUIRES(mutex_);
  void identify_from_order(BatchJob* batch) FOREBAY_REQUIRES(mutex_);
  bool is_named_later(const BatchJob& batch) const;
  void name_samples(BatchJob* batch) const;
  void take_pending(BatchJob* batch) FOREBAY_REQUIRES(mutex_);
  void take_finished(int phase) FOREBAY_REQUIRES(mutex_);
  int64_t let_through(int phase, SampleJob* job) FOREBAY_REQUIRES(mutex_);
  void leave_out_used(Stream* stream, SampleJob* job) FOREBAY_REQUIRES(mutex_);
  Status refusal_of_end() const FOREBAY_REQUIRES(mutex_);
  static void take_copy(SampleJob* from, SampleJob* copy);
  BatchRef awaited() const FOREBAY_REQUIRES(mutex_);
  void mark_awaited() FOREBAY_REQUIRES(mutex_);
  Status report_end_locked(bool is_of_an_earlier_epoch) FOREBAY_REQUIRES(mutex_);
  bool is_last(int phase) const { return phase + 1 == static_cast<int>(plan_.phases().size()); }

  bool counts_as_running(const Waiting& waiting) const;
  bool is_forced(const Waiting& waiting) const FOREBAY_REQUIRES(mutex_);
  bool blocks_delivery(const BatchJob& batch) const FOREBAY_REQUIRES(mutex_);
  bool evict_younger(const BatchJob& than, std::vector<engine::Completion>* dropped) FOREBAY_REQUIRES(mutex_);
  bool drop_records_of_parked() FOREBAY_REQUIRES(mutex_);
  void make_again(const BatchRef& batch) FOREBAY_REQUIRES(mutex_);

  const Plan& plan_;
  const SessionOptions& options_;
  const Clock& clock_;
  const std::vector<OpenReader>& readers_;  // in the order of plan_.sources()
  Delivered& delivered_;
  std::shared_ptr<engine::Engine> engine_;  // set by open()
  engine::LaneRef lane_;

  std::atomic<bool> is_closed_{false};
  std::atomic<int> running_{0};
  std::atomic<int64_t> parked_ns_{0};

  mutable Mutex mutex_;  // locked before the mutex of Delivered
  std::vector<Stream> streams_ FOREBAY_GUARDED_BY(mutex_);
  std::map<const Step*, Turns> turns_ FOREBAY_GUARDED_BY(mutex_);  // for the steps that run Python
  int delivering_ FOREBAY_GUARDED_BY(mutex_) = 0;                  // batches taken but not handed over yet
  Status ended_by_ FOREBAY_GUARDED_BY(mutex_);                     // OK unless an error has ended the session
  bool makes_only_promised_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_reported_end_ FOREBAY_GUARDED_BY(mutex_) = false;

  int64_t stream_origin_ FOREBAY_GUARDED_BY(mutex_) = 0;  // the index of the first batch's first sample
  FeedRequest feed_next_ FOREBAY_GUARDED_BY(mutex_);
  int64_t feeds_end_ FOREBAY_GUARDED_BY(mutex_) = 0;  // stream index of the batch in which their data ended

  std::vector<Waiting> parked_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<BatchRef> evicted_ FOREBAY_GUARDED_BY(mutex_);  // to be started again
  Waiting forced_ FOREBAY_GUARDED_BY(mutex_);                 // the oldest parked one, while it runs alone
};

}  // namespace forebay::pipeline
