// What waits to be stored, and what became of what could not be, for people and commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "forebay/cache/journal/journal.h"

namespace forebay::cache {

/// An object that somebody else had changed meanwhile.
struct WriteConflict {
  std::string uri;
  std::string kept_as;  // where the bytes that were acknowledged here lie now
};

struct WriteBackStatus {
  uint64_t objects = 0;  // that wait; the bytes of those that are being written count, too
  uint64_t bytes = 0;
  int64_t oldest_ns = 0;  // when the one that waits longest was acknowledged, since the Unix epoch; 0: none
  size_t uploading = 0;
  size_t failing = 0;  // objects whose last attempt failed
  std::string last_error;
  uint64_t stored = 0;   // objects that were stored, since the start
  uint64_t through = 0;  // that were not taken into the journal
  uint64_t conflicts = 0;
  std::deque<WriteConflict> last_conflicts;
  std::vector<JournalDamage> damaged;
  std::string off;  // why nothing is taken into the journal any more; empty: it is
};

}  // namespace forebay::cache
