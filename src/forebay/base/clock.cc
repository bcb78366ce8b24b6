#include "forebay/base/clock.h"

#include <chrono>

namespace forebay {
namespace {

class SteadyClock final : public Clock {
 public:
  int64_t now_ns() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace

const Clock& steady_clock() {
  static const auto* clock = new SteadyClock;  // never destroyed: threads read it during process exit
  return *clock;
}

}  // namespace forebay
