// Forebay's pool behind the benchmark's allocator.
#pragma once

#include <functional>
#include <memory>

#include "forebay/memory/pool/pool.h"
#include "pool/holes.h"

namespace pool_benchmark {

using PoolRef = std::shared_ptr<forebay::memory::Pool>;

/// The pool itself, or what an adaptor makes of it.
template <class Resource>
class ForebayResource {
 public:
  explicit ForebayResource(std::shared_ptr<Resource> resource) : resource_(std::move(resource)) {}
  void* allocate(size_t bytes, uint32_t queue) { return *resource_->allocate_on(bytes, {0, queue}); }
  void deallocate(void* pointer, size_t bytes, uint32_t queue) {
    resource_->deallocate_on(pointer, bytes, {0, queue});
  }

 private:
  const std::shared_ptr<Resource> resource_;
};

/// `adapt` is given the pool and gives what is measured.
template <class Adapt = std::identity>
int run_forebay(const contender::Task& task, size_t cache_bytes, Adapt adapt = {}) {
  constexpr size_t kMaximumBytes = size_t{2} << 30;
  const PoolRef pool = *forebay::memory::Pool::create(
      {.maximum_bytes = kMaximumBytes, .initial_bytes = kMaximumBytes, .cache_bytes = cache_bytes});
  ForebayResource resource(adapt(pool));
  run(task, {{"forebay", FOREBAY_VERSION}}, resource);
  return 0;
}

}  // namespace pool_benchmark
