// Forebay's pool as it comes, with every request logged. The log goes to where nothing is kept, so that what
// is measured is the log and not a disk.
#include "forebay/memory/adaptors/logging_resource.h"
#include "pool/forebay_pool.h"

int main(int argc, char** argv) {
  return pool_benchmark::run_forebay(
      contender::read_task(argc, argv), forebay::memory::PoolOptions{}.cache_bytes,
      [](std::shared_ptr<forebay::memory::MemoryResource> pool) {
        return std::make_shared<forebay::memory::LoggingResource>(
            std::move(pool), *forebay::memory::RequestLog::create({.path = "/dev/null"}));
      });
}
