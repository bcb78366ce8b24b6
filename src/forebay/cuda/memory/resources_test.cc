// The resources of this folder against the conformance suite, alone and under the pool.
#include "forebay/cuda/memory/resources.h"

#include <gtest/gtest.h>

#include "forebay/base/units.h"
#include "forebay/cuda/memory/async_resource.h"
#include "forebay/cuda/memory/prefetch_resource.h"
#include "forebay/cuda/testing/gpu.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/memory/testing/memory_resource_conformance.h"

namespace forebay::cuda {
namespace {

using memory::check_conformance;
using memory::MemoryKind;
using memory::MemoryResource;
using memory::Pool;

class CudaResources : public GpuTest {
 protected:
  void check_under_pool(std::shared_ptr<MemoryResource> upstream) {
    check_conformance({.make = [upstream] {
      return *Pool::create({.upstream = upstream, .maximum_bytes = 64 * kMiB, .growth_bytes = 4 * kMiB});
    }});
  }
};

TEST_F(CudaResources, DeviceMemoryConforms) {
  EXPECT_EQ(device_resource(device_)->kind(), MemoryKind::kDevice);
  check_conformance({.make = [this] { return device_resource(device_); }});
  check_under_pool(device_resource(device_));
}

TEST_F(CudaResources, PinnedMemoryConforms) {
  EXPECT_EQ(pinned_resource(device_)->kind(), MemoryKind::kPinned);
  check_conformance({.make = [this] { return pinned_resource(device_); }});
  check_under_pool(pinned_resource(device_));
}

TEST_F(CudaResources, ManagedMemoryConforms) {
  EXPECT_EQ(managed_resource(device_)->kind(), MemoryKind::kManaged);
  check_conformance({.make = [this] { return managed_resource(device_); }});
  check_under_pool(managed_resource(device_));
}

class CudaAsync : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_ == nullptr) {
      return;
    }
    if (!device_->facts().has_memory_pools) {
      GTEST_SKIP() << "the device has no memory pools";
    }
    resource_ = shared();
  }

  std::shared_ptr<AsyncResource> resource_;

 private:
  std::shared_ptr<AsyncResource> shared() {
    // One for all tests, because each takes a queue of the device. Never destroyed, like the device.
    static const auto& resource = *new std::shared_ptr<AsyncResource>(*AsyncResource::create(device_));
    return resource;
  }
};

TEST_F(CudaAsync, Conforms) {
  check_conformance({.make = [this] { return resource_; }});
}

TEST_F(CudaAsync, ABlockIsUsedAgainInTheOrderOfItsQueueWithoutWaiting) {
  void* const warm = *resource_->allocate_on(kMiB, queue(0));
  resource_->deallocate_on(warm, kMiB, queue(0));
  HeldQueue held(*device_, 0);
  void* const first = *resource_->allocate_on(kMiB, queue(0));
  resource_->deallocate_on(first, kMiB, queue(0));
  void* const second = *resource_->allocate_on(kMiB, queue(0));
  EXPECT_EQ(first, second);
  resource_->deallocate(second, kMiB, *memory::record(device_->driver(), 0));
  held.resume();
}

TEST_F(CudaAsync, ABlockPassesFromQueueToQueue) {
  void* const block = *resource_->allocate_on(kMiB, queue(0));
  const Fence handed = *memory::record(device_->driver(), 0);
  ASSERT_EQ(memory::wait_on_queue(device_->driver(), 1, handed), ok_status());
  resource_->deallocate_on(block, kMiB, queue(1));
  EXPECT_EQ(device_->synchronize(), ok_status());
  EXPECT_EQ(resource_->trim(), ok_status());
  EXPECT_EQ(*resource_->reserved_bytes(), 0);
}

TEST_F(CudaAsync, RefusesAnotherDriversQueue) {
  EXPECT_EQ(resource_->allocate_on(1, {.driver = 255, .queue = 0}).status().code(),
            StatusCode::kInvalidArgument);
}

class CudaPrefetch : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_ != nullptr && !device_->facts().has_concurrent_managed) {
      GTEST_SKIP() << "the device cannot share managed memory with the host";
    }
  }

  int place_of(void* pointer, size_t bytes) const {
    int place = -100;
    const ContextScope scope(*device_->context());
    EXPECT_EQ(device_->context()->functions().managed_attribute(&place, sizeof(place), kLastPrefetchPlace,
                                                                reinterpret_cast<Address>(pointer), bytes),
              kSuccess);
    return place;
  }
};

// Small on purpose: it shows that blocks are migrated, and leaves the device to others.
TEST_F(CudaPrefetch, ABlockForAQueueIsMovedThereAndBackForTheHost) {
  constexpr int kOnHost = -1;
  const std::shared_ptr<Pool> pool = *Pool::create(
      {.upstream = managed_resource(device_), .maximum_bytes = 16 * kMiB, .initial_bytes = 16 * kMiB});
  const std::shared_ptr<PrefetchResource> moving = *PrefetchResource::create(pool, device_);
  void* const block = *moving->allocate_on(4 * kMiB, queue(1));
  EXPECT_EQ(memory::wait(*memory::record(device_->driver(), 1)), ok_status());
  EXPECT_EQ(place_of(block, 4 * kMiB), device_->facts().number);
  EXPECT_EQ(prefetch(*device_, 1, block, 4 * kMiB, Place::kHost), ok_status());
  EXPECT_EQ(memory::wait(*memory::record(device_->driver(), 1)), ok_status());
  EXPECT_EQ(place_of(block, 4 * kMiB), kOnHost);
  std::memset(block, 1, 4 * kMiB);
  moving->deallocate_on(block, 4 * kMiB, queue(1));

  void* const small = *moving->allocate_on(256, queue(1));
  void* const for_host = *moving->allocate(kMiB);
  moving->deallocate_on(small, 256, queue(1));
  moving->deallocate(for_host, kMiB, Fence{});
  EXPECT_EQ(moving->statistics().prefetches, 1);
  EXPECT_EQ(moving->statistics().bytes, 4 * kMiB);
  EXPECT_EQ(moving->statistics().refused, 0);
}

TEST_F(CudaPrefetch, RefusesMemoryThatDoesNotMove) {
  EXPECT_EQ(PrefetchResource::create(device_resource(device_), device_).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(CudaPrefetch, Conforms) {
  check_conformance(
      {.make = [this] { return *PrefetchResource::create(managed_resource(device_), device_); }});
}

}  // namespace
}  // namespace forebay::cuda
