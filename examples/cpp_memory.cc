// Memory of Forebay under other libraries, limited, counted and logged on the way: resources stack, and a C
// table or std::pmr carries the stack across a library's border.
//
//   forebay_example_memory LOG
//   forebay memory replay LOG      does the same requests again
#include <iostream>
#include <memory>
#include <memory_resource>
#include <vector>

#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/adaptors/external_allocator.h"
#include "forebay/memory/adaptors/logging_resource.h"
#include "forebay/memory/adaptors/standard_allocators.h"
#include "forebay/memory/adaptors/tracking_resource.h"

namespace memory = forebay::memory;

// Stands for a library in C: it knows the table alone. The number of blocks that it was given before a
// refusal.
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
