#include "forebay/kernels/linear_algebra/blas_buffers.h"

#include <pthread.h>
#include <sys/mman.h>

#include <new>
#include <utility>

namespace forebay::kernels {
namespace {

BlasBuffers* made_buffers() {
  auto* const made = new BlasBuffers;  // never destroyed: threads may multiply during process exit
  pthread_atfork(nullptr, nullptr, [] { blas_buffers().forget_other_threads(); });
  return made;
}

BlasBuffers* const buffers_of_process = made_buffers();

}  // namespace

BlasBuffers::BlasBuffers(absl::AnyInvocable<bool(uint64_t bytes)> can_map) : can_map_(std::move(can_map)) {
}

bool BlasBuffers::can_map_now(uint64_t bytes) {
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  return mapped != MAP_FAILED && ::munmap(mapped, bytes) == 0;
}

/// One at a time gets a new one: until OpenBLAS has mapped it, the room that was found is still there.
bool BlasBuffers::take(std::unique_lock<std::mutex>& lock, bool* is_new) {
  while (in_use_ == there_) {
    if (!is_growing_ && can_map_(kBlasBufferBytes)) {
      is_growing_ = *is_new = true;
      ++there_;
      break;
    }
    if (in_use_ == 0) {
      return false;
    }
    freed_.wait(lock);
  }
  ++in_use_;
  return true;
}

Status BlasBuffers::use(absl::FunctionRef<void()> multiply) {
  bool is_new = false;
  {
    std::unique_lock lock(mutex_);
    if (!take(lock, &is_new)) {
      return resource_exhausted(
          "a product of matrices needs {} MiB of address space for OpenBLAS's buffer, and the process has "
          "not as much "
          "left; raise its limit (ulimit -v)",
          kBlasBufferBytes >> 20);
    }
  }
  multiply();
  const std::lock_guard lock(mutex_);
  --in_use_;
  is_growing_ = is_growing_ && !is_new;
  freed_.notify_all();
  return ok_status();
}

void BlasBuffers::forget_other_threads() {
  new (&mutex_) std::mutex;
  new (&freed_) std::condition_variable;
  there_ -= in_use_;
  in_use_ = 0;
  is_growing_ = false;
}

BlasBuffers& blas_buffers() {
  return *buffers_of_process;
}

}  // namespace forebay::kernels
