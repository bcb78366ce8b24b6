// A connection as the clock finds it: who sends or takes too slowly, and how much lies here meanwhile.
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>

#include "forebay/base/clock.h"
#include "forebay/base/units.h"
#include "forebay/net/server/connection.h"

namespace forebay::net {

uint64_t Connection::lying_bytes() const {
  uint64_t bytes = 0;
  for (const std::shared_ptr<Exchange>& exchange : exchanges_) {
    bytes += exchange->lying_bytes();
  }
  return bytes;
}

// An answer that has just come is nobody's fault, however many bytes it has.
uint64_t Connection::overdue_bytes(int64_t now_ns) const {
  if (!taking_pace_.is_too_slow()) {
    return 0;
  }
  const int64_t since_ns = now_ns - shared_.timeouts.taking_ms * kMillisecond;
  uint64_t bytes = 0;
  for (const std::shared_ptr<Exchange>& exchange : exchanges_) {
    if (exchange->is_answered() && exchange->answered_at_ns() <= since_ns) {
      bytes += exchange->lying_bytes();
    }
  }
  return bytes;
}

// Not only of the one that is being sent: others may lie behind a request that nobody has answered yet.
std::optional<int64_t> Connection::oldest_answer_ns() const {
  std::optional<int64_t> oldest_ns;
  for (const std::shared_ptr<Exchange>& exchange : exchanges_) {
    if (exchange->is_answered() && exchange->lying_bytes() > 0) {
      oldest_ns = std::min(oldest_ns.value_or(exchange->answered_at_ns()), exchange->answered_at_ns());
    }
  }
  return oldest_ns;
}

// Without what the system still keeps for the client, which is megabytes at once: by what is written alone,
// who takes slowly but steadily would seem to stand still.
uint64_t Connection::taken_bytes() {
  int kept_bytes = 0;
  if (ioctl(socket().native_handle(), SIOCOUTQ, &kept_bytes) != 0) {
    return written_bytes_;
  }
  const auto kept = static_cast<uint64_t>(std::max(kept_bytes, 0));
  return written_bytes_ - std::min(written_bytes_, kept);
}

bool Connection::is_too_slow(Pace* pace, int64_t now_ns, uint64_t all_bytes) const {
  const ServerTimeouts& times = shared_.timeouts;
  return pace->is_too_slow(now_ns, all_bytes, {times.progress_ms, times.least_bytes_per_s}).value_or(false);
}

void Connection::look_at_taking(int64_t now_ns) {
  const ServerTimeouts& times = shared_.timeouts;
  const std::optional<int64_t> oldest_ns = oldest_answer_ns();
  taking_pace_.look(now_ns, oldest_ns ? taken_bytes() : 0, oldest_ns,
                    {times.taking_ms, times.least_taken_bytes_per_s});
}

void Connection::check(int64_t now_ns) {
  if (is_closed_) {
    return;
  }
  look_at_taking(now_ns);
  if (is_ending_) {
    return now_ns >= ends_at_ns_ ? close_now() : void();
  }
  if (is_writing_ && is_too_slow(&writing_pace_, now_ns, taken_bytes())) {
    shared_.rules->counters.refused_slow.add(1);
    return close_now();
  }
  if (reader_ != nullptr) {
    return check_reading(now_ns);
  }
  if (writes_nothing() && now_ns - idle_since_ns_ >= idle_limit_ms_ * kMillisecond) {
    close_now();
  }
}

void Connection::check_reading(int64_t now_ns) {
  if (reader_->wants_continue()) {
    reading_pace_.begin(now_ns, received_bytes_);  // it is us for whom the client waits
  }
  const bool is_late = reader_->has_head()
                           ? is_too_slow(&reading_pace_, now_ns, received_bytes_)
                           : now_ns - request_since_ns_ >= shared_.timeouts.header_ms * kMillisecond;
  if (is_late) {
    reader_->refuse(408, "the request came too slowly", &shared_.rules->counters.refused_slow);
    take_in();
  }
}

}  // namespace forebay::net
