#include "forebay/base/budget/budget.h"

#include <algorithm>
#include <utility>

#include "forebay/base/trace/trace.h"

namespace forebay {
namespace {

void trace_bytes(uint64_t working_bytes) {
  if (process_trace().is_on()) [[unlikely]] {
    process_trace().count("working bytes", static_cast<int64_t>(working_bytes));
  }
}

}  // namespace

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    release();
    budget_ = std::move(other.budget_);
    bytes_ = std::exchange(other.bytes_, 0);
    held_by_user_ = std::exchange(other.held_by_user_, false);
  }
  return *this;
}

void Reservation::release() {
  if (budget_) {
    budget_->give_back(bytes_, held_by_user_);
    budget_.reset();
  }
  bytes_ = 0;
}

void Reservation::hand_to_user() {
  if (budget_ && !held_by_user_) {
    held_by_user_ = true;
    budget_->move_to_user(bytes_);
  }
}

std::shared_ptr<Budget> Budget::create(uint64_t limit_bytes) {
  return std::shared_ptr<Budget>(new Budget(limit_bytes));
}

Result<Reservation> Budget::try_reserve(uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (limit_bytes_ != 0 && (bytes > limit_bytes_ || working_bytes_ > limit_bytes_ - bytes)) {
    return resource_exhausted("{} bytes needed; {} of the memory limit of {} bytes are in use", bytes,
                              working_bytes_, limit_bytes_);
  }
  working_bytes_ += bytes;
  peak_working_bytes_ = std::max(peak_working_bytes_, working_bytes_);
  trace_bytes(working_bytes_);
  return Reservation(shared_from_this(), bytes);
}

Result<Reservation> Budget::reserve_anyway(uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (limit_bytes_ != 0 && bytes > limit_bytes_) {
    return resource_exhausted("{} bytes needed, more than the whole memory limit of {} bytes", bytes,
                              limit_bytes_);
  }
  working_bytes_ += bytes;
  peak_working_bytes_ = std::max(peak_working_bytes_, working_bytes_);
  trace_bytes(working_bytes_);
  return Reservation(shared_from_this(), bytes);
}

uint64_t Budget::working_bytes() const {
  const MutexLock lock(mutex_);
  return working_bytes_;
}

uint64_t Budget::held_bytes() const {
  const MutexLock lock(mutex_);
  return held_bytes_;
}

uint64_t Budget::peak_working_bytes() const {
  const MutexLock lock(mutex_);
  return peak_working_bytes_;
}

int Budget::add_listener(std::function<void()> listener) {
  const MutexLock lock(mutex_);
  listeners_.emplace_back(next_listener_, std::make_shared<std::function<void()>>(std::move(listener)));
  return next_listener_++;
}

void Budget::remove_listener(int id) {
  const MutexLock lock(mutex_);
  std::erase_if(listeners_, [id](const auto& entry) { return entry.first == id; });
}

void Budget::give_back(uint64_t bytes, bool held_by_user) {
  {
    const MutexLock lock(mutex_);
    (held_by_user ? held_bytes_ : working_bytes_) -= bytes;
    trace_bytes(working_bytes_);
  }
  if (!held_by_user) {
    notify();
  }
}

void Budget::move_to_user(uint64_t bytes) {
  {
    const MutexLock lock(mutex_);
    working_bytes_ -= bytes;
    held_bytes_ += bytes;
    trace_bytes(working_bytes_);
  }
  notify();
}

void Budget::notify() {
  std::vector<std::shared_ptr<std::function<void()>>> listeners;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, listener] : listeners_) {
      listeners.push_back(listener);
    }
  }
  for (const auto& listener : listeners) {
    (*listener)();
  }
}

}  // namespace forebay
