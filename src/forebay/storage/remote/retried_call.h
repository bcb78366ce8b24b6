// A call that is tried again while it fails as `unavailable`: a few times, or, if it only reads, for as long
// as the user is ready to wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "forebay/base/metrics/metrics.h"
#include "forebay/base/random/random.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"
#include "forebay/storage/context.h"
#include "forebay/storage/errors.h"

namespace forebay::storage {

struct RetryOptions {
  int max_attempts = 6;  // the first one included
  /// Beyond these, a read of content is tried again for so long after its first failure, so that an outage
  /// costs time and no samples. Only where the service has answered before: a wrong address is said soon.
  int64_t patience_ns = 0;
  int64_t first_delay_ns = 100'000'000;
  int64_t max_delay_ns = 10'000'000'000;
  int64_t longest_asked_ns = 60'000'000'000;  // that a store may have its callers wait, whatever it asks for
  uint64_t seed = 0;                          // of the jitter; 0: another one in each process
};

/// How long to wait after the `attempt`-th failure (from 1): a uniform `draw` in [0, 1) of the backoff,
/// behind the time that the store asked for, as far as options allow.
int64_t retry_delay_ns(const RetryOptions& options, int attempt, double draw,
                       std::optional<int64_t> asked_for_ns);

/// Logs a wait of so long that somebody may ask what goes on.
void tell_of_long_wait(const Status& error, std::optional<int64_t> asked_for_ns, int64_t delay_ns);

/// What the calls of one store share. Thread safe.
struct RetryPolicy {
  explicit RetryPolicy(const RetryOptions& given, Timer& its_timer = process_timer());

  /// What every attempt ended with.
  void note_outcome(const Status& status);
  /// That the service is there, though it may be too busy.
  void note_answer();
  /// Whether a call that has failed since `since_ns` is tried once more, at `when_ns`, after `attempts`.
  bool allows(const CallContext& context, int attempts, int64_t since_ns, int64_t when_ns) const;
  /// Logs, at most once a minute, that reads have been failing for a while and are waited for.
  void tell_of_outage(const Status& error, int64_t since_ns);

  const RetryOptions options;
  Timer& timer;
  const uint64_t key;  // of the jitter's random numbers
  std::atomic<uint64_t> calls{0};

 private:
  std::atomic<bool> has_answered_{false};
  std::atomic<int64_t> next_telling_ns_{0};
};

/// `status` with the number of attempts behind it and the time that they took, if there were several.
Status after_attempts(const Status& status, int attempts, int64_t duration_ns);

/// One call and its attempts. Keeps itself alive through the callbacks that it waits for.
template <class Answer>
class RetriedCall : public std::enable_shared_from_this<RetriedCall<Answer>> {
 public:
  using Done = absl::AnyInvocable<void(Result<Answer>)>;
  using Start = absl::AnyInvocable<void(const CallContext& context, Done done)>;

  RetriedCall(std::shared_ptr<RetryPolicy> policy, CallContext context, Start start, Done done)
      : policy_(std::move(policy)),
        context_(std::move(context)),
        start_(std::move(start)),
        done_(std::move(done)),
        draws_(policy_->key, policy_->calls.fetch_add(1, std::memory_order_relaxed)) {}

  void attempt() {
    ++attempts_;
    start_(context_, [self = this->shared_from_this()](Result<Answer> answer) {
      self->policy_->note_outcome(answer.status());
      if (answer.ok() || !self->put_off(answer.status())) {
        self->finish(std::move(answer));
      }
    });
  }

 private:
  struct Hurry {
    Timer* timer;
    Timer::Id id;
    void operator()() const { timer->hurry(id); }
  };
  using StopCallback = std::stop_callback<Hurry>;

  /// Arranges another attempt; false if there is to be none.
  bool put_off(const Status& error) {
    if (error.code() != StatusCode::kUnavailable) {
      return false;
    }
    const int64_t now_ns = policy_->timer.now_ns();
    since_ns_ = attempts_ == 1 ? now_ns : since_ns_;
    const std::optional<int64_t> asked_for_ns = retry_after_ns(error);
    const int64_t delay_ns =
        retry_delay_ns(policy_->options, attempts_, draws_.uniform_double(), asked_for_ns);
    const int64_t when_ns = now_ns + delay_ns;
    if (!policy_->allows(context_, attempts_, since_ns_, when_ns) || when_ns >= context_.deadline_ns ||
        context_.cancellation.stop_requested()) {
      return false;
    }
    counter("storage_retries").add(1);
    tell_of_long_wait(error, asked_for_ns, delay_ns);
    if (context_.is_for_read) {
      policy_->tell_of_outage(error, since_ns_);
    }
    error_ = error;
    const MutexLock lock(mutex_);
    const Timer::Id id =
        policy_->timer.at(when_ns, [self = this->shared_from_this()] { self->attempt_again(); });
    on_stop_ = std::make_unique<StopCallback>(context_.cancellation, Hurry{&policy_->timer, id});
    return true;
  }

  void attempt_again() {
    std::unique_ptr<StopCallback> on_stop;  // destroyed without the lock: it may be running
    {
      const MutexLock lock(mutex_);
      on_stop = std::move(on_stop_);
    }
    on_stop.reset();
    if (context_.cancellation.stop_requested()) {
      finish(make_status(StatusCode::kCancelled,
                         "the call was cancelled while it waited for another attempt; {}", message(error_)));
      return;
    }
    attempt();
  }

  void finish(Result<Answer> answer) {
    Done done = std::exchange(done_, nullptr);
    if (answer.ok()) {
      done(std::move(answer));
    } else {
      done(after_attempts(answer.status(), attempts_, policy_->timer.now_ns() - since_ns_));
    }
  }

  const std::shared_ptr<RetryPolicy> policy_;
  const CallContext context_;
  Start start_;
  Done done_;
  RandomStream draws_;
  int attempts_ = 0;
  int64_t since_ns_ = 0;  // the end of the first attempt
  Status error_;
  Mutex mutex_;
  std::unique_ptr<StopCallback> on_stop_ FOREBAY_GUARDED_BY(mutex_);
};

/// Calls `start(context, done)` until it succeeds or is not to be tried again: after max_attempts, and what
/// is for a read of content once patience_ns are over, too. Waiting holds no thread, ends with the call's
/// token, and is not begun where its deadline leaves no time.
template <class Answer, class Start>
void call_with_retries(const std::shared_ptr<RetryPolicy>& policy, const CallContext& context, Start start,
                       absl::AnyInvocable<void(Result<Answer>)> done) {
  std::make_shared<RetriedCall<Answer>>(policy, context, std::move(start), std::move(done))->attempt();
}

}  // namespace forebay::storage
