// The policy of a whole cache, beside one for each folder that has a quota: what comes into a full folder is
// weighed against that folder's entries alone, and they make room for it.
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

/// Bytes by folder.
using Quotas = std::map<std::string, uint64_t, std::less<>>;

/// Thread compatible. Beside what the policies take, 20 bytes for each entry that counts in a quota, and 8
/// for each other one once there are quotas. An entry has less than 4 GiB.
class QuotaPolicy {
 public:
  /// A folder that has a quota, or kWhole.
  using FolderId = uint32_t;
  static constexpr FolderId kWhole = std::numeric_limits<FolderId>::max();

  /// `whole` and `of_folder` make the policies, the second with a folder's quota as its capacity.
  QuotaPolicy(const PolicyFactory& whole, PolicyFactory of_folder, uint64_t capacity_bytes);
  ~QuotaPolicy();

  /// Holds at once for what counts in a folder. What is to count elsewhere from now on is moved by the
  /// caller; what is left where a quota has ended counts nowhere after end_old_quotas().
  void set_quotas(const Quotas& quotas);
  void end_old_quotas();
  /// kWhole if the folder has no quota.
  FolderId folder_of(std::string_view name) const;
  /// What the folder's policy shows to those who fetch ahead; null if it knows no future, and for kWhole.
  std::shared_ptr<const PlannedRoom> room_of(FolderId folder);

  /// Whether so many more bytes are within the folder's quota; always for kWhole.
  bool has_room(FolderId folder, uint64_t bytes) const;
  /// Whether they would be if the folder were empty.
  bool may_have_room(FolderId folder, uint64_t bytes) const;

  /// See EvictionPolicy. A folder's policy decides among that folder's entries.
  bool admits(FolderId folder, const EntryFacts& candidate);
  std::optional<EntrySlot> take_victim(FolderId folder);
  void inserted(EntrySlot slot, const EntryFacts& entry, FolderId folder);
  void used(EntrySlot slot);
  void retention_changed(EntrySlot slot, const Retention& retention);
  void removed(EntrySlot slot);
  /// The entry counts in another folder from now on, or in none.
  void move(EntrySlot slot, const EntryFacts& entry, FolderId folder);

  size_t memory_bytes() const;

 private:
  struct Folder;
  /// Where an entry is counted. A folder's policy has slots of its own, so that they are dense.
  struct Place {
    FolderId folder = kWhole;
    EntrySlot slot = 0;
  };

  Place place_of(EntrySlot slot) const { return slot < places_.size() ? places_[slot] : Place(); }
  FolderId add_folder(uint64_t quota_bytes);
  EvictionPolicy& policy_of(FolderId id);
  void enter(EntrySlot slot, const EntryFacts& entry, FolderId id);
  void leave(EntrySlot slot);
  void forget(EntrySlot slot);

  const PolicyFactory make_policy_;
  const std::unique_ptr<EvictionPolicy> whole_;
  std::vector<std::unique_ptr<Folder>> folders_;  // by id; null: unused
  std::map<std::string, FolderId, std::less<>> ids_;
  std::vector<Place> places_;  // by slot; empty until there is a quota
};

}  // namespace forebay::cache
