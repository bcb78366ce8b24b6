// Entries whose bytes are in memory: those that wait to be written, and as many others as fit.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "forebay/cache/table/entry_table.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::cache {

/// First in, first out; what was used since it was looked at gets another turn. Thread compatible.
class MemoryTier {
 public:
  explicit MemoryTier(EntryTable* table) : table_(*table) {}

  void keep(EntrySlot slot, storage::ReadBytes bytes);
  const storage::ReadBytes& bytes_of(EntrySlot slot) const { return copies_.at(slot).bytes; }
  /// Returns what was kept, to be dropped without a lock.
  storage::ReadBytes drop(EntrySlot slot);
  /// Chooses an entry that is on disk as well; nothing if none is left that may go.
  std::optional<EntrySlot> next_to_drop();

  uint64_t total_bytes() const { return total_bytes_; }

 private:
  struct Copy {
    storage::ReadBytes bytes;
    uint64_t turn = 0;
  };
  struct Turn {
    EntrySlot slot;
    uint64_t turn;
  };

  bool is_current(const Turn& turn) const;

  EntryTable& table_;
  std::unordered_map<EntrySlot, Copy> copies_;
  std::deque<Turn> queue_;  // turns of entries that are gone are among them
  uint64_t next_turn_ = 0;
  uint64_t total_bytes_ = 0;
};

}  // namespace forebay::cache
