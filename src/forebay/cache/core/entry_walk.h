// One piece of a walk through a cache's entries (cache_walk.h).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/entries/cache_walk.h"

namespace forebay::cache {

/// Used once. Reads the disk on the calling thread, and waits for the disk where entries were dropped.
class EntryWalk {
 public:
  /// A piece ends when it has passed this many slots, or read this many bytes.
  static constexpr uint64_t kMaxSlots = 16'384;
  static constexpr uint64_t kMaxBytes = uint64_t{32} << 20;

  EntryWalk(CacheCore* core, CacheWalk piece);

  CacheWalked run();

 private:
  /// An entry on disk that stays where it is meanwhile.
  struct Held {
    EntrySlot slot = 0;
    EntryRecord record;
    std::shared_ptr<EntryFile> file;
    bool is_pinned = false;
  };

  std::vector<Held> hold_some();
  void look_at(const Held& held);
  void verify(const Held& held, const Result<std::optional<ObjectNames>>& names);
  void apply(const Held& held, const AdmissionRule& rule);

  CacheCore& core_;
  const CacheWalk piece_;
  const RuleTableRef rules_;
  CacheWalked walked_;
};

}  // namespace forebay::cache
