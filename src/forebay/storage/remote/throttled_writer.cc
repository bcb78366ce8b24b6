#include "forebay/storage/remote/throttled_writer.h"

#include <deque>
#include <utility>

#include "forebay/base/sync/mutex.h"

namespace forebay::storage {
namespace {

/// The calls of one writer, of which only the first waits for the limiter: two that wait there could be let
/// through by two threads, in any order.
class WriterCalls : public std::enable_shared_from_this<WriterCalls> {
 public:
  using Go = absl::AnyInvocable<void(ObjectWriter& writer, const Status& status)>;

  WriterCalls(std::unique_ptr<ObjectWriter> writer, std::shared_ptr<RateLimiter> limiter)
      : writer_(std::move(writer)), limiter_(std::move(limiter)), limits_(writer_->limits()) {}

  PartLimits limits() {
    const MutexLock lock(mutex_);
    return limits_;
  }

  void add(uint64_t bytes, const CallContext& context, Go go) {
    {
      const MutexLock lock(mutex_);
      waiting_.push_back({bytes, context, std::move(go)});
    }
    pass_next();
  }

 private:
  struct Call {
    uint64_t bytes;
    CallContext context;
    Go go;
  };

  void pass_next() {
    Call next;
    {
      const MutexLock lock(mutex_);
      if (is_passing_ || waiting_.empty()) {
        return;
      }
      is_passing_ = true;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    limiter_->pass(next.bytes, next.context,
                   [self = shared_from_this(), go = std::move(next.go)](const Status& status) mutable {
                     self->failure_.Update(status);
                     go(*self->writer_, self->failure_);
                     self->finish();
                   });
  }

  void finish() {
    {
      const PartLimits limits = writer_->limits();
      const MutexLock lock(mutex_);
      limits_ = limits;
      is_passing_ = false;
    }
    pass_next();
  }

  const std::unique_ptr<ObjectWriter> writer_;
  const std::shared_ptr<RateLimiter> limiter_;
  Status failure_;  // belongs to the call that is passing
  Mutex mutex_;
  std::deque<Call> waiting_ FOREBAY_GUARDED_BY(mutex_);
  PartLimits limits_ FOREBAY_GUARDED_BY(mutex_);
  bool is_passing_ FOREBAY_GUARDED_BY(mutex_) = false;
};

class ThrottledWriter final : public ObjectWriter {
 public:
  ThrottledWriter(std::shared_ptr<WriterCalls> calls, std::shared_ptr<RateLimiter> limiter)
      : calls_(std::move(calls)), limiter_(std::move(limiter)) {}

  PartLimits limits() const override { return calls_->limits(); }

  void append(Bytes part, const CallContext& context, StatusCallback done) override {
    calls_->add(part.size(), context,
                [part, context, limiter = limiter_, done = std::move(done)](ObjectWriter& writer,
                                                                            const Status& status) mutable {
                  if (!status.ok()) {
                    done(status);
                    return;
                  }
                  writer.append(part, context,
                                [limiter, size = part.size(), done = std::move(done)](Status moved) mutable {
                                  limiter->correct(size, size);
                                  done(std::move(moved));
                                });
                });
  }

  void commit(const CallContext& context, StatCallback done) override {
    calls_->add(0, context,
                [context, done = std::move(done)](ObjectWriter& writer, const Status& status) mutable {
                  status.ok() ? writer.commit(context, std::move(done)) : done(status);
                });
  }

 private:
  const std::shared_ptr<WriterCalls> calls_;
  const std::shared_ptr<RateLimiter> limiter_;
};

}  // namespace

std::unique_ptr<ObjectWriter> throttled_writer(std::unique_ptr<ObjectWriter> inner,
                                               std::shared_ptr<RateLimiter> limiter) {
  auto calls = std::make_shared<WriterCalls>(std::move(inner), limiter);
  return std::make_unique<ThrottledWriter>(std::move(calls), std::move(limiter));
}

}  // namespace forebay::storage
