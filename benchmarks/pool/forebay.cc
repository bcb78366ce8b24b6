// Forebay's pool as it comes, with a cache for each queue.
#include "forebay/memory/pool/pool.h"
#include "pool/forebay_pool.h"

int main(int argc, char** argv) {
  return pool_benchmark::run_forebay(contender::read_task(argc, argv),
                                     forebay::memory::PoolOptions{}.cache_bytes);
}
