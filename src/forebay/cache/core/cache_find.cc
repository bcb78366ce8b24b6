// Hits: what is found, checked before its first use, and handed out as a view.
#include <algorithm>
#include <cerrno>

#include "forebay/base/system_error.h"
#include "forebay/cache/core/cache_core.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Entries that somebody reads: their space stays as it is.
class Lease {
 public:
  Lease(std::shared_ptr<CacheCore> core, std::vector<EntrySlot> slots, std::shared_ptr<const Mapping> mapping)
      : core_(std::move(core)), slots_(std::move(slots)), mapping_(std::move(mapping)) {}
  ~Lease() {
    if (core_->is_alive()) {
      core_->end_leases(slots_);
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  const std::shared_ptr<CacheCore> core_;
  const std::vector<EntrySlot> slots_;
  const std::shared_ptr<const Mapping> mapping_;
};

/// The entry with this key, if it holds all of the range and has not expired.
std::optional<EntrySlot> CacheCore::covering_at(const EntryKey& key, ByteRange range) {
  const std::optional<EntrySlot> slot = table_.find(key);
  if (!slot) {
    return std::nullopt;
  }
  const Entry& entry = table_[*slot];
  if (entry.expires_s <= now_s()) {
    doom(*slot);
    return std::nullopt;
  }
  const bool covers =
      range.offset_bytes <= entry.end_bytes() &&
      (range.length_bytes == storage::kToEnd ? entry.is_whole_tail
                                             : range.length_bytes <= entry.end_bytes() - range.offset_bytes);
  return covers ? slot : std::nullopt;
}

/// The entry begins where the range begins, or with a chunk; a small object is its first chunk.
std::optional<EntrySlot> CacheCore::covering(const ObjectId& object, ByteRange range) {
  std::optional<EntrySlot> slot = covering_at({object, range.offset_bytes}, range);
  if (!slot && range.offset_bytes > 0) {
    slot = covering_at({object, range.offset_bytes / kChunkBytes * kChunkBytes}, range);
  }
  return slot;
}

bool CacheCore::holds(const ObjectVersion& object, ByteRange range) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  const bool is_here = covers_all(object, range);
  std::swap(dropped, dropped_);
  return is_here;
}

bool CacheCore::covers_all(const ObjectVersion& object, ByteRange range) {
  return slots_of(object.id, range).has_value();
}

/// The entries that hold a range, in order; nothing unless they hold all of it.
std::optional<std::vector<EntrySlot>> CacheCore::slots_of(const ObjectId& object, ByteRange range) {
  if (const std::optional<EntrySlot> single = covering(object, range)) {
    return std::vector<EntrySlot>{*single};
  }
  if (range.length_bytes == storage::kToEnd) {
    return std::nullopt;
  }
  std::vector<EntrySlot> slots;
  const uint64_t end = range.end_bytes();
  for (uint64_t at = range.offset_bytes; at < end;) {
    const uint64_t start = at / kChunkBytes * kChunkBytes;
    const uint64_t stop = std::min(start + kChunkBytes, end);
    const std::optional<EntrySlot> slot = covering_at({object, start}, {at, stop - at});
    if (!slot) {
      return std::nullopt;
    }
    slots.push_back(*slot);
    at = stop;
  }
  return slots;
}

bool CacheCore::lease(EntrySlot slot) {
  if (is_closed_ || table_[slot].leases == std::numeric_limits<uint16_t>::max()) {
    return false;
  }
  ++table_[slot].leases;
  ++leases_;
  return true;
}

/// Of leases that nobody has used.
void CacheCore::take_back_leases(const std::vector<EntrySlot>& slots) {
  for (const EntrySlot slot : slots) {
    --table_[slot].leases;
    --leases_;
    free_if_unused(slot);
  }
}

void CacheCore::end_leases(const std::vector<EntrySlot>& slots) {
  const MutexLock lock(mutex_);
  for (const EntrySlot slot : slots) {
    --table_[slot].leases;
    --leases_;
    free_if_unused(slot);
  }
  unlock_if_unused();
}

/// Leases all chunks of a range of several, or none.
std::vector<EntrySlot> CacheCore::lease_chunks(const ObjectId& object, ByteRange range) {
  const ObjectFile* const file = space_.object_file(object);
  std::vector<EntrySlot> slots;
  if (file == nullptr || range.offset_bytes >= file->size_bytes()) {
    return slots;
  }
  const uint64_t left = file->size_bytes() - range.offset_bytes;
  const uint64_t end = range.offset_bytes + std::min(range.length_bytes, left);
  const uint64_t first = range.offset_bytes / kChunkBytes * kChunkBytes;
  bool is_whole = range.length_bytes == storage::kToEnd || range.length_bytes <= left;
  for (uint64_t start = first; is_whole && start < end; start += kChunkBytes) {
    const std::optional<EntrySlot> slot =
        covering_at({object, start}, {start, std::min(kChunkBytes, end - start)});
    is_whole = slot && table_[*slot].is_written && &*space_.file(table_[*slot].file) == file && lease(*slot);
    if (is_whole) {
      slots.push_back(*slot);
    }
  }
  if (!is_whole) {
    take_back_leases(slots);
    slots.clear();
  }
  return slots;
}

void CacheCore::count_hit(EntrySlot slot) {
  Entry& entry = table_[slot];
  entry.was_used = true;
  if (entry.is_in_policy) {
    policy_.used(slot);
  }
}

/// A part of an entry's copy in memory.
storage::ReadBytes CacheCore::held_part(EntrySlot slot, ByteRange range) {
  const Entry& entry = table_[slot];
  const storage::ReadBytes& held = memory_.bytes_of(slot);
  const uint64_t skipped = range.offset_bytes - entry.start_bytes;
  const uint64_t length = std::min(range.length_bytes, entry.end_bytes() - range.offset_bytes);
  storage::ReadBytes part = {.owner = held.owner, .bytes = held.bytes.subspan(skipped, length)};
  part.readable_behind = held.bytes.size() - skipped - length + held.readable_behind;
  count_hit(slot);
  counts_.memory_hit_bytes += length;
  return part;
}

/// Leases what holds the range on disk.
CacheCore::Leased CacheCore::lease_range(const ObjectId& object, ByteRange range, LookUp look_up) {
  Leased leased;
  const std::optional<EntrySlot> slot = covering(object, range);
  if (!slot) {
    leased.slots = lease_chunks(object, range);
  } else if (table_[*slot].is_written && lease(*slot)) {
    leased.slots.push_back(*slot);
  }
  for (const EntrySlot each : leased.slots) {
    leased.is_verified = leased.is_verified && table_[each].is_verified;
  }
  if (!leased.is_verified && look_up != LookUp::kCompare) {
    take_back_leases(leased.slots);
    return {.is_unchecked = true};
  }
  if (!leased.slots.empty()) {
    leased.first = record_of(table_[leased.slots.front()]);
    leased.last = record_of(table_[leased.slots.back()]);
    leased.file = space_.file(table_[leased.slots.front()].file);
  }
  std::ranges::for_each(leased.slots, [this](EntrySlot each) FOREBAY_REQUIRES(mutex_) { count_hit(each); });
  return leased;
}

Found CacheCore::find(const ObjectVersion& object, ByteRange range, LookUp look_up) {
  Found found;
  Leased leased;
  Dropped dropped;
  {
    const MutexLock lock(mutex_);
    const std::optional<EntrySlot> slot = covering(object.id, range);
    if (slot && table_[*slot].is_held) {
      found.bytes = held_part(*slot, range);
    } else {
      leased = lease_range(object.id, range, look_up);
      found.is_unchecked = leased.is_unchecked;
    }
    const bool is_missing = !found && leased.slots.empty() && !found.is_unchecked;
    counts_.misses += is_missing && look_up != LookUp::kResident ? 1 : 0;
    std::swap(dropped, dropped_);
  }
  if (!leased.slots.empty()) {
    found.bytes = view_of(object, range, std::move(leased));
  }
  if (found) {
    found.bytes->version = object.version;
    hits_.fetch_add(1, std::memory_order_relaxed);
  }
  return found;
}

/// The bytes of leased entries where their file is mapped, each checked before its first use.
std::optional<storage::ReadBytes> CacheCore::view_of(const ObjectVersion& object, ByteRange range,
                                                     Leased leased) {
  bool is_sound = true;
  for (size_t i = 0; i < leased.slots.size() && is_sound && !leased.is_verified; ++i) {
    is_sound = check(leased.slots[i], object) == Soundness::kSound;
  }
  Result<std::shared_ptr<const Mapping>> mapping = leased.file->mapping();
  if (!mapping.ok()) {
    const MutexLock lock(mutex_);
    space_.forget_mappings();  // a process has only so many
    mapping = leased.file->mapping();
  }
  const bool is_cut =
      mapping.ok() && (*mapping)->bytes().size() < leased.file->content_of(leased.last).end_bytes;
  if (is_cut || (!mapping.ok() && !is_of_process(mapping.status()))) {
    drop_lost(leased.slots);
  }
  if (!is_sound || is_cut || !mapping.ok()) {
    end_leases(leased.slots);
    const MutexLock lock(mutex_);
    ++counts_.misses;
    return std::nullopt;
  }
  const uint64_t end = leased.last.key.start_bytes + leased.last.length_bytes;
  const uint64_t length = std::min(range.length_bytes, end - range.offset_bytes);
  const uint64_t begin =
      leased.file->content_of(leased.first).begin_bytes + range.offset_bytes - leased.first.key.start_bytes;
  storage::ReadBytes view = {.bytes = (*mapping)->bytes().subspan(begin, length)};
  view.readable_behind = end - range.offset_bytes - length + leased.file->readable_behind(leased.last);
  disk_hit_bytes_.fetch_add(length, std::memory_order_relaxed);
  view.owner = std::make_shared<Lease>(shared_from_this(), std::move(leased.slots), *std::move(mapping));
  return view;
}

/// Leased entries whose file somebody has removed or cut short.
void CacheCore::drop_lost(const std::vector<EntrySlot>& slots) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  for (const EntrySlot slot : slots) {
    if (!table_[slot].is_doomed) {
      ++counts_.damaged;
      doom(slot);
    }
  }
  std::swap(dropped, dropped_);
}

/// Whether a leased entry is what it should be. Damaged ones go.
Soundness CacheCore::check(EntrySlot slot, const ObjectVersion& object) {
  {
    const MutexLock lock(mutex_);
    if (table_[slot].is_verified) {
      return Soundness::kSound;
    }
  }
  return compare(slot, object);
}

/// The same, also for an entry that was found sound before.
Soundness CacheCore::compare(EntrySlot slot, const ObjectVersion& object) {
  EntryRecord record;
  std::shared_ptr<EntryFile> file;
  {
    const MutexLock lock(mutex_);
    record = record_of(table_[slot]);
    file = space_.file(table_[slot].file);
  }
  return judge(slot, *file, file->check(record, object.text()));
}

/// Notes what a look at a leased entry has found.
Soundness CacheCore::judge(EntrySlot slot, const EntryFile& file, const Result<bool>& sound) {
  if (is_of_process(sound.status())) {
    return Soundness::kUnknown;  // the next reader looks again
  }
  const MutexLock lock(mutex_);
  Entry& entry = table_[slot];
  entry.is_verified = sound.ok() && *sound;
  if (!entry.is_verified) {
    const std::optional<int> error = errno_of(sound.status());
    if (error && *error != ENOENT) {  // a file that somebody has removed says nothing of the disk
      space_.turn_off(file.directory(), sound.status());
    }
    if (!entry.is_doomed) {  // else it goes already
      ++counts_.damaged;
      doom(slot);  // the caller's lease keeps the slot
    }
  }
  return entry.is_verified ? Soundness::kSound : Soundness::kDamaged;
}

Status CacheCore::read_back(const ObjectVersion& object, ByteRange range) {
  std::vector<EntrySlot> leased;
  {
    Dropped dropped;
    const MutexLock lock(mutex_);
    const std::optional<std::vector<EntrySlot>> slots = slots_of(object.id, range);
    std::swap(dropped, dropped_);
    bool is_there = slots.has_value();
    for (size_t i = 0; is_there && i < slots->size(); ++i) {
      is_there = (table_[(*slots)[i]].is_written || options_.directories.empty()) && lease((*slots)[i]);
      if (is_there) {
        leased.push_back((*slots)[i]);
      }
    }
    if (!is_there) {
      take_back_leases(leased);
      return failed_precondition("{}: it was not kept", object.uri);
    }
  }
  bool is_sound = true;
  for (const EntrySlot slot : leased) {
    is_sound = (options_.directories.empty() || compare(slot, object) == Soundness::kSound) && is_sound;
  }
  end_leases(leased);
  return is_sound ? ok_status() : data_loss("{}: what was written is not what is read back", object.uri);
}

}  // namespace forebay::cache
