// Whether a client is too slow: bytes that went in a time, and answers that lie meanwhile. Knows no socket
// and no clock.
#pragma once

#include <cstdint>
#include <optional>

namespace forebay::net {

struct PaceRules {
  int64_t time_ms = 0;
  uint64_t least_bytes_per_s = 0;  // in that time; one byte at least

  uint64_t least_bytes() const;
};

/// Bytes in one time after the other. One thread.
class Pace {
 public:
  /// The next time begins now, or with the next look.
  void begin(int64_t now_ns, uint64_t all_bytes) { since_ = Since{now_ns, all_bytes}; }
  void begin_with_next_look() { since_.reset(); }
  /// With the bytes that have gone so far, of which there are only ever more: at the end of a time, whether
  /// too few went in it; nothing before.
  std::optional<bool> is_too_slow(int64_t now_ns, uint64_t all_bytes, const PaceRules& rules);

 private:
  struct Since {
    int64_t time_ns = 0;
    uint64_t all_bytes = 0;
  };
  std::optional<Since> since_;
};

/// How a client takes its answers while some of them lie here. One thread.
class TakingPace {
 public:
  /// Now and then. `taken_bytes`: by the client, of all answers so far; `oldest_ns`: since when the oldest of
  /// the answers lies that are not taken, or nothing.
  void look(int64_t now_ns, uint64_t taken_bytes, std::optional<int64_t> oldest_ns, const PaceRules& rules);
  /// An answer begins to go to the client, and before it none could be taken: the next time begins with the
  /// next look, and what was said of the last is forgotten.
  void begin() {
    pace_.begin_with_next_look();
    is_slow_ = false;
  }
  /// Whether, at the last look, an answer had lain for a whole time, and in the last whole time too little
  /// was taken: of it, or of what is before it.
  bool is_too_slow() const { return is_slow_ && has_waited_; }

 private:
  Pace pace_;
  uint64_t taken_bytes_ = 0;
  bool is_slow_ = false;
  bool has_waited_ = false;
};

}  // namespace forebay::net
