// Tracks outstanding allocations and invalid frees.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/memory/adaptors/adaptor.h"

namespace forebay::memory {

/// An allocation that has not been freed.
struct Outstanding {
  void* pointer;
  size_t bytes;
  uint64_t number;  // serial number of the allocation
  // Return addresses of the requesting stack, innermost first; empty unless enabled.
  std::vector<void*> stack;
};

/// Formats a stack, one line per address: the function if the program has symbols (-rdynamic), else file and
/// offset for addr2line.
std::string describe_stack(const std::vector<void*>& stack);

struct TrackingOptions {
  int stack_depth = 0;  // stack addresses kept for each allocation, at some microseconds each; at most 64
};

/// Tracks outstanding allocations, with their stacks if enabled, and invalid frees: never allocated, freed
/// twice, or with another size. Such a block is not forwarded. Thread safe.
class TrackingResource final : public Adaptor {
 public:
  explicit TrackingResource(std::shared_ptr<MemoryResource> upstream, const TrackingOptions& options = {});
  std::string_view name() const override { return "tracking"; }
  /// Outstanding allocations, oldest first.
  std::vector<Outstanding> outstanding() const;
  /// One line for each invalid free, at most 100.
  std::vector<std::string> faults() const;

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;

  const TrackingOptions options_;
  mutable Mutex mutex_;
  uint64_t allocations_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::unordered_map<void*, Outstanding> outstanding_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::string> faults_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::memory
