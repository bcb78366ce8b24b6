// Forebay's pool behind the benchmark's allocator.
#pragma once

#include "forebay/memory/pool.h"
#include "pool/holes.h"

namespace pool_benchmark {

class ForebayPool {
 public:
  explicit ForebayPool(size_t cache_bytes)
      : pool_(*forebay::memory::Pool::create(
            {.maximum_bytes = kMaximumBytes, .initial_bytes = kMaximumBytes, .cache_bytes = cache_bytes})) {}
  void* allocate(size_t bytes, uint32_t queue) { return *pool_->allocate_on(bytes, {0, queue}); }
  void deallocate(void* pointer, size_t bytes, uint32_t queue) {
    pool_->deallocate_on(pointer, bytes, {0, queue});
  }

 private:
  static constexpr size_t kMaximumBytes = size_t{2} << 30;
  const std::shared_ptr<forebay::memory::Pool> pool_;
};

inline int run_forebay(const contender::Task& task, size_t cache_bytes) {
  ForebayPool pool(cache_bytes);
  run(task, {{"forebay", FOREBAY_VERSION}}, pool);
  return 0;
}

}  // namespace pool_benchmark
