#include "forebay/fuse/protocol/interrupts.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "fmt/format.h"

namespace forebay::fuse {
namespace {

constexpr std::chrono::milliseconds kUntilNextLook(50);

constexpr uint64_t bit_of(int signal) {
  return uint64_t{1} << static_cast<unsigned>(signal - 1);
}

// One that ends its program by default is SIGKILL here, unless it makes a core.
constexpr uint64_t kEnding =
    bit_of(SIGHUP) | bit_of(SIGINT) | bit_of(SIGQUIT) | bit_of(SIGABRT) | bit_of(SIGKILL) | bit_of(SIGTERM);

/// A line's set of signals, in hexadecimal; 0 where there is no such line.
uint64_t signals_of(std::string_view status, std::string_view name) {
  const size_t at = status.find(name);
  uint64_t signals = 0;
  if (at != std::string_view::npos) {
    const std::string_view digits = status.substr(at + name.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), signals, 16);
  }
  return signals;
}

/// Of a thread that there is not: nothing.
std::string text_of_thread(uint32_t thread, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/{}", thread, name));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

bool asks_to_end(std::string_view thread_status) {
  const uint64_t pending =
      signals_of(thread_status, "\nSigPnd:\t") | signals_of(thread_status, "\nShdPnd:\t");
  return (pending & kEnding & ~signals_of(thread_status, "\nSigBlk:\t")) != 0;
}

bool is_asked_to_end(uint32_t thread) {
  const std::string status = text_of_thread(thread, "status");
  return status.empty() || asks_to_end(status);
}

// The name, which may have any bytes, stands in the second place and in parentheses. Of those behind it the
// seventh is the flags, and the fiftieth, which is the last, the exit code as wait(2) gives it.
bool ends_by_signal(std::string_view thread_stat) {
  constexpr uint64_t kIsExiting = 4;  // PF_EXITING
  constexpr uint64_t kSignalBits = 0x7f;
  constexpr size_t kFlagsAt = 7;
  constexpr size_t kExitCodeAt = 50;
  const size_t name_end = thread_stat.rfind(')');
  std::istringstream fields(std::string(thread_stat.substr(std::min(name_end, thread_stat.size()))));
  std::string field;
  uint64_t flags = 0;
  uint64_t code = 0;
  for (size_t at = 0; fields >> field; ++at) {
    const char* const end = field.data() + field.size();
    if (at == kFlagsAt) {
      std::from_chars(field.data(), end, flags);
    } else if (at == kExitCodeAt) {
      std::from_chars(field.data(), end, code);
    }
  }
  return (flags & kIsExiting) != 0 && (code & kSignalBits) != 0;
}

bool is_ended_by_signal(uint32_t thread) {
  return thread != 0 && ends_by_signal(text_of_thread(thread, "stat"));
}

Interrupts::~Interrupts() {
  stop();
}

void Interrupts::stop() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    thread.swap(thread_);
    changed_.notify_all();
  }
  if (thread.joinable()) {
    thread.join();
  }
}

bool Interrupts::watch(uint64_t unique, uint32_t thread) {
  const MutexLock lock(mutex_);
  try {
    watched_.push_back({unique, thread});
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { look(); });
    }
  } catch (const std::exception&) {
    std::erase_if(watched_, [unique](const Watched& each) { return each.unique == unique; });
    return false;
  }
  changed_.notify_all();
  return true;
}

void Interrupts::look() noexcept {
  for (;;) {
    try {
      const std::vector<Watched> watched = next_to_look_at();
      if (watched.empty()) {
        return;
      }
      end_some(watched);
    } catch (const std::exception&) {  // without memory it looks again
      std::this_thread::sleep_for(kUntilNextLook);
    }
  }
}

/// Calls that may be due, once there are any and some time has gone by; none when this ends.
std::vector<Interrupts::Watched> Interrupts::next_to_look_at() {
  UniqueMutexLock lock(mutex_);
  changed_.wait(lock.native(),
                [this]() FOREBAY_REQUIRES(mutex_) { return is_stopped_ || !watched_.empty(); });
  changed_.wait_for(lock.native(), kUntilNextLook, [this]() FOREBAY_REQUIRES(mutex_) { return is_stopped_; });
  return is_stopped_ ? std::vector<Watched>() : watched_;
}

void Interrupts::end_some(const std::vector<Watched>& watched) {
  for (const Watched& each : watched) {
    const bool is_due = calls_.is_under_way(each.unique) && is_asked_to_end(each.thread);
    if (is_due) {
      calls_.end(each.unique);
    }
    if (is_due || !calls_.is_under_way(each.unique)) {
      const MutexLock lock(mutex_);
      std::erase_if(watched_, [&](const Watched& other) { return other.unique == each.unique; });
    }
  }
}

}  // namespace forebay::fuse
