// A device of which only the time is simulated: each queue is a thread that takes as long for a piece of work
// as it is told and next to no processor, and queues go on beside each other, as a GPU's streams do.
// (memory::SimulatedDevice is for schedules: it runs one piece at a time, inside calls.)
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/memory/copy.h"
#include "forebay/memory/device_driver.h"

namespace arrays_benchmark {

/// A device driver of `memory`. Copies take their bytes over `link_bytes_per_second`.
class TimedDevice {
 public:
  using Clock = std::chrono::steady_clock;

  TimedDevice(uint32_t queues, double link_bytes_per_second)
      : link_bytes_per_second_(link_bytes_per_second), queues_(queues), table_(make_table()) {
    driver_ = *forebay::memory::register_driver(table_);
    for (Queue& queue : queues_) {
      queue.thread = std::thread([this, &queue] { serve(queue); });
    }
  }
  TimedDevice(const TimedDevice&) = delete;
  TimedDevice& operator=(const TimedDevice&) = delete;
  ~TimedDevice() {
    {
      std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    for (Queue& queue : queues_) {
      queue.thread.join();
    }
    forebay::memory::unregister_driver(driver_);
  }

  uint32_t driver() const { return driver_; }
  void submit(uint32_t queue, std::function<void()> work, Clock::duration takes) {
    enqueue(queue, {.work = std::move(work), .takes = takes, .submitted = Clock::now()});
  }

 private:
  struct Piece {
    std::function<void()> work;  // none: only waits for another queue
    Clock::duration takes{};
    Clock::time_point submitted;
    uint32_t other_queue = 0;
    uint64_t after = 0;
  };
  struct Queue {
    std::deque<Piece> pieces;
    uint64_t submitted = 0;
    uint64_t passed = 0;
    std::thread thread;
  };

  void enqueue(uint32_t queue, Piece piece) {
    {
      std::lock_guard lock(mutex_);
      queues_[queue].pieces.push_back(std::move(piece));
      ++queues_[queue].submitted;
    }
    changed_.notify_all();
  }

  bool is_runnable(const Queue& queue) const {
    return !queue.pieces.empty() &&
           queues_[queue.pieces.front().other_queue].passed >= queue.pieces.front().after;
  }

  // A piece begins when the one before it ends, however late this thread wakes up: devices do not oversleep.
  void serve(Queue& queue) {
    Clock::time_point free_at{};
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_ending_ || is_runnable(queue); });
      if (!is_runnable(queue)) {
        return;
      }
      const Piece piece = std::move(queue.pieces.front());
      queue.pieces.pop_front();
      lock.unlock();
      if (piece.work) {
        free_at = std::max(free_at, piece.submitted) + piece.takes;
        piece.work();
        std::this_thread::sleep_until(free_at);
      } else {
        free_at = std::max(free_at, Clock::now());
      }
      lock.lock();
      ++queue.passed;
      changed_.notify_all();
    }
  }

  int wait(uint32_t queue, uint64_t sequence) {
    std::unique_lock lock(mutex_);
    sequence = std::min(sequence, queues_[queue].submitted);
    changed_.wait(lock, [&] { return queues_[queue].passed >= sequence; });
    return 0;
  }

  int copy(uint32_t queue, void* destination, const void* source, size_t bytes) {
    const std::chrono::duration<double> takes(static_cast<double>(bytes) / link_bytes_per_second_);
    submit(
        queue, [=] { forebay::memory::copy_for_driver(destination, source, bytes); },
        std::chrono::duration_cast<Clock::duration>(takes));
    return 0;
  }

  static TimedDevice& device(void* context) { return *static_cast<TimedDevice*>(context); }

  forebay::memory::DeviceDriver make_table() {
    return {.version = forebay::memory::kDeviceDriverVersion,
            .name = "timed",
            .context = this,
            .record =
                [](void* context, uint32_t queue, uint64_t* sequence) {
                  std::lock_guard lock(device(context).mutex_);
                  *sequence = device(context).queues_[queue].submitted;
                  return 0;
                },
            .wait = [](void* context, uint32_t queue,
                       uint64_t sequence) { return device(context).wait(queue, sequence); },
            .wait_on_queue =
                [](void* context, uint32_t queue, uint32_t other_queue, uint64_t sequence) {
                  device(context).enqueue(queue, {.other_queue = other_queue, .after = sequence});
                  return 0;
                },
            .query =
                [](void* context, uint32_t queue, uint64_t sequence) {
                  std::lock_guard lock(device(context).mutex_);
                  const Queue& asked = device(context).queues_[queue];
                  return asked.passed >= std::min(sequence, asked.submitted) ? 1 : 0;
                },
            .copy = [](void* context, uint32_t queue, void* destination, const void* source,
                       size_t bytes) { return device(context).copy(queue, destination, source, bytes); },
            .allocate =
                [](void*, size_t bytes, void** pointer) {
                  *pointer = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
                  return *pointer == nullptr ? -1 : 0;
                },
            .deallocate = [](void*, void* pointer, size_t) { std::free(pointer); },
            .error_text = [](void*, int) { return "no memory"; },
            .is_final = [](void*, int) { return 0; }};
  }

  const double link_bytes_per_second_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Queue> queues_;
  bool is_ending_ = false;
  const forebay::memory::DeviceDriver table_;
  uint32_t driver_ = 0;
};

}  // namespace arrays_benchmark
