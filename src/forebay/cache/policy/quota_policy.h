// The policy of a whole cache, beside one for each folder that has a quota: what comes into a full folder is
// weighed against that folder's entries alone, and only they go for it.
//
// A quota is a ceiling, not a reservation: where the whole cache needs room, entries of any folder go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/cache/policy/eviction_policy.h"

namespace forebay::cache {

/// Thread compatible. Beside what the policies take, 20 bytes for each entry that counts in a quota, and 8
/// for each other one once there are quotas. An entry has less than 4 GiB.
class QuotaPolicy {
 public:
  /// A folder with a quota.
  using Folder = uint32_t;
  static constexpr Folder kNoFolder = std::numeric_limits<Folder>::max();
  /// Bytes by folder.
  using Quotas = std::map<std::string, uint64_t, std::less<>>;

  /// `whole` and `of_folder` make the policies, the second with a folder's quota as its capacity.
  QuotaPolicy(const PolicyFactory& whole, PolicyFactory of_folder, uint64_t capacity_bytes);
  ~QuotaPolicy();

  /// From now on these hold for what comes. Entries stay where they were counted until move() or
  /// end_old_quotas().
  void set_quotas(const Quotas& quotas);
  /// Entries that still count in a quota which set_quotas() has ended count in none.
  void end_old_quotas();
  /// kNoFolder if it has no quota.
  Folder folder_of(std::string_view name) const;
  /// What its policy shows to those who fetch ahead; null if it knows no future, and for kNoFolder.
  std::shared_ptr<const PlannedRoom> room_of(Folder folder);

  /// Whether so many more bytes are within the folder's quota; always for kNoFolder.
  bool has_room(Folder folder, uint64_t bytes) const;
  /// Whether so many bytes would be if all else in the folder went.
  bool may_have_room(Folder folder, uint64_t bytes) const;

  /// See EvictionPolicy; where a folder is named, its policy decides alone.
  bool admits(const EntryFacts& candidate) { return whole_->admits(candidate); }
  bool admits(Folder folder, const EntryFacts& candidate);
  std::optional<EntrySlot> take_victim();
  std::optional<EntrySlot> take_victim(Folder folder);
  /// A victim of a folder that holds more than it may, since its quota came after its entries.
  std::optional<EntrySlot> take_surplus();

  void inserted(EntrySlot slot, const EntryFacts& entry, Folder folder);
  void used(EntrySlot slot);
  void retention_changed(EntrySlot slot, const Retention& retention);
  void removed(EntrySlot slot);
  /// The entry counts in another folder from now on, or in none.
  void move(EntrySlot slot, const EntryFacts& entry, Folder folder);

  size_t memory_bytes() const;

 private:
  struct Part;
  /// Where an entry is counted. A folder's policy has slots of its own, dense as it wants them.
  struct Place {
    Folder folder = kNoFolder;
    EntrySlot slot = 0;
  };

  Place place_of(EntrySlot slot) const { return slot < places_.size() ? places_[slot] : Place(); }
  Folder add_part(uint64_t quota_bytes);
  EvictionPolicy& policy_of(Folder folder);
  void enter(EntrySlot slot, const EntryFacts& entry, Folder folder);
  void leave(EntrySlot slot);
  void forget(EntrySlot slot);

  const PolicyFactory make_policy_;
  const std::unique_ptr<EvictionPolicy> whole_;
  std::vector<std::unique_ptr<Part>> parts_;  // null: a number that is free
  std::map<std::string, Folder, std::less<>> folders_;
  std::vector<Place> places_;  // by slot; empty until there is a quota
};

}  // namespace forebay::cache
