// The executor's services at their worst: memory full of old content, refusals, exceptions, and parallel_for
// in any order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

#include "forebay/memory/host/scratch.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/operators/sample.h"

namespace forebay::operators::testing {

enum class Refusal {
  kNone,
  kStatus,  // the request returns an error
  kThrow,   // the request throws std::bad_alloc
};

enum class ParallelOrder { kForwards, kBackwards, kThreads };

struct Pressure {
  uint8_t old_content = 0xA5;  // fills outputs and scratch memory
  ParallelOrder order = ParallelOrder::kForwards;
  Refusal refusal = Refusal::kNone;
  int refused_request = 0;  // the number of the refused request, from 0
};

inline constexpr char kRefusal[] = "refused for the conformance suite";

/// Where outputs come from: it knows how many of them there are.
class CountedOutputs final : public memory::MemoryResource {
 public:
  static const std::shared_ptr<CountedOutputs>& of_process() {
    static const auto* const outputs = new auto(std::make_shared<CountedOutputs>());
    return *outputs;
  }

  Result<void*> allocate(size_t bytes) override {
    Result<void*> block = pool_->allocate(bytes);
    blocks_ += block.ok() ? 1 : 0;
    return block;
  }
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    --blocks_;
    pool_->deallocate(pointer, bytes, last_use);
  }
  memory::MemoryKind kind() const override { return pool_->kind(); }
  std::string_view name() const override { return "counted"; }

  int64_t blocks() const { return blocks_; }

 private:
  const std::shared_ptr<memory::MemoryResource> pool_ = memory::host_pool();
  std::atomic<int64_t> blocks_{0};
};

class PressedServices final : public SampleServices {
 public:
  explicit PressedServices(const Pressure& pressure) : pressure_(pressure) {}

  Result<Tensor> allocate_output(int, const TensorSpec& spec) override {
    FOREBAY_RETURN_IF_ERROR(request());
    FOREBAY_ASSIGN_OR_RETURN(Tensor output, Tensor::allocate(spec, CountedOutputs::of_process()));
    fill(output.mutable_view().bytes());
    return output;
  }

  Result<MutableBytes> scratch(size_t bytes) override {
    FOREBAY_RETURN_IF_ERROR(request());
    const std::lock_guard lock(mutex_);
    FOREBAY_ASSIGN_OR_RETURN(scratch_.emplace_back(), memory::Buffer::allocate(bytes));
    fill(scratch_.back()->mutable_bytes());
    return scratch_.back()->mutable_bytes();
  }

  Status reserve(size_t) override { return request(); }

  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override {
    if (pressure_.order == ParallelOrder::kThreads) {
      return run_on_threads(count, function);
    }
    for (int64_t i = 0; i < count; ++i) {
      function(pressure_.order == ParallelOrder::kForwards ? i : count - 1 - i);
    }
  }

  /// The scratch memory that kernels allocate; its requests count like the others.
  memory::MemoryResource& scratch_resource() { return scratch_resource_; }

  /// How many times memory was requested.
  int requests() const { return requests_; }

 private:
  class ScratchResource final : public memory::MemoryResource {
   public:
    explicit ScratchResource(PressedServices& services) : services_(services) {}
    Result<void*> allocate(size_t bytes) override {
      FOREBAY_RETURN_IF_ERROR(services_.request());
      FOREBAY_ASSIGN_OR_RETURN(void* const memory, pool_->allocate(bytes));
      services_.fill(MutableBytes(static_cast<std::byte*>(memory), bytes));
      return memory;
    }
    void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
      pool_->deallocate(pointer, bytes, last_use);
    }
    memory::MemoryKind kind() const override { return pool_->kind(); }
    std::string_view name() const override { return "pressed"; }

   private:
    PressedServices& services_;
    std::shared_ptr<memory::MemoryResource> pool_ = memory::host_pool();
  };

  Status request() {
    const std::lock_guard lock(mutex_);
    if (requests_++ != pressure_.refused_request || pressure_.refusal == Refusal::kNone) {
      return ok_status();
    }
    if (pressure_.refusal == Refusal::kThrow) {
      throw std::bad_alloc();
    }
    return resource_exhausted(kRefusal);
  }

  void fill(MutableBytes bytes) const {
    if (!bytes.empty()) {
      std::memset(bytes.data(), pressure_.old_content, bytes.size());
    }
  }

  // Distributes the items over four threads, each taking every fourth one, last first.
  void run_on_threads(int64_t count, const std::function<void(int64_t)>& function) {
    constexpr int64_t kThreads = 4;
    std::vector<std::thread> threads;
    for (int64_t first = std::min(count, kThreads) - 1; first >= 0; --first) {
      threads.emplace_back([this, first, count, &function] {
        const memory::ScratchScope scratch(scratch_resource_);
        for (int64_t i = first; i < count; i += kThreads) {
          function(i);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }

  Pressure pressure_;
  ScratchResource scratch_resource_{*this};
  std::mutex mutex_;
  std::deque<memory::BufferRef> scratch_;
  int requests_ = 0;
};

}  // namespace forebay::operators::testing
