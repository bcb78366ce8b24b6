#include "forebay/storage/remote/sequential_upload.h"

#include <utility>

namespace forebay::storage {

size_t SequentialUpload::parts() const {
  const MutexLock lock(mutex_);
  return parts_;
}

void SequentialUpload::add(Bytes content, const CallContext& context, StatusCallback done) {
  enqueue({.content = content, .context = context, .done = std::move(done)});
}

void SequentialUpload::enqueue(Part part) {
  {
    const MutexLock lock(mutex_);
    ++parts_;
    ++under_way_;
    waiting_.push_back(std::move(part));
    if (is_sending_) {
      return;
    }
    is_sending_ = true;
  }
  send_next();
}

/// Sends the part whose turn it is.
void SequentialUpload::send_next() {
  while (true) {
    Part part;
    Status failure;
    bool is_over = false;
    bool removes = false;
    {
      const MutexLock lock(mutex_);
      is_over = waiting_.empty();
      is_sending_ = !is_over;
      removes = is_over && aborts_ && sent_ > 0 && !std::exchange(is_removed_, true);
      failure = failure_;
      if (!is_over) {
        part = std::move(waiting_.front());
        waiting_.pop_front();
        part.number = sent_;
        sent_ += failure.ok() ? 1 : 0;
      }
    }
    if (is_over) {
      if (removes) {
        remove_parts();
      }
      return;
    }
    StatusCallback done = std::exchange(part.done, nullptr);
    if (failure.ok()) {
      send_part(std::move(part),
                [self = shared_from_this(), done = std::move(done)](const Status& status) mutable {
                  self->finish(status, std::move(done));
                  self->send_next();
                });
      return;
    }
    finish(failure, std::move(done));
  }
}

void SequentialUpload::finish(const Status& status, StatusCallback done) {
  const bool is_named = status.ok() || message(status).starts_with(uri_);
  const Status outcome = is_named ? status : annotate(status, uri_);
  {
    const MutexLock lock(mutex_);
    failure_.Update(outcome);
    --under_way_;
  }
  done(outcome);
}

Status SequentialUpload::failure() const {
  const MutexLock lock(mutex_);
  return failure_.ok() && under_way_ > 0
             ? failed_precondition("{}: commit() was called with parts under way", uri_)
             : failure_;
}

void SequentialUpload::abort() {
  {
    const MutexLock lock(mutex_);
    const bool is_second = std::exchange(aborts_, true);
    failure_.Update(failed_precondition("{}: the upload was given up", uri_));
    if (is_second || is_sending_ || sent_ == 0 || std::exchange(is_removed_, true)) {
      return;  // or when the part under way is done
    }
  }
  remove_parts();
}

}  // namespace forebay::storage
