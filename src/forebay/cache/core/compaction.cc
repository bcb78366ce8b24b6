// Small entries share blocks of the file system, which are free once all of them have gone. So those that are
// left in a block of which a quarter or more is free are written elsewhere: at most three bytes for each that
// becomes free.
#include <algorithm>
#include <utility>

#include "forebay/cache/core/cache_core.h"

namespace forebay::cache {
namespace {

constexpr int kBlocksAtOnce = 64;  // before other jobs of the directory have their turn

storage::ReadBytes bytes_of_stored(const StoredEntry& stored, uint64_t length_bytes) {
  storage::ReadBytes view = {.owner = stored.content, .bytes = stored.content->bytes().first(length_bytes)};
  view.readable_behind = kZerosBehind;
  return view;
}

}  // namespace

void CacheCore::move_sparse_later() {
  DiskWorker* const worker = is_moving_ || is_closed_ || !is_open() ? nullptr : space_.worker_of_sparse();
  if (worker != nullptr) {
    is_moving_ = true;
    worker->add([this] { move_sparse(); }, 0);
  }
}

void CacheCore::move_sparse() {
  for (int i = 0; i < kBlocksAtOnce; ++i) {
    MovedEntries moved;
    {
      const MutexLock lock(mutex_);
      moved = next_to_move();
    }
    if (!moved.block.file) {
      break;
    }
    const bool is_read = read_moved(&moved);
    Dropped dropped;
    const MutexLock lock(mutex_);
    space_.end_sparse(moved.block);
    if (is_read) {
      move(&moved);
    }
    std::swap(dropped, dropped_);
  }
  const MutexLock lock(mutex_);
  is_moving_ = false;
  move_sparse_later();
}

/// Whether nobody reads or writes the entry, and it is where it was.
bool CacheCore::may_move(EntrySlot slot, uint32_t file) const {
  const Entry& entry = table_[slot];
  return entry.file == file && entry.is_written && !entry.is_doomed && entry.leases == 0 &&
         !writes_.contains(slot);
}

/// Nothing if no block is left that is worth it.
CacheCore::MovedEntries CacheCore::next_to_move() {
  while (is_open() && !is_closed_) {
    const std::optional<SparseBlock> block = space_.take_sparse();
    if (!block) {
      break;
    }
    MovedEntries moved = {.block = *block, .entries = {}};
    bool is_possible = space_.directory_of(*block->file).is_on;
    for (const EntrySlot slot : static_cast<Segment&>(*block->file).few_at(block->offset_bytes).slots) {
      is_possible = is_possible && may_move(slot, block->number);
      moved.entries.push_back({.slot = slot, .record = record_of(table_[slot]), .stored = {}});
    }
    if (is_possible && !moved.entries.empty()) {
      return moved;
    }
    space_.end_sparse(*block);
  }
  return {};
}

/// False if some of it cannot be read, or is damaged: whoever asks for it finds that out.
bool CacheCore::read_moved(MovedEntries* moved) const {
  return std::ranges::all_of(moved->entries, [&](MovedEntry& entry) {
    Result<std::optional<StoredEntry>> stored = static_cast<Segment&>(*moved->block.file).read(entry.record);
    if (!stored.ok() || !*stored) {
      return false;
    }
    entry.stored = **std::move(stored);
    return true;
  });
}

// Their old places are given up first, so that the new ones never take more than there is.
void CacheCore::move(MovedEntries* moved) {
  bool is_as_it_was = is_open() && space_.directory_of(*moved->block.file).is_on;
  for (const MovedEntry& entry : moved->entries) {
    is_as_it_was = is_as_it_was && may_move(entry.slot, moved->block.number) &&
                   table_[entry.slot].key() == entry.record.key &&
                   table_[entry.slot].place == entry.record.place;
  }
  if (!is_as_it_was) {
    return;
  }
  for (const MovedEntry& entry : moved->entries) {
    give_back(space_.drop(table_[entry.slot]));
    table_[entry.slot].file = kNoFile;
    table_[entry.slot].is_written = false;
  }
  for (MovedEntry& entry : moved->entries) {
    place_anew(entry);
  }
  seal_closed();
}

void CacheCore::place_anew(const MovedEntry& moved) {
  const ObjectVersion object(moved.stored.names.uri, moved.stored.names.version);
  const storage::ReadBytes bytes = bytes_of_stored(moved.stored, moved.record.length_bytes);
  const SpaceNeeded needed =
      space_for(object, {.start_bytes = moved.record.key.start_bytes}, bytes.size_bytes(), {});
  if (!space_.has_room(needed)) {
    evict(moved.slot);
    return;
  }
  Entry& entry = table_[moved.slot];
  if (!entry.is_held) {
    memory_.keep(moved.slot, bytes);
  }
  space_.place(moved.slot, needed, &entry);
  counts_.moved_bytes += bytes.size_bytes();
  write_later(moved.slot, object, bytes);
}

}  // namespace forebay::cache
