// The conformance suite of MemoryResource. A resource joins with one test:
//
//   TEST(MyResource, Conforms) { check_conformance({.make = [] { return my_resource(); }}); }
//
// For test programs only: it uses GoogleTest.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

struct ConformanceCase {
  std::function<std::shared_ptr<MemoryResource>()> make;
  size_t largest_bytes = size_t{4} << 20;  // the largest request tried
  bool waits = false;  // deallocate blocks until the last use is over, instead of keeping the block meanwhile
  bool knows_fences = true;  // false: it only knows queues, and the test orders them
};

namespace conformance {

/// Makes a request that must succeed.
inline std::byte* must_allocate(MemoryResource& resource, size_t bytes) {
  const Result<void*> pointer = resource.allocate(bytes);
  EXPECT_TRUE(pointer.ok()) << pointer.status();
  EXPECT_NE(*pointer, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*pointer) % kAlignment, 0);
  return static_cast<std::byte*>(*pointer);
}

inline void check_sizes(MemoryResource& resource, size_t largest) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{4095},
                             size_t{4097}, size_t{32768}, size_t{32769}, size_t{1} << 20, largest}) {
    std::byte* pointer = must_allocate(resource, bytes);
    if (is_host_accessible(resource.kind())) {
      std::memset(pointer, 0x5A, bytes);
    }
    resource.deallocate(pointer, bytes, Fence{});
  }
}

inline void check_impossible(MemoryResource& resource) {
  for (const size_t bytes : {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() / 2}) {
    const Result<void*> pointer = resource.allocate(bytes);
    ASSERT_FALSE(pointer.ok());
    EXPECT_EQ(pointer.status().code(), StatusCode::kResourceExhausted);
    EXPECT_NE(message(pointer.status()).find(std::to_string(bytes)), std::string_view::npos)
        << "names what was asked for: " << message(pointer.status());
  }
}

/// Makes random requests and frees: blocks never overlap, and keep what is written to them.
inline void check_blocks_are_apart(MemoryResource& resource, uint32_t seed) {
  struct Block {
    size_t bytes;
    uint8_t mark;
  };
  std::mt19937 random(seed);
  std::map<std::byte*, Block> live;
  const bool is_readable = is_host_accessible(resource.kind());
  const auto drop = [&](std::map<std::byte*, Block>::iterator entry) {
    const auto [pointer, block] = *entry;
    if (is_readable && block.bytes > 0) {
      EXPECT_EQ(static_cast<uint8_t>(pointer[0]), block.mark);
      EXPECT_EQ(static_cast<uint8_t>(pointer[block.bytes - 1]), block.mark);
    }
    live.erase(entry);
    resource.deallocate(pointer, block.bytes, Fence{});
  };
  for (int step = 0; step < 400; ++step) {
    if (live.size() > 12 || (random() % 2 == 0 && !live.empty())) {
      drop(std::next(live.begin(), static_cast<long>(random() % live.size())));
      continue;
    }
    const size_t bytes = 1 + random() % (random() % 4 == 0 ? 300000 : 3000);
    const auto mark = static_cast<uint8_t>(step);
    std::byte* pointer = must_allocate(resource, bytes);
    if (is_readable) {
      std::memset(pointer, mark, bytes);
    }
    const auto after = live.lower_bound(pointer);
    EXPECT_TRUE(after == live.end() || pointer + bytes <= after->first);
    EXPECT_TRUE(after == live.begin() || std::prev(after)->first + std::prev(after)->second.bytes <= pointer);
    live[pointer] = {bytes, mark};
  }
  while (!live.empty()) {
    drop(live.begin());
  }
}

inline void check_threads(MemoryResource& resource) {
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&resource, seed] { check_blocks_are_apart(resource, seed); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

/// A freed block is not reused before its last use is over.
inline void check_last_use(MemoryResource& resource, bool waits) {
  const auto device = *SimulatedDevice::create({.queues = 1, .memory_bytes = 4096, .eager = false});
  for (const size_t bytes : {size_t{300}, size_t{1} << 20}) {
    std::byte* const block = must_allocate(resource, bytes);
    bool is_used = false;
    const bool is_readable = is_host_accessible(resource.kind());
    ASSERT_TRUE(device
                    ->submit(0,
                             [&is_used, block, bytes, is_readable] {
                               if (is_readable) {
                                 std::memset(block, 0x5A, bytes);
                               }
                               is_used = true;
                               return ok_status();
                             })
                    .ok());
    resource.deallocate(block, bytes, *device->record(0));
    EXPECT_TRUE(is_used || !waits);
    std::byte* const next = must_allocate(resource, bytes);
    EXPECT_TRUE(is_used || next != block);
    EXPECT_TRUE(device->synchronize().ok());
    resource.deallocate(next, bytes, Fence{});
  }
}

}  // namespace conformance

inline void check_conformance(const ConformanceCase& candidate) {
  const std::shared_ptr<MemoryResource> resource = candidate.make();
  ASSERT_NE(resource, nullptr);
  EXPECT_FALSE(resource->name().empty());
  conformance::check_sizes(*resource, candidate.largest_bytes);
  conformance::check_impossible(*resource);
  conformance::check_blocks_are_apart(*resource, 7);
  conformance::check_threads(*resource);
  if (candidate.knows_fences) {
    conformance::check_last_use(*resource, candidate.waits);
  }
}

}  // namespace forebay::memory
