#include "forebay/memory/host/host_pool.h"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "forebay/base/sanitizers.h"
#include "forebay/memory/atomic_peak.h"
#include "forebay/memory/host/pages.h"
#include "forebay/memory/last_use.h"

#if FOREBAY_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace forebay::memory {
namespace {

constexpr size_t kLooks = 4;             // how many blocks set aside each request checks
constexpr uint32_t kFirstExponent = 15;  // classes start above 2^15 = kLargestSmall

// Under the address sanitizer, marks a kept block as inaccessible.
void forbid([[maybe_unused]] void* pointer, [[maybe_unused]] size_t bytes) {
#if FOREBAY_ADDRESS_SANITIZER
  __asan_poison_memory_region(pointer, bytes);
#endif
}

void allow([[maybe_unused]] void* pointer, [[maybe_unused]] size_t bytes) {
#if FOREBAY_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(pointer, bytes);
#endif
}

}  // namespace

// Eight classes per doubling: (2^k, 2^(k+1)] is divided into steps of 2^(k-3).
size_t HostPool::class_of(size_t bytes) {
  const uint32_t exponent = static_cast<uint32_t>(std::bit_width(bytes - 1)) - 1;
  const size_t units = (bytes + (size_t{1} << (exponent - 3)) - 1) >> (exponent - 3);
  return (exponent - kFirstExponent) * 8 + units - 9;
}

size_t HostPool::class_bytes(size_t index) {
  const size_t exponent = kFirstExponent + index / 8;
  return (index % 8 + 9) << (exponent - 3);
}

size_t HostPool::rounded_bytes(size_t bytes) {
  return bytes <= kLargestSmall ? bytes : class_bytes(class_of(bytes));
}

HostPool::HostPool(const HostPoolOptions& options) : options_(options) {
}

HostPool::~HostPool() {
  for (const Waiting& block : waiting_) {
    (void)wait_until_over(block.last_use);  // leak what is not over then, rather than reuse it too early
  }
  trim();
}

Result<void*> HostPool::allocate(size_t bytes) {
  return take(bytes, false);
}

Result<void*> HostPool::allocate_zeroed(size_t bytes) {
  return take(bytes, true);
}

Result<void*> HostPool::take_small(size_t bytes, bool zeroed) {
  const Result<void*> block = host_resource()->allocate(bytes);
  if (zeroed && block.ok()) {
    std::memset(*block, 0, bytes);
  }
  return block;
}

// Fresh pages from the system, which are zero. Not huge pages: blocks stay and are accessed in order, so huge
// pages gain little, and getting them may be expensive (a virtual machine whose host reclaims free ones,
// compaction).
void* HostPool::map_fresh(size_t bytes) {
  void* const pointer = map_pages(bytes, false);
  if (pointer != nullptr) {
    return pointer;
  }
  trim();
  return map_pages(bytes, false);
}

Result<void*> HostPool::take(size_t bytes, bool zeroed) {
  if (waiting_count_.load(std::memory_order_relaxed) > 0) {
    take_back_waiting(kLooks);
  }
  if (bytes <= kLargestSmall) {
    return take_small(bytes, zeroed);
  }
  if (bytes > class_bytes(kClasses - 1)) {
    return resource_exhausted("{} bytes of host memory requested at once", bytes);
  }
  const size_t index = class_of(bytes);
  const size_t rounded = class_bytes(index);
  void* pointer = take_kept(index);
  if (pointer != nullptr) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    if (zeroed) {
      std::memset(pointer, 0, bytes);
    }
  } else {
    misses_.fetch_add(1, std::memory_order_relaxed);
    pointer = map_fresh(rounded);
  }
  if (pointer == nullptr) {
    return resource_exhausted("the system could not provide {} bytes of host memory", bytes);
  }
  note_use(rounded);
  give_back_excess();
  return pointer;
}

void HostPool::deallocate(void* pointer, size_t bytes, Fence last_use) noexcept {
  if (!is_over(last_use) && keep_aside({pointer, bytes, last_use})) {
    return;
  }
  if (bytes <= kLargestSmall) {
    host_resource()->deallocate(pointer, bytes, Fence{});
    return;
  }
  const size_t index = class_of(bytes);
  in_use_bytes_.fetch_sub(class_bytes(index), std::memory_order_relaxed);
  keep(index, pointer);
  give_back_excess();
}

// Returns true if the block was set aside (or leaked, if there is no memory for that and its use does not
// end), false if its use is over after all.
bool HostPool::keep_aside(const Waiting& block) {
  if (waiting_count_.load(std::memory_order_relaxed) > 0) {
    take_back_waiting(kLooks);
  }
  try {
    const MutexLock lock(waiting_mutex_);
    waiting_.push_back(block);
    waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
    return true;
  } catch (const std::bad_alloc&) {
    return !wait_until_over(block.last_use);
  }
}

void* HostPool::take_kept(size_t index) {
  SizeClass& size_class = classes_[index];
  size_class.last_use.store(tick_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  std::lock_guard lock(shard_of(index));
  if (size_class.blocks.empty()) {
    return nullptr;
  }
  void* pointer = size_class.blocks.back();
  size_class.blocks.pop_back();
  size_class.block_count.store(static_cast<uint32_t>(size_class.blocks.size()), std::memory_order_relaxed);
  kept_bytes_.fetch_sub(class_bytes(index), std::memory_order_relaxed);
  allow(pointer, class_bytes(index));
  return pointer;
}

void HostPool::keep(size_t index, void* pointer) {
  SizeClass& size_class = classes_[index];
  size_class.last_use.store(tick_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  forbid(pointer, class_bytes(index));
  try {
    std::lock_guard lock(shard_of(index));
    size_class.blocks.push_back(pointer);
    size_class.block_count.store(static_cast<uint32_t>(size_class.blocks.size()), std::memory_order_relaxed);
    kept_bytes_.fetch_add(class_bytes(index), std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    allow(pointer, class_bytes(index));
    unmap_pages(pointer, class_bytes(index));
  }
}

// Takes the coldest block of the class that was idle longest.
void* HostPool::take_oldest(size_t& index) {
  size_t oldest = kClasses;
  for (size_t i = 0; i < kClasses; ++i) {
    if (classes_[i].block_count.load(std::memory_order_relaxed) == 0) {
      continue;
    }
    if (oldest == kClasses || classes_[i].last_use.load(std::memory_order_relaxed) <
                                  classes_[oldest].last_use.load(std::memory_order_relaxed)) {
      oldest = i;
    }
  }
  if (oldest == kClasses) {
    return nullptr;
  }
  index = oldest;
  SizeClass& size_class = classes_[oldest];
  std::lock_guard lock(shard_of(oldest));
  if (size_class.blocks.empty()) {
    return nullptr;
  }
  void* pointer = size_class.blocks.front();
  size_class.blocks.erase(size_class.blocks.begin());
  size_class.block_count.store(static_cast<uint32_t>(size_class.blocks.size()), std::memory_order_relaxed);
  kept_bytes_.fetch_sub(class_bytes(oldest), std::memory_order_relaxed);
  allow(pointer, class_bytes(oldest));
  return pointer;
}

void HostPool::note_use(size_t bytes) {
  const uint64_t in_use = in_use_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (requests_.fetch_add(1, std::memory_order_relaxed) % options_.window_requests == 0) {
    peak_before_.store(peak_now_.exchange(in_use, std::memory_order_relaxed), std::memory_order_relaxed);
  }
  raise_peak(&peak_now_, in_use);
}

uint64_t HostPool::allowed_bytes() const {
  return std::max(peak_now_.load(std::memory_order_relaxed), peak_before_.load(std::memory_order_relaxed)) +
         options_.slack_bytes;
}

void HostPool::give_back_excess() {
  while (in_use_bytes_.load(std::memory_order_relaxed) + kept_bytes_.load(std::memory_order_relaxed) >
         allowed_bytes()) {
    size_t index = 0;
    void* pointer = take_oldest(index);
    if (pointer == nullptr) {
      return;
    }
    unmap_pages(pointer, class_bytes(index));
  }
}

// Checks `looks` of the blocks set aside, from where the last call stopped, so that each gets its turn and no
// request pays for all of them.
void HostPool::take_back_waiting(size_t looks) {
  for (; looks > 0; --looks) {
    Waiting over;
    {
      const MutexLock lock(waiting_mutex_);
      if (waiting_.empty()) {
        return;
      }
      next_look_ = next_look_ < waiting_.size() ? next_look_ : 0;
      if (!is_over(waiting_[next_look_].last_use)) {
        ++next_look_;
        continue;
      }
      over = std::exchange(waiting_[next_look_], waiting_.back());
      waiting_.pop_back();
      waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
    }
    deallocate(over.pointer, over.bytes, Fence{});
  }
}

size_t HostPool::trim() {
  give_back_kept();
  take_back_waiting(waiting_count_.load(std::memory_order_relaxed));
  size_t given_back = 0;
  size_t index = 0;
  while (void* pointer = take_oldest(index)) {
    unmap_pages(pointer, class_bytes(index));
    given_back += class_bytes(index);
  }
  peak_before_.store(0, std::memory_order_relaxed);
  peak_now_.store(in_use_bytes_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return given_back;
}

HostPoolStatistics HostPool::statistics() const {
  return {.in_use_bytes = in_use_bytes_.load(),
          .kept_bytes = kept_bytes_.load(),
          .peak_bytes = std::max(peak_now_.load(), peak_before_.load()),
          .hits = hits_.load(),
          .misses = misses_.load(),
          .waiting_blocks = waiting_count_.load()};
}

void HostPool::lock_all() {
  waiting_mutex_.lock();
  for (std::mutex& shard : shards_) {
    shard.lock();
  }
}

void HostPool::unlock_all() {
  for (std::mutex& shard : shards_) {
    shard.unlock();
  }
  waiting_mutex_.unlock();
}

namespace {

// Buffers may outlive the process's statics, so the pool must too.
const std::shared_ptr<HostPool>& shared_host_pool() {
  static const std::shared_ptr<HostPool>& pool = *[] {
    auto* made = new std::shared_ptr<HostPool>(std::make_shared<HostPool>());
    static HostPool* forked = made->get();
    // Outside the analysis: a fork holds the mutexes from one function to the next.
    const auto lock = []() FOREBAY_NO_THREAD_SAFETY_ANALYSIS { forked->lock_all(); };
    const auto unlock = []() FOREBAY_NO_THREAD_SAFETY_ANALYSIS { forked->unlock_all(); };
    pthread_atfork(lock, unlock, unlock);
    return made;
  }();
  return pool;
}

// When the library is loaded: a child that is forked while a thread makes it would wait for that thread for
// ever.
[[maybe_unused]] const HostPool* const made_at_load = shared_host_pool().get();

}  // namespace

HostPool& process_host_pool() {
  return *shared_host_pool();
}

std::shared_ptr<MemoryResource> host_pool() {
  return shared_host_pool();
}

}  // namespace forebay::memory
