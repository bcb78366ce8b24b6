// Which entries of a cache go when room is needed, and which never come in. The cache does the work: it keeps
// the bytes, frees the space and waits for readers; a policy only decides.
//
// A cache asks with its lock held, one call at a time, so a policy needs no lock. Every call is short, and
// used() allocates nothing: it is made for each hit. A policy's memory is bounded by the number of entries
// (and of ghosts, for those that remember what they evicted).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "forebay/cache/entries/entry_key.h"

namespace forebay::cache {

/// An entry's place in the cache's table: dense from 0 on, and used again once the entry is gone. State that
/// a policy keeps per entry fits an array indexed by it.
using EntrySlot = uint32_t;

/// What users asked for an entry.
struct Retention {
  /// Entries of a lower priority go first.
  int8_t priority = 0;
  /// Never a victim until unpinned.
  bool is_pinned = false;
  /// Seconds on the cache's clock after which the entry is no longer served. The cache itself drops it, when
  /// it is asked for or before anything else has to go, so a policy need not look at this.
  uint32_t expires_s = std::numeric_limits<uint32_t>::max();

  friend bool operator==(const Retention&, const Retention&) = default;
};

/// An entry that was, or may be, added.
struct EntryFacts {
  EntryKey key;
  uint64_t bytes = 0;  // space that its removal frees
  Retention retention;
};

struct PlannedRoom;

/// Thread compatible.
class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;

  /// Whether the entry is worth what would have to go for it. Asked only if it does not fit into free space;
  /// false: it is read past the cache.
  virtual bool admits(const EntryFacts& candidate) = 0;

  /// The entry is in the cache from now on. `slot` is not in use by another entry.
  virtual void inserted(EntrySlot slot, const EntryFacts& entry) = 0;
  /// The entry was read. Not told of the read that caused it to be inserted.
  virtual void used(EntrySlot slot) = 0;
  /// Pinned, unpinned, or given another priority or time.
  virtual void retention_changed(EntrySlot slot, const Retention& retention) = 0;
  /// The entry is gone for another reason than take_victim(): damaged, replaced, expired, removed by a user.
  virtual void removed(EntrySlot slot) = 0;

  /// Chooses the entry that goes next, and forgets it: removed() does not follow, and its slot may come back
  /// for another entry. Nothing if all entries are pinned or there are none.
  virtual std::optional<EntrySlot> take_victim() = 0;

  /// The capacity is another from now on.
  virtual void capacity_changed(uint64_t /*capacity_bytes*/) {}

  /// The memory that it takes, ghosts included.
  virtual size_t memory_bytes() const = 0;

  /// What it shows to those who fetch ahead (policy/planned_room.h); null if it does not know the future.
  virtual std::shared_ptr<const PlannedRoom> room() const { return nullptr; }
};

/// Makes the policy of a cache of `capacity_bytes`, the sum of its directories' quotas, or of a folder of it
/// that has this quota.
using PolicyFactory = std::function<std::unique_ptr<EvictionPolicy>(uint64_t capacity_bytes)>;

}  // namespace forebay::cache
