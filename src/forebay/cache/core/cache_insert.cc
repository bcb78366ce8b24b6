// What comes in: rules, room, and writing behind the answer.
#include <algorithm>

#include "forebay/cache/core/cache_core.h"

namespace forebay::cache {
namespace {

// Entries that are being read give their space back later; not all of the cache goes for one entry.
constexpr uint64_t kMaxEvicted = 16;  // times the new entry's bytes
constexpr uint64_t kLeastEvictedBytes = 1 << 20;
constexpr int kMaxExpiredForQuota = 64;

}  // namespace

SpaceNeeded CacheCore::space_for(const ObjectVersion& object, const Brought& brought, uint64_t length_bytes,
                                 const Retention& retention) const {
  SpaceNeeded needed = {.object = object.id, .object_bytes = brought.object_bytes.value_or(0)};
  needed.is_chunk = brought.is_chunk && !options_.directories.empty();
  needed.start_bytes = brought.start_bytes;
  needed.length_bytes = length_bytes;
  needed.uri_bytes = object.uri.size();
  needed.version_bytes = object.text().version.size();
  needed.priority = retention.priority;
  return needed;
}

bool CacheCore::has_room(const SpaceNeeded& needed) {
  if (table_.size() >= options_.most_entries) {
    return false;
  }
  if (options_.directories.empty()) {
    return memory_.total_bytes() + needed.length_bytes <= options_.memory_bytes;
  }
  return space_.has_room(needed);
}

/// Whether it would have if everything else went.
bool CacheCore::may_have_room(const SpaceNeeded& needed) {
  return options_.directories.empty() ? needed.length_bytes <= options_.memory_bytes
                                      : space_.may_have_room(needed);
}

// Looking for room looks at the disk again, if that is due.
bool CacheCore::may_keep(uint64_t bytes) {
  const MutexLock lock(mutex_);
  const SpaceNeeded needed = {.length_bytes = bytes};
  return !is_closed_ && (has_room(needed) || (may_have_room(needed) && !is_held()));
}

/// What is not served any more goes before anything else.
void CacheCore::drop_expired(absl::FunctionRef<bool()> is_enough) {
  const uint32_t now = now_s();
  while (!expiring_.is_empty() && table_[expiring_.top().slot].expires_s <= now && !is_enough()) {
    doom(expiring_.top().slot);
  }
}

/// Lets entries go until the new one fits; false if it is not worth that, or nothing else may go.
bool CacheCore::make_room(const SpaceNeeded& needed, const EntryFacts& facts, QuotaPolicy::FolderId folder) {
  const auto fits = [&]() FOREBAY_REQUIRES(mutex_) { return has_room(needed); };
  const auto fits_quota = [&]() FOREBAY_REQUIRES(mutex_) { return policy_.has_room(folder, facts.bytes); };
  const auto fits_both = [&]() FOREBAY_REQUIRES(mutex_) { return fits() && fits_quota(); };
  int left = kMaxExpiredForQuota;  // most of them may be of other folders
  drop_expired([&]() FOREBAY_REQUIRES(mutex_) { return fits() && (fits_quota() || --left < 0); });
  if (fits_both()) {
    return true;
  }
  if (!may_have_room(needed) || !policy_.may_have_room(folder, facts.bytes) || is_held()) {
    return false;
  }
  if (!fits_quota() && may_displace(folder, facts)) {
    evict_until(folder, facts.bytes, fits_both);
  }
  if (!fits_quota()) {
    return false;
  }
  return fits() ||
         (may_displace(QuotaPolicy::kWhole, facts) && evict_until(QuotaPolicy::kWhole, facts.bytes, fits));
}

/// Whether the entry is worth what would have to go for it.
bool CacheCore::may_displace(QuotaPolicy::FolderId folder, const EntryFacts& facts) {
  return policy_.admits(folder, facts) || facts.retention.is_pinned;
}

/// Lets entries of a folder go until `is_enough`, within what is reasonable for so many bytes; false if it is
/// not.
bool CacheCore::evict_until(QuotaPolicy::FolderId folder, uint64_t wanted_bytes,
                            absl::FunctionRef<bool()> is_enough) {
  const uint64_t most_bytes = std::max(kMaxEvicted * wanted_bytes, kLeastEvictedBytes);
  const uint64_t before = counts_.evicted_bytes;
  while (counts_.evicted_bytes - before < most_bytes && evict_next(folder)) {
    if (is_enough()) {
      return true;
    }
  }
  return false;
}

void CacheCore::set_beside(std::shared_ptr<std::atomic<uint64_t>> bytes) {
  const MutexLock lock(mutex_);
  space_.directories().front().beside = std::move(bytes);
}

// Added to with the lock held alone: what was found to have room has it until it is placed.
bool CacheCore::reserve_beside(uint64_t bytes) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  CacheDirectory& first = space_.directories().front();
  if (is_closed_ || !first.owned || !first.is_on) {
    return false;  // what is not this cache's own is left alone
  }
  space_.look_if_due(first, bytes);
  first.beside->fetch_add(bytes, std::memory_order_relaxed);
  const auto fits = [&] { return first.taken_bytes() + first.put_off_beyond_part() <= first.limit_bytes; };
  drop_expired(fits);
  const bool has_room = fits() || (!is_held() && evict_until(QuotaPolicy::kWhole, bytes, fits));
  if (has_room) {
    space_.note_written(first, bytes);
  } else {
    first.beside->fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::swap(dropped, dropped_);
  return has_room;
}

/// Lets the next entry of a folder go; false if nothing may.
bool CacheCore::evict_next(QuotaPolicy::FolderId folder) {
  const std::optional<EntrySlot> victim = policy_.take_victim(folder);
  if (victim) {
    table_[*victim].is_in_policy = false;
    evict(*victim);
  }
  return victim.has_value();
}

void CacheCore::evict(EntrySlot slot) {
  ++counts_.evictions;
  counts_.evicted_bytes += table_[slot].length_bytes;
  doom(slot);
}

/// Whether the entry would be new and may be kept at all.
bool CacheCore::is_wanted(const SpaceNeeded& needed) {
  const ByteRange range = {needed.start_bytes, needed.length_bytes};
  if (is_closed_ || needed.length_bytes == 0 || covering(needed.object, range)) {
    return false;
  }
  if (needed.is_chunk) {
    const ObjectFile* const file = space_.object_file(needed.object);
    return needed.object_bytes > 0 && needed.object_bytes <= kMaxObjectBytes &&
           (file == nullptr || (file->size_bytes() == needed.object_bytes && !file->is_going &&
                                file->leaving.count(needed.start_bytes) == 0));
  }
  return true;
}

void CacheCore::insert(const ObjectVersion& object, const Brought& brought, storage::ReadBytes bytes) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  const RuleTableRef rules = this->rules();
  const AdmissionRule& rule = rules->of(object.uri);
  Retention retention = rule.retention;
  retention.is_pinned = may_pin(rule, bytes.size_bytes(), false);
  if (rule.time_to_live_s > 0) {
    retention.expires_s = expiry_after(now_s(), rule.time_to_live_s);
  }
  const SpaceNeeded needed = space_for(object, brought, bytes.size_bytes(), retention);
  const EntryFacts facts = {{object.id, brought.start_bytes}, needed.length_bytes, retention};
  const bool is_named = object.uri.size() <= kMaxUriBytes &&
                        object.text().version.size() <= kMaxVersionBytes && !object.version.empty() &&
                        needed.length_bytes <= kChunkBytes;
  const bool is_allowed =
      rule.is_cached && brought.object_bytes.value_or(needed.length_bytes) <= rule.largest_object_bytes;

  if (!is_named || !is_allowed) {
    ++counts_.bypasses;
    return;
  }
  if (!is_wanted(needed)) {
    return;
  }
  const QuotaPolicy::FolderId folder = policy_.folder_of(rule.prefix);
  if (!make_room(needed, facts, folder) || !is_wanted(needed)) {  // its own file may have gone for the room
    ++counts_.bypasses;
    std::swap(dropped, dropped_);
    return;
  }
  if (const std::optional<EntrySlot> shorter = table_.find(facts.key)) {
    doom(*shorter);
  }
  const EntrySlot slot = table_.insert(facts.key);
  Entry& entry = table_[slot];
  entry.length_bytes = static_cast<uint32_t>(needed.length_bytes);
  set_expiry(slot, retention.expires_s);
  entry.priority = retention.priority;
  entry.is_whole_tail = brought.object_bytes == entry.end_bytes();
  entry.is_in_policy = true;
  set_pinned(slot, retention.is_pinned);
  policy_.inserted(slot, facts, folder);
  ++counts_.insertions;
  counts_.pins_refused += rule.retention.is_pinned && !retention.is_pinned ? 1 : 0;
  memory_.keep(slot, bytes);
  if (!options_.directories.empty()) {
    space_.place(slot, needed, &entry);
    write_later(slot, object, std::move(bytes));
    seal_closed();
  }
  std::swap(dropped, dropped_);
}

void CacheCore::write_later(EntrySlot slot, const ObjectVersion& object, storage::ReadBytes bytes) {
  const std::shared_ptr<EntryFile>& file = space_.file(table_[slot].file);
  const uint64_t size_bytes = bytes.size_bytes();
  writes_[slot] = space_.worker_of(*file).add(
      [this, slot, object, bytes = std::move(bytes), file, record = record_of(table_[slot])] {
        written(slot, file->write(record, object.text(), bytes.bytes));
      },
      size_bytes);
}

void CacheCore::written(EntrySlot slot, const Status& status) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  writes_.erase(slot);
  Entry& entry = table_[slot];
  entry.is_written = true;
  entry.is_verified = status.ok();
  if (entry.place != 0) {
    space_.written(entry.file);
  }
  const uint32_t directory = space_.file(entry.file)->directory();
  if (status.ok()) {
    space_.note_written(directory);
  } else {
    space_.turn_off(directory, status);
  }
  if (!status.ok() && !entry.is_doomed) {
    doom(slot);
  } else {
    free_if_unused(slot);
  }
  seal_closed();
  trim_memory();
  std::swap(dropped, dropped_);
}

/// Queues the footers of segments that are full.
void CacheCore::seal_closed() {
  if (is_closed_) {
    return;
  }
  for (const uint32_t number : space_.take_closed()) {
    Segment& segment = space_.segment(number);
    if (segment.is_empty()) {
      give_back(space_.drop_segment(number));
      continue;
    }
    std::vector<EntryRecord> records;
    for (const EntrySlot slot : segment.slots()) {
      records.push_back(record_of(table_[slot]));
    }
    space_.worker_of(segment).add(
        [this, file = space_.file(number), records = std::move(records)] {
          const Status status = static_cast<Segment&>(*file).seal(records);
          if (!status.ok()) {
            const MutexLock lock(mutex_);
            space_.turn_off(file->directory(), status);
          }
        },
        0);
  }
}

void CacheCore::help_writing() {
  const std::vector<std::shared_ptr<DiskWorker>> workers = this->workers();
  for (const std::shared_ptr<DiskWorker>& worker : workers) {
    worker->help(options_.write_behind_bytes / workers.size());
  }
}

}  // namespace forebay::cache
