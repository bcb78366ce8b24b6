// Asks the kernel, with a set that grows until it holds all processors of a large machine.
#include "forebay/base/usable_cpus.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

namespace forebay {
namespace {

constexpr int kFewest = 1024;
constexpr int kMost = 1 << 16;

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

}  // namespace

int usable_cpus() {
  for (int cpus = kFewest; cpus <= kMost; cpus *= 2) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> usable(CPU_ALLOC(static_cast<size_t>(cpus)));
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(cpus));
    if (usable == nullptr) {
      break;
    }
    if (::sched_getaffinity(::getpid(), bytes, usable.get()) == 0) {
      return std::max(1, CPU_COUNT_S(bytes, usable.get()));
    }
    if (errno != EINVAL) {  // EINVAL: the kernel's set is larger
      break;
    }
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace forebay
