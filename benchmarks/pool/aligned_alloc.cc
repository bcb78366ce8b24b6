// The C library's aligned blocks, which is what PyTorch's allocator for the CPU asks for.
#include <gnu/libc-version.h>

#include <cstdlib>

#include "pool/holes.h"

namespace {

struct AlignedAlloc {
  void* allocate(size_t bytes, uint32_t) { return std::aligned_alloc(64, bytes); }
  void deallocate(void* pointer, size_t, uint32_t) { std::free(pointer); }
};

}  // namespace

int main(int argc, char** argv) {
  AlignedAlloc allocator;
  pool_benchmark::run(contender::read_task(argc, argv), {{"glibc", gnu_get_libc_version()}}, allocator);
  return 0;
}
