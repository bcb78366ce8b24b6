// The cache's index: open addressing over 48-byte entries. With the eight bytes by which an entry's file
// knows it, an entry takes less than 64 bytes; a test measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "forebay/cache/entries/entry_key.h"
#include "forebay/cache/policy/eviction_policy.h"
#include "forebay/cache/table/expiry.h"

namespace forebay::cache {

inline constexpr uint32_t kNoFile = std::numeric_limits<uint32_t>::max();

/// What is known of an entry without reading its file.
struct Entry {
  ObjectId object;
  uint64_t start_bytes = 0;
  uint32_t length_bytes = 0;
  uint32_t file = kNoFile;  // kNoFile: in memory only
  uint32_t place = 0;       // where in the file, in units of kPlaceBytes
  uint32_t expires_s = kNeverExpires;
  uint16_t leases = 0;             // its bytes are in use: the space stays as it is
  bool is_written : 1 = false;     // its file holds the bytes
  bool is_verified : 1 = false;    // written or checked in this process's life
  bool is_whole_tail : 1 = false;  // the object ends where the entry ends
  bool is_doomed : 1 = false;      // no longer found; its space is freed when the last lease has ended
  bool is_held : 1 = false;        // a copy is in the memory tier
  bool was_used : 1 = false;       // since the memory tier looked last
  bool is_in_policy : 1 = false;
  bool is_pinned : 1 = false;
  int8_t priority = 0;

  EntryKey key() const { return {object, start_bytes}; }
  uint64_t end_bytes() const { return start_bytes + length_bytes; }
};
static_assert(sizeof(Entry) == 48);

/// Thread compatible.
class EntryTable {
 public:
  std::optional<EntrySlot> find(const EntryKey& key) const;

  /// The key must not be in the table.
  EntrySlot insert(const EntryKey& key);
  /// The entry is not found any more; its slot stays in use until release().
  void unlink(EntrySlot slot);
  void release(EntrySlot slot);

  Entry& operator[](EntrySlot slot) { return pages_[slot / kPageEntries][slot % kPageEntries]; }
  const Entry& operator[](EntrySlot slot) const { return pages_[slot / kPageEntries][slot % kPageEntries]; }

  /// Entries that can be found.
  size_t size() const { return linked_; }
  /// Slots that were ever in use are smaller.
  EntrySlot slots() const { return next_slot_; }
  size_t memory_bytes() const;

 private:
  static constexpr size_t kPageEntries = 1024;  // entries never move, and growing copies none
  static constexpr EntrySlot kEmpty = std::numeric_limits<EntrySlot>::max();

  size_t bucket_of(const EntryKey& key) const;
  size_t behind(size_t bucket) const { return bucket + 1 == buckets_.size() ? 0 : bucket + 1; }
  /// How many steps of the search lead from one bucket to another.
  size_t steps(size_t from, size_t to) const { return to >= from ? to - from : to + buckets_.size() - from; }
  size_t find_bucket(const EntryKey& key) const;
  void link(EntrySlot slot);
  void grow();

  std::vector<std::unique_ptr<Entry[]>> pages_;
  std::vector<EntrySlot> buckets_ = std::vector<EntrySlot>(16, kEmpty);  // linear probing
  EntrySlot first_free_ = kEmpty;  // free slots are chained by Entry::place
  EntrySlot next_slot_ = 0;
  size_t linked_ = 0;
};

}  // namespace forebay::cache
