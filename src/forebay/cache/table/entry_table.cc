#include "forebay/cache/table/entry_table.h"

#include "forebay/base/check.h"

namespace forebay::cache {

size_t EntryTable::bucket_of(const EntryKey& key) const {
  return static_cast<size_t>((static_cast<unsigned __int128>(key.hash()) * buckets_.size()) >> 64);
}

/// The bucket that holds the key, or the empty one where the search for it ends.
size_t EntryTable::find_bucket(const EntryKey& key) const {
  size_t bucket = bucket_of(key);
  while (buckets_[bucket] != kEmpty && (*this)[buckets_[bucket]].key() != key) {
    bucket = behind(bucket);
  }
  return bucket;
}

std::optional<EntrySlot> EntryTable::find(const EntryKey& key) const {
  const EntrySlot slot = buckets_[find_bucket(key)];
  return slot == kEmpty ? std::nullopt : std::optional(slot);
}

void EntryTable::link(EntrySlot slot) {
  buckets_[find_bucket((*this)[slot].key())] = slot;
}

void EntryTable::grow() {
  const std::vector<EntrySlot> old = std::move(buckets_);
  buckets_.assign(old.size() + old.size() / 4,
                  kEmpty);  // by quarters: doubling would leave more than half empty
  for (const EntrySlot slot : old) {
    if (slot != kEmpty) {
      link(slot);
    }
  }
}

EntrySlot EntryTable::insert(const EntryKey& key) {
  if ((linked_ + 1) * 5 > buckets_.size() * 4) {
    grow();
  }
  EntrySlot slot = next_slot_;
  if (first_free_ != kEmpty) {
    slot = first_free_;
    first_free_ = (*this)[slot].place;
  } else {
    if (slot % kPageEntries == 0) {
      pages_.push_back(std::make_unique<Entry[]>(kPageEntries));
    }
    ++next_slot_;
  }
  (*this)[slot] = Entry{.object = key.object, .start_bytes = key.start_bytes};
  link(slot);
  ++linked_;
  return slot;
}

void EntryTable::unlink(EntrySlot slot) {
  size_t hole = find_bucket((*this)[slot].key());
  FOREBAY_CHECK(buckets_[hole] == slot);
  // Entries behind the hole move into it unless they already are as near to their own bucket as they can be.
  for (size_t next = behind(hole); buckets_[next] != kEmpty; next = behind(next)) {
    const size_t wanted = bucket_of((*this)[buckets_[next]].key());
    if (steps(wanted, next) >= steps(hole, next)) {
      buckets_[hole] = buckets_[next];
      hole = next;
    }
  }
  buckets_[hole] = kEmpty;
  --linked_;
}

void EntryTable::release(EntrySlot slot) {
  (*this)[slot] = Entry{.place = first_free_};
  first_free_ = slot;
}

size_t EntryTable::memory_bytes() const {
  return pages_.size() * kPageEntries * sizeof(Entry) + pages_.capacity() * sizeof(pages_[0]) +
         buckets_.capacity() * sizeof(EntrySlot);
}

}  // namespace forebay::cache
