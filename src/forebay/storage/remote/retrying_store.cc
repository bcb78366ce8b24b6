#include "forebay/storage/remote/retrying_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <stop_token>
#include <utility>

#include "forebay/base/metrics.h"
#include "forebay/base/random/random.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/errors.h"

namespace forebay::storage {

struct RetryingStore::Policy {
  RetryOptions options;
  Timer& timer;
  uint64_t key = 0;
  std::atomic<uint64_t> calls{0};
};

namespace {

using Policy = RetryingStore::Policy;

uint64_t key_of(const RetryOptions& options) {
  return random_key(options.seed != 0 ? options.seed : std::random_device()(), 0, hash64("retries"));
}

Status after_attempts(const Status& status, int attempts) {
  return attempts == 1 ? status : annotate(status, fmt::format("after {} attempts", attempts));
}

/// One call and its attempts. Keeps itself alive through the callbacks that it waits for.
template <class Answer>
class RetriedCall : public std::enable_shared_from_this<RetriedCall<Answer>> {
 public:
  using Done = absl::AnyInvocable<void(Result<Answer>)>;
  using Start = absl::AnyInvocable<void(const CallContext& context, Done done)>;

  RetriedCall(std::shared_ptr<Policy> policy, CallContext context, Start start, Done done)
      : policy_(std::move(policy)),
        context_(std::move(context)),
        start_(std::move(start)),
        done_(std::move(done)),
        draws_(policy_->key, policy_->calls.fetch_add(1, std::memory_order_relaxed)) {}

  void attempt() {
    ++attempts_;
    start_(context_, [self = this->shared_from_this()](Result<Answer> answer) {
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
    if (error.code() != StatusCode::kUnavailable || attempts_ >= policy_->options.max_attempts) {
      return false;
    }
    const int64_t when_ns =
        policy_->timer.now_ns() +
        retry_delay_ns(policy_->options, attempts_, draws_.uniform_double(), retry_after_ns(error));
    if (when_ns >= context_.deadline_ns || context_.cancellation.stop_requested()) {
      return false;
    }
    counter("storage_retries").add(1);
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
      done(after_attempts(answer.status(), attempts_));
    }
  }

  const std::shared_ptr<Policy> policy_;
  const CallContext context_;
  Start start_;
  Done done_;
  RandomStream draws_;
  int attempts_ = 0;
  Status error_;
  Mutex mutex_;
  std::unique_ptr<StopCallback> on_stop_ FOREBAY_GUARDED_BY(mutex_);
};

template <class Answer, class Start>
void call_with_retries(const std::shared_ptr<Policy>& policy, const CallContext& context, Start start,
                       absl::AnyInvocable<void(Result<Answer>)> done) {
  std::make_shared<RetriedCall<Answer>>(policy, context, std::move(start), std::move(done))->attempt();
}

class RetryingList final : public ListStream {
 public:
  RetryingList(std::unique_ptr<ListStream> inner, std::shared_ptr<Policy> policy)
      : inner_(std::move(inner)), policy_(std::move(policy)) {}

  void next(const CallContext& context, ListCallback done) override {
    call_with_retries<ListPage>(
        policy_, context,
        [inner = inner_](const CallContext& attempt, ListCallback next) {
          inner->next(attempt, std::move(next));
        },
        std::move(done));
  }

 private:
  const std::shared_ptr<ListStream> inner_;
  const std::shared_ptr<Policy> policy_;
};

}  // namespace

int64_t retry_delay_ns(const RetryOptions& options, int attempt, double draw,
                       std::optional<int64_t> asked_for_ns) {
  int64_t backoff_ns = options.first_delay_ns;
  for (int i = 1; i < attempt && backoff_ns < options.max_delay_ns; ++i) {
    backoff_ns *= 2;
  }
  backoff_ns = std::min(backoff_ns, options.max_delay_ns);
  return asked_for_ns.value_or(0) + static_cast<int64_t>(static_cast<double>(backoff_ns) * draw);
}

RetryingStore::RetryingStore(std::shared_ptr<ObjectStore> inner, RetryOptions options, Timer& timer)
    : ForwardingStore(inner),
      store_(std::move(inner)),
      policy_(new Policy{.options = options, .timer = timer, .key = key_of(options)}) {
}

void RetryingStore::stat(std::string key, const CallContext& context, StatCallback done) {
  call_with_retries<ObjectStat>(
      policy_, context,
      [store = store_, key = std::move(key)](const CallContext& attempt, StatCallback next) {
        store->stat(key, attempt, std::move(next));
      },
      std::move(done));
}

std::unique_ptr<ListStream> RetryingStore::open_list(ListRequest request) {
  return std::make_unique<RetryingList>(store_->open_list(std::move(request)), policy_);
}

void RetryingStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  call_with_retries<ReadBytes>(
      policy_, context,
      [store = store_, request = std::move(request)](const CallContext& attempt, ReadCallback next) {
        store->read(request, attempt, std::move(next));
      },
      std::move(done));
}

void RetryingStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                          StatCallback done) {
  if (options.if_absent || !options.if_version.empty()) {
    store_->write(std::move(key), content, std::move(options), context, std::move(done));
    return;
  }
  call_with_retries<ObjectStat>(
      policy_, context,
      [store = store_, key = std::move(key), content](const CallContext& attempt, StatCallback next) {
        store->write(key, content, {}, attempt, std::move(next));
      },
      std::move(done));
}

}  // namespace forebay::storage
