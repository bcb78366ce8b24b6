#include "forebay/pipeline/samples/session_reads.h"

#include <utility>

namespace forebay::pipeline {

SessionReads::SessionReads(std::string caller)
    : who_(std::make_shared<const storage::Caller>(storage::Caller{std::move(caller)})) {
}

void SessionReads::begin(const std::vector<OpenReader>& readers, uint64_t first, uint64_t window) {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(has_begun_, true)) {
      return;
    }
  }
  auto plans = std::make_shared<Plans>();
  for (const OpenReader& reader : readers) {
    const auto whole = reader.growing == nullptr ? reader.source : reader.growing->source().whole();
    plans->push_back(std::make_unique<dataset::ReadAhead>(whole, reader.order(), first, window));
  }
  const MutexLock lock(mutex_);
  if (!has_ended_) {
    plans_ = std::move(plans);
  }
}

void SessionReads::advance(uint64_t stream_index) {
  std::shared_ptr<const Plans> plans;
  {
    const MutexLock lock(mutex_);
    plans = plans_;
  }
  if (plans != nullptr) {
    for (const std::unique_ptr<dataset::ReadAhead>& plan : *plans) {
      plan->advance(stream_index);
    }
  }
}

void SessionReads::end() {
  std::shared_ptr<const Plans> plans;  // retracted once no other thread moves their cursors
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    plans = std::move(plans_);
  }
  stop_.request_stop();
}

storage::CallContext SessionReads::context(storage::Priority priority) const {
  return {.cancellation = stop_.get_token(), .priority = priority, .who = who_};
}

}  // namespace forebay::pipeline
