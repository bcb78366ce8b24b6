#include "forebay/base/clock.h"

#include <chrono>

namespace forebay {
namespace {

template <class System>
int64_t ns_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(System::now().time_since_epoch()).count();
}

class SteadyClock final : public Clock {
 public:
  int64_t now_ns() const override { return ns_now<std::chrono::steady_clock>(); }
};

}  // namespace

const Clock& steady_clock() {
  static const auto* clock = new SteadyClock;  // never destroyed: threads read it during process exit
  return *clock;
}

int64_t wall_clock_ns() {
  return ns_now<std::chrono::system_clock>();
}

}  // namespace forebay
