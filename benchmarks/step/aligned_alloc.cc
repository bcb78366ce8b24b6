// The C library's aligned blocks, which is what PyTorch's allocator for the CPU asks for.
#include <gnu/libc-version.h>

#include <cstdlib>

#include "step/step.h"

namespace {

struct AlignedAlloc {
  void* allocate(size_t, size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
  void deallocate(void* pointer, size_t) { std::free(pointer); }
};

}  // namespace

int main(int argc, char** argv) {
  AlignedAlloc allocator;
  step_benchmark::run(contender::read_task(argc, argv), {{"glibc", gnu_get_libc_version()}}, allocator);
  return 0;
}
