// The work of this benchmark: makes holes, then allocates and gives back until the time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "harness/contender.h"

namespace pool_benchmark {

inline constexpr size_t kBytes = 1024;
inline constexpr size_t kStepBytes = 256;  // mixed sizes are 1 to 16 of these
inline constexpr int kPairsBetweenLooks = 512;

struct Block {
  void* pointer;
  size_t bytes;
};

struct Measured {
  double pairs = 0;
  double cpu_ns = 0;
};

inline double thread_cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The compiler may not see that a block is of no use.
inline void* seen(void* pointer) {
  asm volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

// Allocator: void* allocate(size_t bytes, uint32_t queue), void deallocate(void*, size_t bytes, uint32_t
// queue).
template <class Allocator>
void same_size(Allocator& allocator, uint32_t queue) {
  for (int pair = 0; pair < kPairsBetweenLooks; ++pair) {
    allocator.deallocate(seen(allocator.allocate(kBytes, queue)), kBytes, queue);
  }
}

template <class Allocator>
void mixed_sizes(Allocator& allocator, uint32_t queue, std::vector<Block>& live, std::minstd_rand& random) {
  for (int pair = 0; pair < kPairsBetweenLooks; ++pair) {
    Block& block = live[random() % live.size()];
    allocator.deallocate(block.pointer, block.bytes, queue);
    block.bytes = (1 + random() % 16) * kStepBytes;
    block.pointer = seen(allocator.allocate(block.bytes, queue));
  }
}

// Twice as many blocks as holes, of which every other goes back.
template <class Allocator>
std::vector<Block> make_holes(Allocator& allocator, uint32_t queue, size_t holes, bool mixed,
                              std::minstd_rand& random) {
  std::vector<Block> blocks;
  for (size_t i = 0; i < 2 * holes; ++i) {
    const size_t bytes = mixed ? (1 + random() % 16) * kStepBytes : kBytes;
    blocks.push_back({allocator.allocate(bytes, queue), bytes});
  }
  std::vector<Block> live;
  for (size_t i = 0; i < blocks.size(); i += 2) {
    allocator.deallocate(blocks[i].pointer, blocks[i].bytes, queue);
    live.push_back(blocks[i + 1]);
  }
  return live;
}

// Holes for one thread after the other, so that each has its own; then all at once.
template <class Allocator>
void run(const contender::Task& task, const std::map<std::string, std::string>& versions,
         Allocator& allocator) {
  const auto threads = static_cast<uint32_t>(task.number.at("threads"));
  const auto holes = static_cast<size_t>(task.number.at("holes"));
  const bool mixed = task.number.at("mixed") != 0;
  std::vector<std::vector<Block>> live;
  std::vector<std::minstd_rand> random;
  for (uint32_t queue = 0; queue < threads; ++queue) {
    random.emplace_back(queue + 1);
    live.push_back(make_holes(allocator, queue, holes, mixed, random.back()));
  }
  std::vector<Measured> measured(threads);
  std::atomic<uint32_t> ready{0};
  std::vector<std::thread> running;
  const auto begun = std::chrono::steady_clock::now();
  for (uint32_t queue = 0; queue < threads; ++queue) {
    running.emplace_back([&, queue] {
      mixed ? mixed_sizes(allocator, queue, live[queue], random[queue]) : same_size(allocator, queue);
      ready.fetch_add(1);
      while (ready.load() < threads) {
      }
      Measured own;
      const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(task.seconds);
      const double begun_ns = thread_cpu_ns();
      while (std::chrono::steady_clock::now() < end) {
        mixed ? mixed_sizes(allocator, queue, live[queue], random[queue]) : same_size(allocator, queue);
        own.pairs += kPairsBetweenLooks;
      }
      own.cpu_ns = thread_cpu_ns() - begun_ns;
      measured[queue] = own;
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  Measured all;
  for (const Measured& own : measured) {
    all.pairs += own.pairs;
    all.cpu_ns += own.cpu_ns;
  }
  contender::report(task, versions,
                    {{"pairs_per_cpu_second", all.pairs / all.cpu_ns * 1e9},
                     {"pairs_per_second", all.pairs / seconds},
                     {"ns_per_pair", all.cpu_ns / all.pairs}});
}

}  // namespace pool_benchmark
