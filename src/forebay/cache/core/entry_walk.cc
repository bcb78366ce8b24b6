#include "forebay/cache/core/entry_walk.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {
namespace {

constexpr size_t kHeldAtOnce = 16;

}  // namespace

void CacheWalked::add(const CacheWalked& piece) {
  next = piece.next;
  end = piece.end;
  entries += piece.entries;
  bytes += piece.bytes;
  dropped += piece.dropped;
  dropped_bytes += piece.dropped_bytes;
  pinned += piece.pinned;
  unreadable += piece.unreadable;
}

EntryWalk::EntryWalk(CacheCore* core, CacheWalk piece)
    : core_(*core), piece_(std::move(piece)), rules_(core->rules()) {
  walked_.next = piece_.begin;
  walked_.end = piece_.end;
}

CacheWalked EntryWalk::run() {
  if (piece_.begin == 0) {
    core_.flush();  // what waits to be written is not on disk, where its name is
    walked_.end = core_.slots();
  }
  uint64_t read_bytes = 0;
  while (!walked_.is_over() && walked_.next - piece_.begin < kMaxSlots && read_bytes < kMaxBytes) {
    const std::vector<Held> some = hold_some();
    std::vector<EntrySlot> slots;
    for (const Held& held : some) {
      slots.push_back(held.slot);
      look_at(held);
      read_bytes += piece_.kind == WalkKind::kVerify ? held.record.length_bytes : kFileBlockBytes;
    }
    core_.end_leases(slots);
  }
  if (walked_.dropped > 0) {
    core_.flush();  // the disk has its space back, and what was dropped does not return after a crash
  }
  return walked_;
}

/// Leases the next entries on disk. What has expired goes.
std::vector<EntryWalk::Held> EntryWalk::hold_some() {
  std::vector<Held> some;
  CacheCore::Dropped dropped;
  const MutexLock lock(core_.mutex_);
  const uint64_t end = std::min<uint64_t>(walked_.end, core_.table_.slots());
  const uint64_t stop = piece_.begin + kMaxSlots;
  while (walked_.next < std::min(end, stop) && some.size() < kHeldAtOnce) {
    const auto slot = static_cast<EntrySlot>(walked_.next++);
    const Entry& entry = core_.table_[slot];
    if (!entry.is_written || entry.is_doomed) {
      continue;
    }
    if (entry.expires_s <= core_.now_s()) {
      core_.doom(slot);
    } else if (core_.lease(slot)) {
      some.push_back({slot, core_.record_of(entry), core_.space_.file(entry.file), entry.is_pinned});
    } else {
      ++walked_.unreadable;
    }
  }
  if (walked_.next >= end) {
    walked_.next = walked_.end;
  }
  std::swap(dropped, core_.dropped_);
  return some;
}

void EntryWalk::look_at(const Held& held) {
  const Result<std::optional<ObjectNames>> names = held.file->names_of(held.record);
  const bool is_named = names.ok() && *names;
  const std::string_view uri = is_named ? std::string_view((*names)->uri) : std::string_view();
  if (is_named && !lies_below(uri, piece_.uri)) {
    return;
  }
  if (piece_.kind == WalkKind::kVerify) {
    verify(held, names);
  } else if (!names.ok()) {
    ++walked_.unreadable;
  } else if (is_named) {
    ++walked_.entries;
    walked_.bytes += held.record.length_bytes;
    apply(held, rules_->of(uri));
  }
}

void EntryWalk::verify(const Held& held, const Result<std::optional<ObjectNames>>& names) {
  Result<bool> sound = names.ok() ? Result<bool>(names->has_value()) : names.status();
  if (sound.ok() && *sound) {
    sound = held.file->check(held.record, {(*names)->uri, (*names)->version});
  }
  ++walked_.entries;
  walked_.bytes += held.record.length_bytes;
  switch (core_.judge(held.slot, *held.file, sound)) {
    case Soundness::kSound:
      break;
    case Soundness::kUnknown:
      ++walked_.unreadable;
      break;
    case Soundness::kDamaged:
      ++walked_.dropped;
      walked_.dropped_bytes += held.record.length_bytes;
      break;
  }
}

/// The rule says whether the entry is pinned, also where an earlier run has left it.
void EntryWalk::apply(const Held& held, const AdmissionRule& rule) {
  if (piece_.kind == WalkKind::kCount) {
    walked_.pinned += held.is_pinned ? 1 : 0;
    return;
  }
  const bool is_applied = piece_.kind == WalkKind::kApplyRules || rule.retention.is_pinned;
  const bool is_pinned = is_applied && core_.apply_rule(held.slot, rule);
  walked_.pinned += is_pinned ? 1 : 0;
  if (piece_.kind == WalkKind::kFree && !is_pinned && core_.drop(held.slot)) {
    ++walked_.dropped;
    walked_.dropped_bytes += held.record.length_bytes;
  }
}

}  // namespace forebay::cache
