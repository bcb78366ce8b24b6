#include "forebay/memory/adaptors/tracking_resource.h"

#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace forebay::memory {
namespace {

constexpr size_t kMaxFaults = 100;
constexpr int kMaxDepth = 64;
constexpr int kOwnFrames = 3;  // this function, take(), allocate() or allocate_on()

std::vector<void*> capture_stack(int depth) {
  if (depth <= 0) {
    return {};
  }
  std::array<void*, kMaxDepth + kOwnFrames> frames;
  const int count = backtrace(frames.data(), std::min(depth, kMaxDepth) + kOwnFrames);
  return count <= kOwnFrames ? std::vector<void*>{}
                             : std::vector<void*>(frames.begin() + kOwnFrames, frames.begin() + count);
}

}  // namespace

std::string describe_stack(const std::vector<void*>& stack) {
  std::string text;
  char** const lines = backtrace_symbols(stack.data(), static_cast<int>(stack.size()));
  for (size_t i = 0; lines != nullptr && i < stack.size(); ++i) {
    text += fmt::format("#{} {}\n", i, lines[i]);
  }
  std::free(lines);
  return text;
}

TrackingResource::TrackingResource(std::shared_ptr<MemoryResource> upstream, const TrackingOptions& options)
    : Adaptor(std::move(upstream)), options_(options) {
}

Result<void*> TrackingResource::take(size_t bytes, const Queue* queue) {
  std::vector<void*> stack = capture_stack(options_.stack_depth);
  FOREBAY_ASSIGN_OR_RETURN(void* pointer, take_upstream(bytes, queue));
  const MutexLock lock(mutex_);
  outstanding_[pointer] = {pointer, bytes, ++allocations_, std::move(stack)};
  return pointer;
}

void TrackingResource::give(void* pointer, size_t bytes, const LastUse& last_use) noexcept {
  {
    const MutexLock lock(mutex_);
    const auto found = outstanding_.find(pointer);
    const bool is_known = found != outstanding_.end();
    if (!is_known || found->second.bytes != bytes) {
      if (faults_.size() < kMaxFaults) {
        faults_.push_back(is_known ? fmt::format("{} given back with {} bytes instead of {}",
                                                 fmt::ptr(pointer), bytes, found->second.bytes)
                                   : fmt::format("{} given back, but it is not out", fmt::ptr(pointer)));
      }
      return;
    }
    outstanding_.erase(found);
  }
  give_upstream(pointer, bytes, last_use);
}

std::vector<Outstanding> TrackingResource::outstanding() const {
  std::vector<Outstanding> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [pointer, entry] : outstanding_) {
      all.push_back(entry);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return all;
}

std::vector<std::string> TrackingResource::faults() const {
  const MutexLock lock(mutex_);
  return faults_;
}

}  // namespace forebay::memory
