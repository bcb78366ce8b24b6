#include "forebay/cache/testing/host_troubles.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>

#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/rounds.h"

namespace {

std::atomic<bool> refuses_mappings{false};
std::atomic<uint64_t> refused{0};

}  // namespace

#if !FOREBAY_THREAD_SANITIZER && !FOREBAY_ADDRESS_SANITIZER
// Stands before libc's in the whole program (ELF symbol interposition).
extern "C" void* mmap(void* address, size_t bytes, int protection, int flags, int file,
                      off_t offset) noexcept {
  if (refuses_mappings.load() && (flags & MAP_SHARED) != 0) {
    ++refused;
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
#endif

namespace forebay::cache::testing {

int64_t StoppableClock::now_ns() const {
  UniqueMutexLock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  while (is_stopped_) {
    changed_.wait(lock.native());
  }
  --waiting_;
  return inner_.now_ns();
}

void StoppableClock::stop() {
  const MutexLock lock(mutex_);
  is_stopped_ = true;
}

void StoppableClock::go_on() {
  const MutexLock lock(mutex_);
  is_stopped_ = false;
  changed_.notify_all();
}

void StoppableClock::await_waiting() const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  UniqueMutexLock lock(mutex_);
  while (waiting_ == 0 && changed_.wait_until(lock.native(), until) != std::cv_status::timeout) {
  }
}

NoMappings::NoMappings() {
  refuses_mappings = true;
}

NoMappings::~NoMappings() {
  refuses_mappings = false;
}

uint64_t refused_mappings() {
  return refused.load();
}

}  // namespace forebay::cache::testing
