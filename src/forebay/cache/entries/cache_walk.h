// Going through what a cache holds, by the names of its objects. The index knows only hashes of names, so
// each entry's name is read from its file; that is done in pieces, so that nobody waits long and whoever asks
// can show how far it is, or stop.
#pragma once

#include <cstdint>
#include <string>

namespace forebay::cache {

enum class WalkKind : uint8_t {
  kVerify = 1,  // the bytes on disk are compared with their checksums; damaged entries are dropped
  kFree,        // entries are dropped, but for those that are pinned; they do not return after a crash, but
                // for small ones that share a segment with others and chunks that somebody is looking at
  kApplyRules,  // by the cache itself, after its rules have changed
  kCount,       // nothing is done to entries, but that, as in all walks, what has expired goes
};

/// One piece of a walk.
struct CacheWalk {
  WalkKind kind = WalkKind::kVerify;
  std::string uri;     // of objects at or below it; empty: of all
  uint64_t begin = 0;  // 0, then where the piece before has ended
  uint64_t end = 0;    // 0, then what the first piece has said: what comes in later is not looked at
};

/// What became of a piece.
struct CacheWalked {
  uint64_t next = 0;  // where the next piece begins; the walk is over when this is `end`
  uint64_t end = 0;
  uint64_t entries = 0;  // at or below the URI
  uint64_t bytes = 0;    // of them
  uint64_t dropped = 0;  // freed, or damaged
  uint64_t dropped_bytes = 0;
  uint64_t pinned = 0;      // by kFree: left as they are; by kCount: of them, those that are pinned
  uint64_t unreadable = 0;  // nothing is known of them: no descriptors, no memory

  bool is_over() const { return next >= end; }
  /// Adds the counts of the piece that follows.
  void add(const CacheWalked& piece);
};

}  // namespace forebay::cache
