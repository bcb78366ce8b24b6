// Blocks come back to a pool even when the process has no memory left: that path may not throw.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/pool/pool.h"

namespace {

thread_local bool news_fail = false;

void* take(size_t bytes, size_t alignment) {
  void* block = nullptr;
  if (news_fail || ::posix_memalign(&block, alignment, bytes) != 0) {
    throw std::bad_alloc();
  }
  return block;
}

}  // namespace

void* operator new(size_t bytes) {
  return take(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<size_t>(alignment));
}
// Sanitizers' own would not call the one above.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return news_fail ? nullptr : std::malloc(bytes);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t, std::align_val_t) noexcept {
  std::free(block);
}

namespace forebay::memory {
namespace {

class PoolMemoryFailureTest : public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 4096;

  void give_back_without_memory(void* block, Queue queue) {
    news_fail = true;
    pool_->deallocate_on(block, kBytes, queue);
    news_fail = false;
    EXPECT_EQ(pool_->statistics().out_bytes, 0u);
  }

  const std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.memory_bytes = kBytes});
  const std::shared_ptr<Pool> pool_ = *Pool::create({.maximum_bytes = size_t{1} << 20, .cache_bytes = 0});
};

TEST_F(PoolMemoryFailureTest, ABlockComesBackFromAQueueThatIsNew) {
  give_back_without_memory(*pool_->allocate(kBytes), {device_->driver(), 1});
}

TEST_F(PoolMemoryFailureTest, TheFirstBlockOfAQueueComesBack) {
  const Queue queue{device_->driver(), 0};
  give_back_without_memory(*pool_->allocate_on(kBytes, queue), queue);
}

}  // namespace
}  // namespace forebay::memory
