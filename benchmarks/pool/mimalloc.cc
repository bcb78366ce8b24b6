#include <mimalloc.h>

#include "pool/holes.h"

namespace {

struct Mimalloc {
  void* allocate(size_t bytes, uint32_t) { return mi_malloc_aligned(bytes, 64); }
  void deallocate(void* pointer, size_t bytes, uint32_t) { mi_free_size_aligned(pointer, bytes, 64); }
};

}  // namespace

int main(int argc, char** argv) {
  Mimalloc allocator;
  pool_benchmark::run(contender::read_task(argc, argv), {{"mimalloc", std::to_string(mi_version())}},
                      allocator);
  return 0;
}
