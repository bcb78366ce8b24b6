// Each block from the system and back to it, as pinned and device memory is without a pool.
#include <sys/mman.h>
#include <sys/utsname.h>

#include "step/step.h"

namespace {

struct FreshPages {
  void* allocate(size_t, size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  void deallocate(void* pointer, size_t bytes) { munmap(pointer, bytes); }
};

}  // namespace

int main(int argc, char** argv) {
  utsname kernel;
  uname(&kernel);
  FreshPages pages;
  step_benchmark::run(contender::read_task(argc, argv), {{"Linux", kernel.release}}, pages);
  return 0;
}
