// A record of what is out, and of what came back wrongly.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "forebay/memory/adaptors/adaptor.h"

namespace forebay::memory {

/// An allocation that is out.
struct Outstanding {
  void* pointer;
  size_t bytes;
  uint64_t number;           // the how-manieth allocation it was
  std::vector<void*> stack;  // return addresses of who asked for it, innermost first; empty unless wanted
};

/// A line each: the function where the program has symbols (-rdynamic), else file and offset for addr2line.
std::string describe_stack(const std::vector<void*>& stack);

struct TrackingOptions {
  int stack_depth = 0;  // addresses kept of each allocation's stack; some microseconds each; at most 64
};

/// Remembers what is out, with where it was asked for if wanted, and what was given back wrongly: never
/// allocated, twice, or with another size. Such a block is not passed on. Thread safe.
class TrackingResource final : public Adaptor {
 public:
  explicit TrackingResource(std::shared_ptr<MemoryResource> upstream, const TrackingOptions& options = {});
  std::string_view name() const override { return "tracking"; }
  /// What is out, oldest first.
  std::vector<Outstanding> outstanding() const;
  /// One line for each wrong return, at most 100.
  std::vector<std::string> faults() const;

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;

  const TrackingOptions options_;
  mutable std::mutex mutex_;
  uint64_t allocations_ = 0;
  std::unordered_map<void*, Outstanding> outstanding_;
  std::vector<std::string> faults_;
};

}  // namespace forebay::memory
