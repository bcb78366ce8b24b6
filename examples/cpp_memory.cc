// Forebay's memory under other libraries, limited, counted and logged on the way. Resources stack, and a C
// table or std::pmr carries the stack across a library's border; cpp_borders.cc has the other forms.
//
//   forebay_example_memory LOG
//   forebay memory replay LOG      does the same requests again
#include <deque>
#include <iostream>
#include <memory>
#include <memory_resource>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/adaptors/external_allocator.h"
#include "forebay/memory/adaptors/logging_resource.h"
#include "forebay/memory/adaptors/standard_allocators.h"
#include "forebay/memory/adaptors/tracking_resource.h"
#include "forebay/memory/buffer.h"

namespace memory = forebay::memory;

// Stands for a library in C, which knows only the table. Returns how many blocks it got before a refusal.
int fill_library(const ForebayAllocator& allocator, size_t block_bytes) {
  std::vector<void*> blocks;
  void* block = nullptr;
  while (allocator.allocate(allocator.context, block_bytes, 64, 0, 0, &block) == 0) {
    blocks.push_back(block);
  }
  std::cout << "refused after " << blocks.size() << " blocks: " << allocator.error_text(allocator.context, -1)
            << "\n";
  for (void* const taken : blocks) {
    allocator.deallocate(allocator.context, taken, block_bytes, 64, 0, 0);
  }
  return static_cast<int>(blocks.size());
}

// A cache that gives way: when the limit refuses a request, it drops its oldest buffer, and the request is
// tried again.
forebay::Status fill_cache(const std::shared_ptr<memory::MemoryResource>& limited, size_t block_bytes) {
  std::deque<memory::BufferRef> cache;
  int dropped = 0;
  const auto make_room = [&](size_t, const forebay::Status&, int) {
    dropped += cache.empty() ? 0 : 1;
    return !cache.empty() && (cache.pop_front(), true);
  };
  const auto retried = std::make_shared<memory::FailureCallbackResource>(limited, make_room);
  for (int i = 0; i < 100; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(block_bytes, retried));
    cache.push_back(std::move(buffer));
  }
  std::cout << "a cache of " << cache.size() << " buffers has dropped " << dropped << "\n";
  return dropped == 100 - static_cast<int>(cache.size()) ? forebay::ok_status()
                                                         : forebay::internal_error("buffers were lost");
}

// A limit on the rate instead of the amount: what comes too early is refused, with the time to wait.
forebay::Status take_slowly() {
  forebay::SteppedClock clock;
  const memory::RateOptions per_second = {.bytes_per_second = 1000, .burst_bytes = 1000};
  const auto slow = std::make_shared<memory::RateResource>(memory::host_pool(), per_second, clock);
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef first, memory::Buffer::allocate(1000, slow));
  std::cout << forebay::message(memory::Buffer::allocate(500, slow).status()) << "\n";
  clock.advance_ns(slow->ns_until(500));
  return memory::Buffer::allocate(500, slow).status();
}

forebay::Status run(const std::string& log_path) {
  constexpr size_t kLimit = size_t{1} << 20;
  constexpr size_t kBlock = size_t{64} << 10;
  FOREBAY_ASSIGN_OR_RETURN(const auto log, memory::RequestLog::create({.path = log_path}));
  const auto limit =
      std::make_shared<memory::LimitResource>(memory::host_pool(), forebay::Budget::create(kLimit));
  const auto counted = std::make_shared<memory::StatisticsResource>(limit);
  const auto logged = std::make_shared<memory::LoggingResource>(counted, log);
  const auto tracked = std::make_shared<memory::TrackingResource>(logged);

  const memory::ExternalAllocator allocator(tracked);
  const int blocks = fill_library(allocator.table(), kBlock);
  {
    memory::PmrResource resource(tracked);
    const std::pmr::vector<double> numbers(1000, 0.5, &resource);
    std::cout << "std::pmr holds " << counted->statistics().bytes << " bytes\n";
  }
  FOREBAY_RETURN_IF_ERROR(fill_cache(tracked, kBlock));
  FOREBAY_RETURN_IF_ERROR(take_slowly());
  const memory::ResourceStatistics found = counted->statistics();
  std::cout << found.allocations << " allocations, " << found.failures << " refused, at most "
            << found.peak_bytes << " bytes at once\n";
  if (blocks != static_cast<int>(kLimit / kBlock) || found.bytes != 0 || !tracked->outstanding().empty()) {
    return forebay::internal_error("{} blocks fitted, {} bytes were left behind", blocks, found.bytes);
  }
  return log->flush();
}

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::cerr << "usage: forebay_example_memory LOG\n";
    return 2;
  }
  const forebay::Status status = run(arguments[1]);
  if (!status.ok()) {
    std::cerr << forebay::message(status) << "\n";
    return 1;
  }
  return 0;
}
