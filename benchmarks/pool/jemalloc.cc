#include <jemalloc/jemalloc.h>

#include "pool/holes.h"

namespace {

struct Jemalloc {
  void* allocate(size_t bytes, uint32_t) { return mallocx(bytes, MALLOCX_ALIGN(64)); }
  void deallocate(void* pointer, size_t bytes, uint32_t) { sdallocx(pointer, bytes, MALLOCX_ALIGN(64)); }
};

}  // namespace

int main(int argc, char** argv) {
  Jemalloc allocator;
  pool_benchmark::run(contender::read_task(argc, argv), {{"jemalloc", JEMALLOC_VERSION}}, allocator);
  return 0;
}
