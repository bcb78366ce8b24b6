// Shows that a pool keeps every reuse of memory across queues in order: seeded schedules on the simulated
// device, where each piece of work marks the memory it uses and later finds its marks again, unless the order
// was broken. Also shows that each place in the code that keeps the order is needed: without any one of them,
// the same schedules fail.
#include "forebay/memory/pool/pool_ordering.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "forebay/base/sanitizers.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/pool/pool_definitions.h"

namespace forebay::memory {
namespace {

template <OrderingSite Without>
struct OrderingWithout {
  static constexpr bool enforces(OrderingSite site) { return site != Without; }
};

constexpr uint32_t kQueues = 3;
constexpr uint32_t kUnits = 64;  // size of the pool; the device has a little more
constexpr size_t kDeviceBytes = (kUnits + 32) * kUnitBytes;
constexpr int kSchedules = 10000;
constexpr int kSteps = 40;

struct Use {
  std::byte* start;
  size_t bytes;
  uint32_t queue;  // kQueues means the host
  uint32_t tag;
  bool is_used;
};

/// One run of allocations, work and frees, all drawn from a seed. `marks_` mirrors the memory, one mark per
/// unit, so that host and device can both read it.
template <class Ordering>
class Schedule {
 public:
  Schedule(const std::shared_ptr<SimulatedDevice>& device, std::byte* memory, uint64_t seed)
      : device_(device), memory_(memory), random_(seed), marks_(kDeviceBytes / kUnitBytes) {
    device_->reseed(seed);
    const bool at_once = random_() % 2 == 0;
    pool_ = *OrderedPool::create({.upstream = device_->resource(),
                                  .maximum_bytes = kUnits * kUnitBytes,
                                  .initial_bytes = at_once ? kUnits * kUnitBytes : 0,
                                  .growth_bytes = 4096,
                                  .cache_bytes = random_() % 2 * 8 * kUnitBytes});
  }

  /// Returns true if no piece of work ever found another's marks.
  bool is_in_order() {
    for (int step = 0; step < kSteps; ++step) {
      take_step();
    }
    while (!live_.empty()) {
      give_back();
    }
    pool_.reset();
    EXPECT_TRUE(device_->synchronize().ok());
    EXPECT_EQ(device_->bytes_in_use(), 0);
    return is_in_order_;
  }

 private:
  using OrderedPool = BasicPool<NoPoolChecks, Ordering>;

  void take_step() {
    const uint32_t what = random_() % 16;
    if (what < 7) {
      request();
    } else if (what < 13 && !live_.empty()) {
      give_back();
    } else if (what == 13) {
      device_->step();
    } else if (what == 14) {
      pool_->trim();
    } else {
      use_upstream();
    }
  }

  void mark(const Use& use) {
    const size_t first = static_cast<size_t>(use.start - memory_) / kUnitBytes;
    std::fill_n(marks_.begin() + static_cast<ptrdiff_t>(first), use.bytes / kUnitBytes, use.tag);
  }

  void look(const Use& use) {
    const size_t first = static_cast<size_t>(use.start - memory_) / kUnitBytes;
    for (size_t unit = first; unit < first + use.bytes / kUnitBytes; ++unit) {
      is_in_order_ = is_in_order_ && marks_[unit] == use.tag;
    }
  }

  void submit(const Use& use, void (Schedule::*work)(const Use&)) {
    EXPECT_TRUE(device_
                    ->submit(use.queue,
                             [this, use, work] {
                               (this->*work)(use);
                               return ok_status();
                             })
                    .ok());
  }

  Queue queue_of(uint32_t number) const { return {device_->driver(), number}; }

  void request() {
    const auto queue = static_cast<uint32_t>(random_() % (kQueues + 1));
    const size_t bytes = (1 + random_() % (random_() % 8 == 0 ? kUnits : 12)) * kUnitBytes;
    const Result<void*> block =
        queue == kQueues ? pool_->allocate(bytes) : pool_->allocate_on(bytes, queue_of(queue));
    if (!block.ok()) {
      return;
    }
    Use use{static_cast<std::byte*>(*block), bytes, queue, ++tags_, random_() % 8 != 0};
    if (queue == kQueues) {
      mark(use);
    } else if (use.is_used) {
      submit(use, &Schedule::mark);
    }
    live_.push_back(use);
  }

  void give_back() {
    std::swap(live_[random_() % live_.size()], live_.back());
    Use use = live_.back();
    live_.pop_back();
    if (use.queue == kQueues) {
      look(use);
      pool_->deallocate(use.start, use.bytes, Fence{});
      return;
    }
    if (!use.is_used) {
      pool_->deallocate(use.start, use.bytes, Fence{});
      return;
    }
    if (random_() % 8 == 0) {
      move_to_another_queue(use);
    }
    submit(use, &Schedule::look);
    if (random_() % 2 == 0) {
      pool_->deallocate_on(use.start, use.bytes, queue_of(use.queue));
    } else {
      const Fence fence = *device_->record(use.queue);
      if (random_() % 2 == 0) {
        EXPECT_TRUE(device_->submit(use.queue, [] { return ok_status(); }).ok());
      }
      pool_->deallocate(use.start, use.bytes, fence);
    }
  }

  // Continues using a block on another queue, as a user would.
  void move_to_another_queue(Use& use) {
    const Fence fence = *device_->record(use.queue);
    use.queue = (use.queue + 1) % kQueues;
    EXPECT_TRUE(wait_on_queue(device_->driver(), use.queue, fence).ok());
  }

  // Somebody else needs the device's memory for a moment.
  void use_upstream() {
    const auto upstream = device_->resource();
    const Result<void*> block = upstream->allocate(8 * kUnitBytes);
    if (!block.ok()) {
      return;
    }
    const Use use{static_cast<std::byte*>(*block), 8 * kUnitBytes, kQueues, ++tags_, true};
    mark(use);
    device_->step();
    device_->step();
    look(use);
    upstream->deallocate(*block, use.bytes, Fence{});
  }

  const std::shared_ptr<SimulatedDevice> device_;
  std::byte* const memory_;
  std::mt19937_64 random_;
  std::vector<uint32_t> marks_;
  std::shared_ptr<OrderedPool> pool_;
  std::vector<Use> live_;
  uint32_t tags_ = 0;
  bool is_in_order_ = true;
};

/// Returns the first seed whose schedule fails; -1 if none of `schedules` does.
template <class Ordering>
int first_failure(int schedules) {
  const auto device = *SimulatedDevice::create({.queues = kQueues, .memory_bytes = kDeviceBytes});
  auto* const memory = static_cast<std::byte*>(*device->resource()->allocate(1));
  device->resource()->deallocate(memory, 1, Fence{});
  for (int seed = 0; seed < schedules; ++seed) {
    if (!Schedule<Ordering>(device, memory, static_cast<uint64_t>(seed)).is_in_order()) {
      return seed;
    }
  }
  return -1;
}

TEST(PoolOrdering, EveryReuseAcrossQueuesIsOrdered) {
  // Sanitizers look for other things and are slow.
  EXPECT_EQ(first_failure<StrictOrdering>(kIsSanitized ? kSchedules / 5 : kSchedules), -1)
      << "the seed of a schedule that went wrong";
}

template <class Ordering>
class PoolOrderingWithout : public ::testing::Test {};

using Mutations =
    ::testing::Types<OrderingWithout<OrderingSite::kSteal>, OrderingWithout<OrderingSite::kKnown>,
                     OrderingWithout<OrderingSite::kCovered>, OrderingWithout<OrderingSite::kShare>,
                     OrderingWithout<OrderingSite::kGather>, OrderingWithout<OrderingSite::kCombine>,
                     OrderingWithout<OrderingSite::kExplicit>, OrderingWithout<OrderingSite::kAllocated>,
                     OrderingWithout<OrderingSite::kReturn>>;
TYPED_TEST_SUITE(PoolOrderingWithout, Mutations);

TYPED_TEST(PoolOrderingWithout, OnePlaceGoesWrong) {
  const int seed = first_failure<TypeParam>(kSchedules);
  EXPECT_NE(seed, -1) << "the schedules do not need this place";
  this->RecordProperty("first_failure", seed);
}

}  // namespace
}  // namespace forebay::memory
