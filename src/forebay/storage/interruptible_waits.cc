#include "forebay/storage/interruptible_waits.h"

#include <utility>

namespace forebay::storage {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};

thread_local InterruptibleWaits* waits_of_thread = nullptr;

}  // namespace

InterruptibleWaits::InterruptibleWaits(std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)), outer_(std::exchange(waits_of_thread, this)) {
}

InterruptibleWaits::~InterruptibleWaits() {
  waits_of_thread = outer_;
}

WaitedCall::WaitedCall(const CallContext& given) : context_(given) {
  if (waits_of_thread == nullptr || given.cancellation.stop_possible()) {
    return;
  }
  waits_ = waits_of_thread;
  stop_ = std::stop_source();
  context_.cancellation = stop_.get_token();
  if (waits_->was_interrupted_) {
    stop_.request_stop();
  }
}

std::optional<std::chrono::milliseconds> WaitedCall::time_between_looks() const {
  return waits_ == nullptr ? std::nullopt : std::optional(kBetweenLooks);
}

void WaitedCall::look() {
  if (waits_ != nullptr && !waits_->was_interrupted_ && waits_->interrupted_()) {
    waits_->was_interrupted_ = true;
    stop_.request_stop();
  }
}

}  // namespace forebay::storage
