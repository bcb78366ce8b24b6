// Resources over resources: a limit, counts, a record of what is out. Each forwards to the one below and adds
// one thing; they stack in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "forebay/base/budget.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Reserves each allocation's bytes in a Budget first; resource_exhausted when that refuses. Thread safe.
class LimitResource final : public MemoryResource {
 public:
  LimitResource(std::shared_ptr<MemoryResource> upstream, std::shared_ptr<Budget> budget);
  Result<void*> allocate(size_t bytes) override;
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
  MemoryKind kind() const override { return upstream_->kind(); }
  std::string_view name() const override { return "limit"; }

 private:
  const std::shared_ptr<MemoryResource> upstream_;
  const std::shared_ptr<Budget> budget_;
  std::mutex mutex_;
  std::unordered_map<void*, Reservation> reservations_;
};

struct ResourceStatistics {
  uint64_t allocations = 0;  // that succeeded, ever
  uint64_t failures = 0;
  uint64_t bytes = 0;  // out now
  uint64_t peak_bytes = 0;
  uint64_t total_bytes = 0;  // ever
};

/// Counts. Thread safe.
class StatisticsResource final : public MemoryResource {
 public:
  explicit StatisticsResource(std::shared_ptr<MemoryResource> upstream);
  Result<void*> allocate(size_t bytes) override;
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
  MemoryKind kind() const override { return upstream_->kind(); }
  std::string_view name() const override { return "statistics"; }
  ResourceStatistics statistics() const;

 private:
  const std::shared_ptr<MemoryResource> upstream_;
  mutable std::mutex mutex_;
  ResourceStatistics statistics_;
};

/// An allocation that is out.
struct Outstanding {
  void* pointer;
  size_t bytes;
  uint64_t number;  // the how-manieth allocation it was
};

/// Remembers what is out, and what was given back wrongly: never allocated, twice, or with another size. Such
/// a block is not passed on. Thread safe.
class TrackingResource final : public MemoryResource {
 public:
  explicit TrackingResource(std::shared_ptr<MemoryResource> upstream);
  Result<void*> allocate(size_t bytes) override;
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
  MemoryKind kind() const override { return upstream_->kind(); }
  std::string_view name() const override { return "tracking"; }
  /// What is out, oldest first.
  std::vector<Outstanding> outstanding() const;
  /// One line for each wrong return, at most 100.
  std::vector<std::string> faults() const;

 private:
  const std::shared_ptr<MemoryResource> upstream_;
  mutable std::mutex mutex_;
  uint64_t allocations_ = 0;
  std::unordered_map<void*, Outstanding> outstanding_;
  std::vector<std::string> faults_;
};

}  // namespace forebay::memory
