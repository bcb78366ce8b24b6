// What is scheduled: which batches are under way, in which order they are begun, handed over and woken, and
// where the stream of samples goes on. It runs nothing itself: it says what is to be begun, and whoever holds
// it does so once the mutex is let go of.
//
// schedule.cc has the streams of batches and who gets them, schedule_expand.cc those behind an expand
// operator, schedule_feeds.cc the epochs of feeds, memory_pressure.cc what waits for memory.
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
#include "forebay/pipeline/samples/open_reader.h"
#include "forebay/pipeline/schedule/job.h"
#include "forebay/pipeline/schedule/turns.h"

namespace forebay::pipeline {

/// Batches to be begun, by tasks of their own.
using Starts = std::vector<BatchRef>;

/// A sample of a batch, or, with index -1, the barrier that the batch stands before.
struct Waiting {
  BatchRef batch;
  int index = 0;
};

/// Thread safe. What it is made of must outlive it.
class Schedule {
 public:
  Schedule(const Plan& plan, const SessionOptions& options, const Clock& clock,
           const std::vector<OpenReader>& readers, Delivered& delivered);

  /// Before all else: each batch is a variable of `engine`, written by a task of `lane`.
  void open(std::shared_ptr<engine::Engine> engine, engine::LaneRef lane);
  /// Schedules nothing from now on. Returns the completions that the caller must cancel.
  std::vector<engine::Completion> close() FOREBAY_EXCLUDES(mutex_);
  bool is_closed() const { return is_closed_; }
  /// From now on only promised batches are made.
  void finish_promised() FOREBAY_EXCLUDES(mutex_);
  /// Whether finish_promised() was called, no promised batch is left, and close() was not called yet.
  bool is_done() const FOREBAY_EXCLUDES(mutex_);

  // Batches on their way:

  /// Makes batches up to the prefetch depth.
  Starts fill() FOREBAY_EXCLUDES(mutex_);
  /// False when the batch is over already.
  bool begin(BatchJob* batch) FOREBAY_EXCLUDES(mutex_);

  struct Completed {
    engine::Completion done;  // empty if it was complete before
    Starts starts;
  };
  /// The batch is over, with `status` if it has no error yet.
  Completed complete(BatchJob* batch, const Status& status) FOREBAY_EXCLUDES(mutex_);
  bool is_complete(const BatchJob& batch) const FOREBAY_EXCLUDES(mutex_);

  /// Whether it is the batch's turn for a step that runs Python; if not, pass_turn() of another will give it.
  bool take_turn(const BatchRef& batch, const Step& step) FOREBAY_EXCLUDES(mutex_);
  /// Whose turn it is then, or null.
  BatchRef pass_turn(const BatchJob& batch, const Step& step) FOREBAY_EXCLUDES(mutex_);

  // Who gets them:

  struct Next {
    Starts starts;
    BatchRef batch;         // which the consumer gets, or waits for
    bool is_there = false;  // it is complete, and the caller's now: note_handed_over() when it is handed over
    bool is_promised = false;  // others get batches before it: the caller waits for their hand-over
    engine::Variable ready;    // else what to wait for
  };
  Result<Next> next() FOREBAY_EXCLUDES(mutex_);
  /// Promises the next batch to a task: see Session::run_later().
  Result<Next> promise() FOREBAY_EXCLUDES(mutex_);
  /// Takes a promised batch; false when it was evicted meanwhile and is being made again.
  bool take_promised(const BatchJob& batch) FOREBAY_EXCLUDES(mutex_);
  /// What a batch that was taken held is the user's or has gone. Until then nobody is told that there is no
  /// memory.
  void note_handed_over() FOREBAY_EXCLUDES(mutex_);
  engine::Variable ready_of(const BatchJob& batch) const FOREBAY_EXCLUDES(mutex_);
  /// Of the batch that next() will give.
  engine::Variable next_ready() const FOREBAY_EXCLUDES(mutex_);

  // Feeds:

  /// What the batch is to ask the feeds for; nothing when their data has ended for it.
  std::optional<FeedRequest> next_feed(BatchJob* batch) FOREBAY_EXCLUDES(mutex_);
  void note_fed(BatchJob* batch, int samples) FOREBAY_EXCLUDES(mutex_);
  /// Their data has ended with this batch, which holds nothing.
  void end_feeds(BatchJob* batch) FOREBAY_EXCLUDES(mutex_);
  /// Returns the consumer's error for the end of the data, and notes that it was reported unless it belongs
  /// to an earlier epoch.
  Status report_end(bool is_of_an_earlier_epoch) FOREBAY_EXCLUDES(mutex_);
  bool has_reported_end() const FOREBAY_EXCLUDES(mutex_);
  /// After has_reported_end(): goes on with the next epoch's first request.
  void begin_epoch(const FeedRequest& first) FOREBAY_EXCLUDES(mutex_);

  /// Goes on from a place. failed_precondition once a batch was made.
  Status go_on_from(const Position& position) FOREBAY_EXCLUDES(mutex_);

  // Memory pressure (memory_pressure.cc):

  /// Sample tasks and barriers that are queued or run: `change` more.
  void note_running(int change) { running_ += change; }

  enum class Park {
    kFinal,   // nothing will free memory: the refusal stands
    kParked,  // it will be woken
    kAlone,   // it will be woken, but nothing runs that would: the caller has to
  };
  /// For a sample or barrier that the memory limit refused, and that has given back what it held.
  Park park(const Waiting& refused) FOREBAY_EXCLUDES(mutex_);

  struct Woken {
    Starts starts;                // or
    std::optional<Waiting> next;  // to be run again
  };
  /// What can go on; called for each that finishes.
  Woken wake() FOREBAY_EXCLUDES(mutex_);
  /// It has finished: no longer the one that runs alone.
  void end_forced(const Waiting& finished) FOREBAY_EXCLUDES(mutex_);
  int64_t parked_ns() const { return parked_ns_; }

 private:
  /// The stream of batches of one phase.
  struct Stream {
    int64_t next_iteration = 0;
    std::deque<BatchRef> under_way;     // in order; the front is the next to be taken
    int promised = 0;                   // so many at the front already have a taker
    std::deque<SampleJob> pending;      // for phases after an expand: samples, of which copies are wanted
    int64_t copies_pending = 0;         // of all of them
    std::vector<SampleFault> left_out;  // faults of samples dropped since the last that was let through
    bool has_ended = false;             // a feed's data ended; no further batches until the next epoch
    int64_t fruitless = 0;              // samples taken since the last that was let through
  };

  void fill_up(Starts* starts) FOREBAY_REQUIRES(mutex_);
  void fill_phase(int phase, int depth, Starts* starts) FOREBAY_REQUIRES(mutex_);
  BatchRef make_batch(int phase, int samples) FOREBAY_REQUIRES(mutex_);
  void promise_ready(BatchJob* batch) FOREBAY_REQUIRES(mutex_);
  void identify_from_order(BatchJob* batch) FOREBAY_REQUIRES(mutex_);
  void take_pending(BatchJob* batch) FOREBAY_REQUIRES(mutex_);
  void take_finished(int phase) FOREBAY_REQUIRES(mutex_);
  void let_through(int phase, SampleJob* job) FOREBAY_REQUIRES(mutex_);
  void skip_delivered(SampleJob* job) FOREBAY_REQUIRES(mutex_);
  static void take_copy(SampleJob* from, SampleJob* copy);
  BatchRef awaited() const FOREBAY_REQUIRES(mutex_);
  Status end_told(bool is_of_an_earlier_epoch) FOREBAY_REQUIRES(mutex_);
  bool is_last(int phase) const { return phase + 1 == static_cast<int>(plan_.phases().size()); }

  bool counts_as_running(const Waiting& waiting) const;
  bool is_forced(const Waiting& waiting) const FOREBAY_REQUIRES(mutex_);
  bool blocks_delivery(const BatchJob& batch) const FOREBAY_REQUIRES(mutex_);
  bool evict_younger(const BatchJob& than, std::vector<engine::Completion>* dropped) FOREBAY_REQUIRES(mutex_);
  void make_again(const BatchRef& batch) FOREBAY_REQUIRES(mutex_);

  const Plan& plan_;
  const SessionOptions& options_;
  const Clock& clock_;
  const std::vector<OpenReader>& readers_;  // as plan_.sources()
  Delivered& delivered_;
  std::shared_ptr<engine::Engine> engine_;  // set by open()
  engine::LaneRef lane_;

  std::atomic<bool> is_closed_{false};
  std::atomic<int> running_{0};
  std::atomic<int64_t> parked_ns_{0};

  mutable Mutex mutex_;  // before Delivered's
  std::vector<Stream> streams_ FOREBAY_GUARDED_BY(mutex_);
  std::map<const Step*, Turns> turns_ FOREBAY_GUARDED_BY(mutex_);  // of the steps that run Python
  int delivering_ FOREBAY_GUARDED_BY(mutex_) = 0;  // batches that were taken and are not handed over yet
  bool makes_only_promised_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_reported_end_ FOREBAY_GUARDED_BY(mutex_) = false;

  // Where the stream of samples goes on: its index of the first batch; and of what comes of the sample there,
  // how much was delivered before.
  int64_t stream_origin_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int64_t skip_stream_ FOREBAY_GUARDED_BY(mutex_) = -1;
  int64_t skip_count_ FOREBAY_GUARDED_BY(mutex_) = 0;
  FeedRequest feed_next_ FOREBAY_GUARDED_BY(mutex_);
  int64_t feeds_end_ FOREBAY_GUARDED_BY(mutex_) =
      0;  // the stream index of the batch in which their data ended

  std::vector<Waiting> parked_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<BatchRef> evicted_ FOREBAY_GUARDED_BY(mutex_);  // to be begun again
  Waiting forced_ FOREBAY_GUARDED_BY(mutex_);                 // the oldest parked, while it runs alone
};

}  // namespace forebay::pipeline
