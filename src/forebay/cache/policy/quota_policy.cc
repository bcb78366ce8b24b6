#include "forebay/cache/policy/quota_policy.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {

struct QuotaPolicy::Part {
  struct Entry {
    EntrySlot slot = 0;  // the cache's
    uint32_t bytes = 0;
  };

  uint64_t quota_bytes = 0;
  uint64_t held_bytes = 0;
  bool is_ended = false;                   // its quota is in force no more
  std::unique_ptr<EvictionPolicy> policy;  // made for the first who needs it
  std::vector<Entry> entries;              // by the policy's slots
  std::vector<EntrySlot> free_slots;       // the policy's
};

QuotaPolicy::QuotaPolicy(const PolicyFactory& whole, PolicyFactory of_folder, uint64_t capacity_bytes)
    : make_policy_(std::move(of_folder)), whole_(whole(capacity_bytes)) {
}

QuotaPolicy::~QuotaPolicy() = default;

void QuotaPolicy::set_quotas(const Quotas& quotas) {
  std::erase_if(folders_, [&](const auto& known) {
    const auto found = quotas.find(known.first);
    Part& part = *parts_[known.second];
    part.is_ended = found == quotas.end() || found->second != part.quota_bytes;
    return part.is_ended;
  });
  for (const auto& [name, bytes] : quotas) {
    if (!folders_.contains(name)) {
      folders_.emplace(name, add_part(bytes));
    }
  }
}

QuotaPolicy::Folder QuotaPolicy::add_part(uint64_t quota_bytes) {
  auto part = std::make_unique<Part>();
  part->quota_bytes = quota_bytes;
  const auto free = std::ranges::find_if(parts_, [](const auto& each) { return each == nullptr; });
  const auto folder = static_cast<Folder>(free - parts_.begin());
  if (free == parts_.end()) {
    parts_.push_back(std::move(part));
  } else {
    *free = std::move(part);
  }
  return folder;
}

void QuotaPolicy::end_old_quotas() {
  for (Place& place : places_) {
    if (place.folder != kNoFolder && parts_[place.folder]->is_ended) {
      place = {};
    }
  }
  for (std::unique_ptr<Part>& part : parts_) {
    if (part && part->is_ended) {
      part.reset();
    }
  }
  if (folders_.empty()) {
    places_ = {};
    parts_.clear();
  }
}

QuotaPolicy::Folder QuotaPolicy::folder_of(std::string_view name) const {
  const auto found = folders_.find(name);
  return found == folders_.end() ? kNoFolder : found->second;
}

EvictionPolicy& QuotaPolicy::policy_of(Folder folder) {
  Part& part = *parts_[folder];
  if (!part.policy) {
    part.policy = make_policy_(part.quota_bytes);
  }
  return *part.policy;
}

std::shared_ptr<const PlannedRoom> QuotaPolicy::room_of(Folder folder) {
  return folder == kNoFolder ? nullptr : policy_of(folder).room();
}

bool QuotaPolicy::has_room(Folder folder, uint64_t bytes) const {
  return folder == kNoFolder || parts_[folder]->held_bytes + bytes <= parts_[folder]->quota_bytes;
}

bool QuotaPolicy::may_have_room(Folder folder, uint64_t bytes) const {
  return folder == kNoFolder || bytes <= parts_[folder]->quota_bytes;
}

std::optional<EntrySlot> QuotaPolicy::take_surplus() {
  for (const auto& [name, folder] : folders_) {
    if (!has_room(folder, 0)) {
      if (const std::optional<EntrySlot> victim = take_victim(folder)) {
        return victim;
      }
    }
  }
  return std::nullopt;
}

bool QuotaPolicy::admits(Folder folder, const EntryFacts& candidate) {
  return policy_of(folder).admits(candidate);
}

std::optional<EntrySlot> QuotaPolicy::take_victim() {
  const std::optional<EntrySlot> victim = whole_->take_victim();
  if (victim) {
    leave(*victim);
  }
  return victim;
}

std::optional<EntrySlot> QuotaPolicy::take_victim(Folder folder) {
  const std::optional<EntrySlot> chosen = policy_of(folder).take_victim();
  if (!chosen) {
    return std::nullopt;
  }
  const EntrySlot slot = parts_[folder]->entries[*chosen].slot;
  forget(slot);
  whole_->removed(slot);
  return slot;
}

void QuotaPolicy::inserted(EntrySlot slot, const EntryFacts& entry, Folder folder) {
  whole_->inserted(slot, entry);
  enter(slot, entry, folder);
}

void QuotaPolicy::used(EntrySlot slot) {
  whole_->used(slot);
  if (const Place place = place_of(slot); place.folder != kNoFolder) {
    policy_of(place.folder).used(place.slot);
  }
}

void QuotaPolicy::retention_changed(EntrySlot slot, const Retention& retention) {
  whole_->retention_changed(slot, retention);
  if (const Place place = place_of(slot); place.folder != kNoFolder) {
    policy_of(place.folder).retention_changed(place.slot, retention);
  }
}

void QuotaPolicy::removed(EntrySlot slot) {
  whole_->removed(slot);
  leave(slot);
}

void QuotaPolicy::move(EntrySlot slot, const EntryFacts& entry, Folder folder) {
  if (place_of(slot).folder != folder) {
    leave(slot);
    enter(slot, entry, folder);
  }
}

void QuotaPolicy::enter(EntrySlot slot, const EntryFacts& entry, Folder folder) {
  if (folder == kNoFolder) {
    return;
  }
  Part& part = *parts_[folder];
  auto at = static_cast<EntrySlot>(part.entries.size());
  if (part.free_slots.empty()) {
    part.entries.emplace_back();
  } else {
    at = part.free_slots.back();
    part.free_slots.pop_back();
  }
  part.entries[at] = {slot, static_cast<uint32_t>(entry.bytes)};
  part.held_bytes += entry.bytes;
  if (slot >= places_.size()) {
    places_.resize(slot + size_t{1});
  }
  places_[slot] = {folder, at};
  policy_of(folder).inserted(at, entry);
}

/// Its folder's policy learns that the entry has gone.
void QuotaPolicy::leave(EntrySlot slot) {
  if (const Place place = place_of(slot); place.folder != kNoFolder) {
    policy_of(place.folder).removed(place.slot);
    forget(slot);
  }
}

/// Its folder's policy knows that already.
void QuotaPolicy::forget(EntrySlot slot) {
  const Place place = std::exchange(places_[slot], {});
  Part& part = *parts_[place.folder];
  part.held_bytes -= part.entries[place.slot].bytes;
  part.free_slots.push_back(place.slot);
}

size_t QuotaPolicy::memory_bytes() const {
  size_t bytes = whole_->memory_bytes() + places_.capacity() * sizeof(Place);
  for (const std::unique_ptr<Part>& part : parts_) {
    if (part) {
      bytes += sizeof(Part) + part->entries.capacity() * sizeof(Part::Entry) +
               part->free_slots.capacity() * sizeof(EntrySlot) +
               (part->policy ? part->policy->memory_bytes() : 0);
    }
  }
  return bytes;
}

}  // namespace forebay::cache
