#include "forebay/memory/last_use.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <new>

#include "forebay/base/sync/mutex.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/device_graph.h"

namespace forebay::memory {
namespace {

// The driver to query about a fence; null if its use is over without asking.
const DeviceDriver* driver_to_ask(const Fence& last_use) {
  return last_use.is_trivial() ? nullptr : find_driver(last_use.driver);
}

bool has_stopped(const DeviceDriver& driver, int answer) {
  return answer < 0 && driver.is_final(driver.context, answer) != 0;
}

bool is_over(const DeviceDriver& driver, const Fence& last_use) {
  const int answer = driver.query(driver.context, last_use.queue, last_use.sequence);
  return answer > 0 || has_stopped(driver, answer);
}

struct KeptBlock {
  std::vector<Fence> uses;
  absl::AnyInvocable<void()> give_back;
};

struct KeptBlocks {
  Mutex mutex;
  std::vector<KeptBlock> blocks FOREBAY_GUARDED_BY(mutex);
  std::atomic<size_t> count{0};  // of blocks, readable without the mutex
};

KeptBlocks& kept_blocks() {
  // Never destroyed: memory may be freed during process exit.
  static KeptBlocks* const instance = new KeptBlocks;
  return *instance;
}

}  // namespace

Fence end_of_queue(uint32_t driver, uint32_t queue) {
  const DeviceDriver* const table = find_driver(driver);
  if (table == nullptr || driver == kHostDriver) {
    return Fence{};
  }
  Fence end{.driver = driver, .queue = queue, .sequence = kEndOfQueue};
  if (is_capturing()) {
    return end;
  }
  uint64_t sequence = 0;
  const int answer = table->record(table->context, queue, &sequence);
  if (has_stopped(*table, answer)) {
    return Fence{};
  }
  if (answer >= 0) {
    end.sequence = sequence;
  }
  return end;
}

bool is_over(const Fence& last_use) {
  const DeviceDriver* const table = driver_to_ask(last_use);
  return table == nullptr || (!is_capturing() && is_over(*table, last_use));
}

bool wait_until_over(const Fence& last_use) {
  const DeviceDriver* const table = driver_to_ask(last_use);
  if (table == nullptr) {
    return true;
  }
  if (is_capturing()) {
    return false;
  }
  const int answer = table->wait(table->context, last_use.queue, last_use.sequence);
  // The error may be that of work before the point, which is over all the same.
  return answer >= 0 || has_stopped(*table, answer) || is_over(*table, last_use);
}

void keep_until_over(std::vector<Fence> uses, absl::AnyInvocable<void()> give_back) noexcept {
  KeptBlocks& kept = kept_blocks();
  give_back_kept();
  try {
    const MutexLock lock(kept.mutex);
    kept.blocks.push_back({.uses = std::move(uses), .give_back = std::move(give_back)});
    kept.count.store(kept.blocks.size(), std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    // Leaked, as documented.
  }
}

size_t give_back_kept() noexcept {
  KeptBlocks& kept = kept_blocks();
  if (kept.count.load(std::memory_order_relaxed) == 0) [[likely]] {
    return 0;
  }
  std::vector<KeptBlock> over;
  size_t remaining = 0;
  {
    const MutexLock lock(kept.mutex);
    const auto first_over =
        std::partition(kept.blocks.begin(), kept.blocks.end(), [](const KeptBlock& block) {
          return !std::ranges::all_of(block.uses, [](const Fence& use) { return is_over(use); });
        });
    try {
      over.assign(std::move_iterator(first_over), std::move_iterator(kept.blocks.end()));
      kept.blocks.erase(first_over, kept.blocks.end());
    } catch (const std::bad_alloc&) {
      // They stay until the next call.
    }
    remaining = kept.blocks.size();
    kept.count.store(remaining, std::memory_order_relaxed);
  }
  for (KeptBlock& block : over) {
    block.give_back();
  }
  return remaining;
}

}  // namespace forebay::memory
