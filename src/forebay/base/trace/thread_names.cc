#include "forebay/base/trace/thread_names.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace forebay {
namespace {

constexpr size_t kMaxNames = 4096;
constexpr size_t kNameBytes = 16;  // the kernel's limit, with the NUL at its end

struct KeptName {
  std::array<char, kNameBytes> text;
  std::atomic<bool> is_written;
};

// Each slot is written by the one thread that has its number.
std::array<KeptName, kMaxNames> kept_names;

}  // namespace

void keep_thread_name(uint32_t number) {
  if (number >= kMaxNames) {
    return;
  }
  KeptName& kept = kept_names[number];
  if (gettid() == getpid()) {
    std::strcpy(kept.text.data(), "main");
  } else if (pthread_getname_np(pthread_self(), kept.text.data(), kNameBytes) != 0) {
    return;
  }
  kept.is_written.store(true, std::memory_order_release);
}

std::string thread_name(uint32_t number) {
  if (number >= kMaxNames || !kept_names[number].is_written.load(std::memory_order_acquire)) {
    return "";
  }
  return kept_names[number].text.data();
}

}  // namespace forebay
