#include "forebay/memory/requests/replay.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <thread>
#include <unordered_map>

#include "forebay/base/clock.h"
#include "forebay/memory/device_driver.h"

namespace forebay::memory {
namespace {

constexpr size_t kMaxThreads = 1024;

enum class BlockState : uint32_t { kAwaited, kOut, kRefused, kReturned };

/// A block in the log and its current counterpart.
struct ReplayedBlock {
  uint64_t bytes = 0;
  std::optional<Queue> queue;  // none: the host
  void* pointer = nullptr;
  std::atomic<BlockState> state{BlockState::kAwaited};
};

struct Step {
  uint64_t turn;  // its position in the whole log
  bool is_allocation;
  std::optional<Queue> queue;
  ReplayedBlock* block;
};

bool is_of_default(const Request& request) {
  return request.queue == Queue{};
}

/// The prepared log: a list of steps for each thread.
class Plan {
 public:
  Plan(const std::vector<Request>& log, uint32_t driver)
      : driver_(driver), default_is_queue_(driver != kHostDriver && std::ranges::all_of(log, is_of_default)) {
    for (const Request& request : log) {
      add(request);
    }
  }

  uint64_t skipped() const { return skipped_; }
  uint64_t peak_bytes() const { return peak_bytes_; }
  uint32_t queues() const { return static_cast<uint32_t>(queues_.size()); }
  const std::map<uint32_t, std::vector<Step>>& threads() const { return threads_; }
  std::deque<ReplayedBlock>& blocks() { return blocks_; }

 private:
  void add(const Request& request) {
    if (request.action == RequestAction::kFailure) {
      ++skipped_;
      return;
    }
    ReplayedBlock* block = nullptr;
    if (request.action == RequestAction::kAllocate) {
      block = &blocks_.emplace_back();
      block->bytes = request.bytes;
      block->queue = queue_of(request.queue);
      // The log lost the free of a block that was allocated there; that block stays allocated.
      out_[request.pointer] = block;
      bytes_ += request.bytes;
      peak_bytes_ = std::max(peak_bytes_, bytes_);
    } else {
      const auto found = out_.find(request.pointer);
      if (found == out_.end()) {
        ++skipped_;
        return;
      }
      block = found->second;
      out_.erase(found);
      bytes_ -= block->bytes;
    }
    threads_[request.thread].push_back(
        {turns_++, request.action == RequestAction::kAllocate, queue_of(request.queue), block});
  }

  std::optional<Queue> queue_of(Queue queue) {
    if (queue == Queue{} && !default_is_queue_) {
      return std::nullopt;
    }
    const uint64_t key = uint64_t{queue.driver} << 32 | queue.queue;
    const auto [found, is_new] = queues_.try_emplace(key, static_cast<uint32_t>(queues_.size()));
    return Queue{.driver = driver_, .queue = found->second};
  }

  const uint32_t driver_;
  const bool default_is_queue_;
  uint64_t turns_ = 0;
  uint64_t skipped_ = 0;
  uint64_t bytes_ = 0;
  uint64_t peak_bytes_ = 0;
  std::deque<ReplayedBlock> blocks_;
  std::unordered_map<uint64_t, ReplayedBlock*> out_;
  std::unordered_map<uint64_t, uint32_t> queues_;
  std::map<uint32_t, std::vector<Step>> threads_;
};

/// The state that threads share.
class Player {
 public:
  Player(MemoryResource& resource, bool is_in_order, const Clock& clock)
      : resource_(resource), is_in_order_(is_in_order), clock_(clock) {}

  void play(const std::vector<Step>& steps) {
    int64_t inside_ns = 0;
    for (const Step& step : steps) {
      if (is_in_order_) {
        await_turn(step.turn);
      }
      if (!step.is_allocation) {
        step.block->state.wait(BlockState::kAwaited, std::memory_order_acquire);
      }
      const int64_t begin_ns = clock_.now_ns();
      step.is_allocation ? allocate(step) : give_back(step);
      inside_ns += clock_.now_ns() - begin_ns;
      if (is_in_order_) {
        turn_.store(step.turn + 1, std::memory_order_release);
        turn_.notify_all();
      }
    }
    inside_ns_ += inside_ns;
  }

  void fill(ReplayReport& report) {
    report.allocations = allocations_;
    report.failures = failures_;
    report.frees = frees_;
    report.first_failure = first_failure_;
    const uint64_t requests = allocations_ + failures_ + frees_;
    report.ns_per_request =
        requests == 0 ? 0 : static_cast<double>(inside_ns_) / static_cast<double>(requests);
  }

  void give_back(ReplayedBlock& block, std::optional<Queue> queue) {
    if (queue) {
      resource_.deallocate_on(block.pointer, block.bytes, *queue);
    } else {
      resource_.deallocate(block.pointer, block.bytes, Fence{});
    }
  }

 private:
  void await_turn(uint64_t turn) {
    for (uint64_t now = turn_.load(std::memory_order_acquire); now != turn;
         now = turn_.load(std::memory_order_acquire)) {
      turn_.wait(now, std::memory_order_acquire);
    }
  }

  void allocate(const Step& step) {
    const Result<void*> pointer = step.queue ? resource_.allocate_on(step.block->bytes, *step.queue)
                                             : resource_.allocate(step.block->bytes);
    if (pointer.ok()) {
      step.block->pointer = *pointer;
      allocations_.fetch_add(1, std::memory_order_relaxed);
    } else if (failures_.fetch_add(1) == 0) {
      first_failure_ = pointer.status();
    }
    step.block->state.store(pointer.ok() ? BlockState::kOut : BlockState::kRefused,
                            std::memory_order_release);
    if (!is_in_order_) {
      step.block->state.notify_all();
    }
  }

  void give_back(const Step& step) {
    if (step.block->state.load(std::memory_order_relaxed) == BlockState::kOut) {
      give_back(*step.block, step.queue);
      step.block->state.store(BlockState::kReturned, std::memory_order_relaxed);
      frees_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  MemoryResource& resource_;
  const bool is_in_order_;
  const Clock& clock_;
  std::atomic<uint64_t> turn_{0};
  std::atomic<uint64_t> allocations_{0};
  std::atomic<uint64_t> failures_{0};
  std::atomic<uint64_t> frees_{0};
  std::atomic<int64_t> inside_ns_{0};
  Status first_failure_;  // written once, by the thread that counts the first failure
};

}  // namespace

Result<ReplayReport> replay(const std::vector<Request>& log, MemoryResource& resource,
                            const ReplayOptions& options) {
  Plan plan(log, options.driver);
  if (plan.threads().size() > kMaxThreads) {
    return resource_exhausted("a log of {} threads; at most {} can be replayed", plan.threads().size(),
                              kMaxThreads);
  }
  const Clock& clock = steady_clock();
  Player player(resource, options.is_in_order, clock);
  ReplayReport report{.skipped = plan.skipped(),
                      .peak_bytes = plan.peak_bytes(),
                      .threads = static_cast<uint32_t>(plan.threads().size()),
                      .queues = plan.queues()};
  const int64_t begin_ns = clock.now_ns();
  std::vector<std::thread> threads;
  for (const auto& [thread, steps] : plan.threads()) {
    threads.emplace_back([&player, &steps = steps] { player.play(steps); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  report.seconds = static_cast<double>(clock.now_ns() - begin_ns) * 1e-9;
  player.fill(report);
  for (ReplayedBlock& block : plan.blocks()) {
    if (block.state.load() == BlockState::kOut) {
      ++report.unreturned;
      player.give_back(block, block.queue);
    }
  }
  return report;
}

}  // namespace forebay::memory
