#include "forebay/memory/adaptors.h"

#include <algorithm>

namespace forebay::memory {
namespace {

constexpr size_t kMostFaults = 100;

}  // namespace

LimitResource::LimitResource(std::shared_ptr<MemoryResource> upstream, std::shared_ptr<Budget> budget)
    : upstream_(std::move(upstream)), budget_(std::move(budget)) {
}

Result<void*> LimitResource::allocate(size_t bytes) {
  FOREBAY_ASSIGN_OR_RETURN(Reservation reservation, budget_->try_reserve(bytes));
  FOREBAY_ASSIGN_OR_RETURN(void* pointer, upstream_->allocate(bytes));
  std::lock_guard lock(mutex_);
  reservations_[pointer] = std::move(reservation);
  return pointer;
}

void LimitResource::deallocate(void* pointer, size_t bytes, Fence last_use) noexcept {
  Reservation reservation;  // released last: the bytes count until they are really back
  {
    std::lock_guard lock(mutex_);
    const auto found = reservations_.find(pointer);
    if (found != reservations_.end()) {
      reservation = std::move(found->second);
      reservations_.erase(found);
    }
  }
  upstream_->deallocate(pointer, bytes, last_use);
}

StatisticsResource::StatisticsResource(std::shared_ptr<MemoryResource> upstream)
    : upstream_(std::move(upstream)) {
}

Result<void*> StatisticsResource::allocate(size_t bytes) {
  Result<void*> pointer = upstream_->allocate(bytes);
  std::lock_guard lock(mutex_);
  if (!pointer.ok()) {
    ++statistics_.failures;
    return pointer;
  }
  ++statistics_.allocations;
  statistics_.bytes += bytes;
  statistics_.total_bytes += bytes;
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.bytes);
  return pointer;
}

void StatisticsResource::deallocate(void* pointer, size_t bytes, Fence last_use) noexcept {
  {
    std::lock_guard lock(mutex_);
    statistics_.bytes -= bytes;
  }
  upstream_->deallocate(pointer, bytes, last_use);
}

ResourceStatistics StatisticsResource::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

TrackingResource::TrackingResource(std::shared_ptr<MemoryResource> upstream)
    : upstream_(std::move(upstream)) {
}

Result<void*> TrackingResource::allocate(size_t bytes) {
  FOREBAY_ASSIGN_OR_RETURN(void* pointer, upstream_->allocate(bytes));
  std::lock_guard lock(mutex_);
  outstanding_[pointer] = {pointer, bytes, ++allocations_};
  return pointer;
}

void TrackingResource::deallocate(void* pointer, size_t bytes, Fence last_use) noexcept {
  {
    std::lock_guard lock(mutex_);
    const auto found = outstanding_.find(pointer);
    const bool is_known = found != outstanding_.end();
    if (!is_known || found->second.bytes != bytes) {
      if (faults_.size() < kMostFaults) {
        faults_.push_back(is_known ? fmt::format("{} given back with {} bytes instead of {}",
                                                 fmt::ptr(pointer), bytes, found->second.bytes)
                                   : fmt::format("{} given back, but it is not out", fmt::ptr(pointer)));
      }
      return;
    }
    outstanding_.erase(found);
  }
  upstream_->deallocate(pointer, bytes, last_use);
}

std::vector<Outstanding> TrackingResource::outstanding() const {
  std::vector<Outstanding> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [pointer, entry] : outstanding_) {
      all.push_back(entry);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return all;
}

std::vector<std::string> TrackingResource::faults() const {
  std::lock_guard lock(mutex_);
  return faults_;
}

}  // namespace forebay::memory
