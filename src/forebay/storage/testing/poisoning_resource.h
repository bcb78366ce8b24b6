// Host memory that exposes use after free: freed memory is overwritten as soon as its fence has passed, and
// not before. Records the peak of bytes that were allocated or waiting for their fence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

#include "forebay/memory/device_driver.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::storage {

/// Thread safe. The destructor waits for memory still in use.
class PoisoningResource final : public memory::MemoryResource {
 public:
  ~PoisoningResource() override {
    for (const Block& block : returned_) {
      memory::host_resource()->deallocate(block.pointer, block.bytes, block.last_use);
    }
    for (const Block& block : spoilt_) {
      memory::host_resource()->deallocate(block.pointer, block.bytes, Fence{});
    }
  }

  Result<void*> allocate(size_t bytes) override {
    std::lock_guard lock(mutex_);
    spoil_returned();
    in_use_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, in_use_bytes_);
    return memory::host_resource()->allocate(bytes);
  }

  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    std::lock_guard lock(mutex_);
    returned_.push_back({pointer, bytes, last_use});
    spoil_returned();
  }

  memory::MemoryKind kind() const override { return memory::MemoryKind::kHost; }
  std::string_view name() const override { return "poisoning"; }

  size_t peak_bytes() const {
    std::lock_guard lock(mutex_);
    return peak_bytes_;
  }
  /// Bytes that are allocated, or freed but waiting for their fence.
  size_t in_use_bytes() {
    std::lock_guard lock(mutex_);
    spoil_returned();
    return in_use_bytes_;
  }

 private:
  struct Block {
    void* pointer;
    size_t bytes;
    Fence last_use;
  };

  void spoil_returned() {
    std::erase_if(returned_, [this](const Block& block) {
      const Result<bool> passed = memory::has_passed(block.last_use);
      if (passed.ok() && !*passed) {
        return false;
      }
      std::memset(block.pointer, 0xEE, block.bytes);
      in_use_bytes_ -= block.bytes;
      spoilt_.push_back(block);
      return true;
    });
  }

  mutable std::mutex mutex_;
  std::vector<Block> returned_;
  std::vector<Block> spoilt_;  // kept, so that a late reader sees only overwritten bytes
  size_t in_use_bytes_ = 0;
  size_t peak_bytes_ = 0;
};

}  // namespace forebay::storage
