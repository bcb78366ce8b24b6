// Rules and what they ask for: pins, priorities and times, of what comes in and of what is here.
#include <algorithm>
#include <utility>

#include "forebay/cache/core/cache_core.h"

namespace forebay::cache {
namespace {

constexpr int kMaxTrimmedAtOnce = 64;  // with the lock held

}  // namespace

RuleTableRef CacheCore::rules() const {
  const MutexLock lock(rules_mutex_);
  return rules_;
}

// With both locks: whoever brings an entry sees the new rules, or the walk that follows sees the entry.
void CacheCore::set_rules(RuleTableRef rules) {
  const MutexLock lock(mutex_);
  const MutexLock rules_lock(rules_mutex_);
  rules_ = std::move(rules);
  policy_.set_quotas(rules_->quotas());
}

std::shared_ptr<const PlannedRoom> CacheCore::room_of(std::string_view uri) {
  if (rules()->quotas().empty()) {
    return nullptr;
  }
  const MutexLock lock(mutex_);
  return policy_.room_of(policy_.folder_of(rules()->of(uri).prefix));
}

uint64_t CacheCore::most_pinned_bytes() const {
  return options_.most_pinned_bytes > 0 ? options_.most_pinned_bytes : capacity_bytes() / 2;
}

/// Whether an entry is to be pinned and may be; `is_pinned`: it is among those that count.
bool CacheCore::may_pin(const AdmissionRule& rule, uint64_t length_bytes, bool is_pinned) {
  if (!rule.retention.is_pinned) {
    return false;
  }
  const uint64_t others_bytes = pinned_bytes_ - (is_pinned ? length_bytes : 0);
  return others_bytes + length_bytes <= most_pinned_bytes();
}

void CacheCore::set_pinned(EntrySlot slot, bool is_pinned) {
  Entry& entry = table_[slot];
  if (entry.is_pinned != is_pinned) {
    entry.is_pinned = is_pinned;
    pinned_bytes_ = is_pinned ? pinned_bytes_ + entry.length_bytes : pinned_bytes_ - entry.length_bytes;
  }
}

void CacheCore::set_expiry(EntrySlot slot, uint32_t expires_s) {
  table_[slot].expires_s = expires_s;
  if (expires_s != kNeverExpires) {
    expiring_.set(slot, {.time = -static_cast<double>(expires_s)});
  } else if (expiring_.has(slot)) {
    expiring_.erase(slot);
  }
}

/// When an entry goes by its rule. What would stay longer than what comes now has come before the rule, whose
/// time counts from when it was given: a cache that is started anew does not begin it again.
uint32_t CacheCore::expiry_by(const AdmissionRule& rule, uint32_t expires_s) const {
  const uint32_t newest_s = expiry_after(now_s(), rule.time_to_live_s);
  if (rule.time_to_live_s == 0 || expires_s <= newest_s) {
    return expires_s;
  }
  return rule.ttl_since_s == 0 ? newest_s
                               : std::min(newest_s, expiry_after(rule.ttl_since_s, rule.time_to_live_s));
}

/// Whether the rule of an entry was not known until now.
bool CacheCore::take_unruled(EntrySlot slot) {
  const bool was_unruled = slot < unruled_.size() && unruled_[slot];
  if (was_unruled) {
    unruled_[slot] = false;
  }
  return was_unruled;
}

/// Keeps an entry that is here as the rule says. Returns whether it is pinned.
bool CacheCore::apply_rule(EntrySlot slot, const AdmissionRule& rule) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  Entry& entry = table_[slot];
  if (entry.is_doomed) {
    return false;
  }
  const bool was_unruled = take_unruled(slot);
  if (!rule.is_cached) {
    doom(slot);
    std::swap(dropped, dropped_);
    return false;
  }
  const Retention before = {entry.priority, entry.is_pinned || was_unruled, entry.expires_s};
  const Retention now = {rule.retention.priority, may_pin(rule, entry.length_bytes, entry.is_pinned),
                         expiry_by(rule, entry.expires_s)};
  counts_.pins_refused += rule.retention.is_pinned && !now.is_pinned ? 1 : 0;
  entry.priority = now.priority;
  set_pinned(slot, now.is_pinned);
  set_expiry(slot, now.expires_s);
  if (entry.is_in_policy && (now.priority != before.priority || now.is_pinned != before.is_pinned)) {
    policy_.retention_changed(slot, retention_of(slot));
  }
  if (entry.is_in_policy) {
    policy_.move(slot, {entry.key(), entry.length_bytes, retention_of(slot)}, policy_.folder_of(rule.prefix));
  }
  return now.is_pinned;
}

/// What no rule was found for, since its name could not be read, goes like everything else.
void CacheCore::forget_unruled() {
  Dropped dropped;
  const MutexLock lock(mutex_);
  for (EntrySlot slot = 0; slot < unruled_.size(); ++slot) {
    if (take_unruled(slot) && table_[slot].is_in_policy) {
      policy_.retention_changed(slot, retention_of(slot));
    }
  }
  unruled_ = {};
  policy_.end_old_quotas();
  fit_into_quota();
  std::swap(dropped, dropped_);
}

void CacheCore::finish_rules() {
  forget_unruled();
  const RuleTableRef rules = this->rules();
  for (const auto& [name, bytes] : rules->quotas()) {
    while (trim_folder(name)) {
    }
  }
}

/// Lets some of what a folder holds beyond its quota go. Returns whether there may be more: nobody waits for
/// all of it.
bool CacheCore::trim_folder(std::string_view name) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  const QuotaPolicy::FolderId folder = policy_.folder_of(name);
  int left = kMaxTrimmedAtOnce;
  while (left > 0 && !policy_.has_room(folder, 0) && !is_held() && evict_next(folder)) {
    --left;
  }
  std::swap(dropped, dropped_);
  return left == 0;
}

/// The cache's quota may be smaller than it was.
void CacheCore::fit_into_quota() {
  const auto is_too_much = [this]() FOREBAY_REQUIRES(mutex_) {
    return table_.size() > options_.most_entries ||
           std::ranges::any_of(space_.directories(), [](const CacheDirectory& directory) {
             return directory.taken_bytes() > directory.options.quota_bytes;
           });
  };
  while (is_too_much() && !is_held() && evict_next(QuotaPolicy::kWhole)) {
  }
}

}  // namespace forebay::cache
