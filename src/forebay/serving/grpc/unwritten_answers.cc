// Answers are counted as they are made and as they are written; who waits is woken when few enough lie.
#include "forebay/serving/grpc/unwritten_answers.h"

#include <utility>

namespace forebay::serving {

std::shared_ptr<void> UnwrittenAnswers::add(const std::shared_ptr<UnwrittenAnswers>& self, size_t bytes) {
  struct Share {
    explicit Share(std::shared_ptr<UnwrittenAnswers> of) : all(std::move(of)) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { all->remove(counted_bytes); }

    const std::shared_ptr<UnwrittenAnswers> all;
    size_t counted_bytes = 0;
  };
  auto share = std::make_shared<Share>(self);
  {
    const MutexLock lock(self->mutex_);
    const bool fits = self->bytes_ / 2 + bytes / 2 <= self->limit_bytes_;
    if (self->bytes_ > 0 && bytes > kSmallBytes && !fits) {
      return nullptr;
    }
    self->bytes_ += bytes;
    share->counted_bytes = bytes;
  }
  return share;
}

void UnwrittenAnswers::remove(size_t bytes) {
  std::map<const void*, Wake> woken;
  {
    const MutexLock lock(mutex_);
    bytes_ -= bytes;
    if (bytes_ <= limit_bytes_) {
      woken.swap(waiting_);
    }
  }
  for (const auto& [key, wake] : woken) {
    wake();
  }
}

bool UnwrittenAnswers::wait_if_over(const void* key, Wake wake) {
  const MutexLock lock(mutex_);
  if (bytes_ <= limit_bytes_) {
    return false;
  }
  waiting_.insert_or_assign(key, std::move(wake));
  return true;
}

void UnwrittenAnswers::stop_waiting(const void* key) {
  std::map<const void*, Wake>::node_type ended;  // what it owns must not end under the lock
  const MutexLock lock(mutex_);
  ended = waiting_.extract(key);
}

size_t UnwrittenAnswers::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace forebay::serving
