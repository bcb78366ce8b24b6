#include "forebay/base/trace/ticks.h"

#include <cmath>
#include <fstream>
#include <string>

namespace forebay {
namespace {

/// Linux derives its clock from the counter only if it runs at the same constant speed on all processors.
bool clock_is_counter() {
#if defined(__x86_64__)
  static const bool is_counter = [] {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name;
    return file >> name && name == "tsc";
  }();
  return is_counter;
#else
  return false;
#endif
}

}  // namespace

TickClock::TickClock(const Clock& clock)
    : clock_(clock), counts_(&clock == &steady_clock() && clock_is_counter()) {
}

TickClock::Mark TickClock::mark() const {
  Mark best;
  int64_t least = -1;
  for (int i = 0; i < 3; ++i) {
    const int64_t before = now();
    const int64_t ns = clock_.now_ns();
    const int64_t took = now() - before;
    if (least < 0 || took < least) {
      least = took;
      best = {before + took / 2, ns};
    }
  }
  return best;
}

TickScale::TickScale(const TickClock::Mark& first, const TickClock::Mark& last)
    : first_(first),
      ns_a_tick_(last.ticks > first.ticks
                     ? static_cast<double>(last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks)
                     : 1.0) {
}

int64_t TickScale::ns_of(int64_t ticks) const {
  return first_.ns + std::llround(static_cast<double>(ticks - first_.ticks) * ns_a_tick_);
}

}  // namespace forebay
