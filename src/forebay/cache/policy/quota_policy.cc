#include "forebay/cache/policy/quota_policy.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {

struct QuotaPolicy::Folder {
  struct Entry {
    EntrySlot slot = 0;  // the cache's
    uint32_t bytes = 0;
  };

  uint64_t quota_bytes = 0;
  uint64_t held_bytes = 0;
  bool is_ended = false;                   // its quota is no longer in force
  std::unique_ptr<EvictionPolicy> policy;  // made when first needed
  std::vector<Entry> entries;              // by the policy's slots
  std::vector<EntrySlot> free_slots;       // the policy's
};

QuotaPolicy::QuotaPolicy(const PolicyFactory& whole, PolicyFactory of_folder, uint64_t capacity_bytes)
    : make_policy_(std::move(of_folder)), whole_(whole(capacity_bytes)) {
}

QuotaPolicy::~QuotaPolicy() = default;

void QuotaPolicy::set_quotas(const Quotas& quotas) {
  std::erase_if(ids_, [&](const auto& known) {
    Folder& folder = *folders_[known.second];
    folder.is_ended = !quotas.contains(known.first);
    return folder.is_ended;
  });
  for (const auto& [name, bytes] : quotas) {
    const auto known = ids_.find(name);
    if (known == ids_.end()) {
      ids_.emplace(name, add_folder(bytes));
      continue;
    }
    Folder& folder = *folders_[known->second];
    if (std::exchange(folder.quota_bytes, bytes) != bytes && folder.policy) {
      folder.policy->capacity_changed(bytes);
    }
  }
}

QuotaPolicy::FolderId QuotaPolicy::add_folder(uint64_t quota_bytes) {
  auto folder = std::make_unique<Folder>();
  folder->quota_bytes = quota_bytes;
  const auto unused = std::ranges::find_if(folders_, [](const auto& each) { return each == nullptr; });
  const auto id = static_cast<FolderId>(unused - folders_.begin());
  if (unused == folders_.end()) {
    folders_.push_back(std::move(folder));
  } else {
    *unused = std::move(folder);
  }
  return id;
}

void QuotaPolicy::end_old_quotas() {
  const auto is_ended = [](const std::unique_ptr<Folder>& folder) { return folder && folder->is_ended; };
  if (std::ranges::none_of(folders_, is_ended)) {
    return;
  }
  for (Place& place : places_) {
    if (place.folder != kWhole && is_ended(folders_[place.folder])) {
      place = {};
    }
  }
  for (std::unique_ptr<Folder>& folder : folders_) {
    if (is_ended(folder)) {
      folder.reset();
    }
  }
  if (ids_.empty()) {
    places_ = {};
    folders_.clear();
  }
}

QuotaPolicy::FolderId QuotaPolicy::folder_of(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? kWhole : found->second;
}

EvictionPolicy& QuotaPolicy::policy_of(FolderId id) {
  if (id == kWhole) {
    return *whole_;
  }
  Folder& folder = *folders_[id];
  if (!folder.policy) {
    folder.policy = make_policy_(folder.quota_bytes);
  }
  return *folder.policy;
}

std::shared_ptr<const PlannedRoom> QuotaPolicy::room_of(FolderId folder) {
  return folder == kWhole ? nullptr : policy_of(folder).room();
}

bool QuotaPolicy::has_room(FolderId folder, uint64_t bytes) const {
  return folder == kWhole || folders_[folder]->held_bytes + bytes <= folders_[folder]->quota_bytes;
}

bool QuotaPolicy::may_have_room(FolderId folder, uint64_t bytes) const {
  return folder == kWhole || bytes <= folders_[folder]->quota_bytes;
}

bool QuotaPolicy::admits(FolderId folder, const EntryFacts& candidate) {
  return policy_of(folder).admits(candidate);
}

std::optional<EntrySlot> QuotaPolicy::take_victim(FolderId folder) {
  const std::optional<EntrySlot> chosen = policy_of(folder).take_victim();
  if (!chosen) {
    return std::nullopt;
  }
  if (folder == kWhole) {
    leave(*chosen);
    return chosen;
  }
  const EntrySlot slot = folders_[folder]->entries[*chosen].slot;
  forget(slot);
  whole_->removed(slot);
  return slot;
}

void QuotaPolicy::inserted(EntrySlot slot, const EntryFacts& entry, FolderId folder) {
  whole_->inserted(slot, entry);
  enter(slot, entry, folder);
}

void QuotaPolicy::used(EntrySlot slot) {
  whole_->used(slot);
  if (const Place place = place_of(slot); place.folder != kWhole) {
    policy_of(place.folder).used(place.slot);
  }
}

void QuotaPolicy::retention_changed(EntrySlot slot, const Retention& retention) {
  whole_->retention_changed(slot, retention);
  if (const Place place = place_of(slot); place.folder != kWhole) {
    policy_of(place.folder).retention_changed(place.slot, retention);
  }
}

void QuotaPolicy::removed(EntrySlot slot) {
  whole_->removed(slot);
  leave(slot);
}

void QuotaPolicy::move(EntrySlot slot, const EntryFacts& entry, FolderId folder) {
  if (place_of(slot).folder != folder) {
    leave(slot);
    enter(slot, entry, folder);
  }
}

void QuotaPolicy::enter(EntrySlot slot, const EntryFacts& entry, FolderId id) {
  if (id == kWhole) {
    return;
  }
  Folder& folder = *folders_[id];
  auto at = static_cast<EntrySlot>(folder.entries.size());
  if (folder.free_slots.empty()) {
    folder.entries.emplace_back();
  } else {
    at = folder.free_slots.back();
    folder.free_slots.pop_back();
  }
  folder.entries[at] = {slot, static_cast<uint32_t>(entry.bytes)};
  folder.held_bytes += entry.bytes;
  if (slot >= places_.size()) {
    places_.resize(slot + size_t{1});
  }
  places_[slot] = {id, at};
  policy_of(id).inserted(at, entry);
}

/// Its folder's policy learns that the entry has gone.
void QuotaPolicy::leave(EntrySlot slot) {
  if (const Place place = place_of(slot); place.folder != kWhole) {
    policy_of(place.folder).removed(place.slot);
    forget(slot);
  }
}

/// Its folder's policy knows that already.
void QuotaPolicy::forget(EntrySlot slot) {
  const Place place = std::exchange(places_[slot], {});
  Folder& folder = *folders_[place.folder];
  folder.held_bytes -= folder.entries[place.slot].bytes;
  folder.free_slots.push_back(place.slot);
}

size_t QuotaPolicy::memory_bytes() const {
  size_t bytes = whole_->memory_bytes() + places_.capacity() * sizeof(Place);
  for (const std::unique_ptr<Folder>& folder : folders_) {
    if (folder) {
      bytes += sizeof(Folder) + folder->entries.capacity() * sizeof(Folder::Entry) +
               folder->free_slots.capacity() * sizeof(EntrySlot) +
               (folder->policy ? folder->policy->memory_bytes() : 0);
    }
  }
  return bytes;
}

}  // namespace forebay::cache
