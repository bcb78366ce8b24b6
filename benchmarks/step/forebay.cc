// The pool that buffers of Forebay come from.
#include "forebay/memory/host/host_pool.h"
#include "step/step.h"

namespace {

struct HostPool {
  void* allocate(size_t, size_t bytes) { return *forebay::memory::host_pool()->allocate(bytes); }
  void deallocate(void* pointer, size_t bytes) {
    forebay::memory::host_pool()->deallocate(pointer, bytes, forebay::Fence{});
  }
};

}  // namespace

int main(int argc, char** argv) {
  HostPool pool;
  step_benchmark::run(contender::read_task(argc, argv), {{"forebay", FOREBAY_VERSION}}, pool);
  return 0;
}
