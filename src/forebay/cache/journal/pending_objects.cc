#include "forebay/cache/journal/pending_objects.h"

#include <algorithm>

#include "forebay/storage/errors.h"

namespace forebay::cache {
namespace {

/// Whether an error says nothing of the object, and may be another one soon.
bool may_pass(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kDeadlineExceeded ||
         status.code() == StatusCode::kResourceExhausted;
}

/// What is there as far as is known; nothing if nothing is.
struct Current {
  std::optional<std::string> version;
  std::string journal_version;  // another name of it
  JournalCondition condition;
};

Current current_of_version(const PendingVersion& newest) {
  if (!newest.stored_as.empty()) {
    return {.version = newest.stored_as,
            .journal_version = newest.entry->version(),
            .condition = {.base = JournalBase::kVersion, .version = newest.stored_as}};
  }
  return {.version = newest.entry->version(),
          .journal_version = newest.entry->version(),
          .condition = {.base = JournalBase::kAfter, .after = newest.entry->id()}};
}

Status check_options(const storage::WriteOptions& options, const Current& current,
                     const std::string& asked_version, const std::string& uri) {
  if (options.if_absent && current.version) {
    return already_exists("{}: there is such an object", uri);
  }
  const bool is_asked_for =
      options.if_version.empty() || (current.version && (asked_version == *current.version ||
                                                         options.if_version == current.journal_version));
  return is_asked_for ? ok_status()
                      : storage::version_changed(uri, options.if_version,
                                                 current.version.value_or("that it is absent"));
}

}  // namespace

PendingObject* PendingObjects::find(const std::string& uri) {
  const auto found = objects_.find(uri);
  return found == objects_.end() ? nullptr : &found->second;
}

void PendingObjects::tidy(const std::string& uri) {
  const auto found = objects_.find(uri);
  if (found != objects_.end() && found->second.versions.empty() && found->second.commits == 0) {
    objects_.erase(found);
  }
}

JournalEntryRef PendingObjects::newest(const std::string& uri) const {
  const auto found = objects_.find(uri);
  return found == objects_.end() || found->second.versions.empty() ? nullptr
                                                                   : found->second.versions.back().entry;
}

JournalEntryRef PendingObjects::with_version(const std::string& uri, const std::string& version) const {
  const auto found = objects_.find(uri);
  if (found == objects_.end()) {
    return nullptr;
  }
  for (const PendingVersion& pending : found->second.versions) {
    if (pending.entry->version() == version) {
      return pending.entry;
    }
  }
  return nullptr;
}

std::optional<StoredVersion> PendingObjects::stored(const std::string& version) const {
  const auto found = stored_.find(version);
  return found == stored_.end() ? std::nullopt : std::optional(found->second);
}

void PendingObjects::visit(
    const std::string& prefix,
    const std::function<bool(const std::string& uri, const PendingObject& object)>& each) const {
  for (auto place = objects_.lower_bound(prefix); place != objects_.end() && place->first.starts_with(prefix);
       ++place) {
    if (!place->second.versions.empty() && !each(place->first, place->second)) {
      return;
    }
  }
}

std::string PendingObjects::current_name_of(const std::string& version) const {
  const auto found = stored_.find(version);
  return found == stored_.end() ? version : found->second.version;
}

CommitBase PendingObjects::base_of(const std::string& uri, const storage::WriteOptions& options,
                                   const std::optional<Result<storage::ObjectStat>>& seen) {
  const PendingObject& object = at(uri);
  Current current;
  if (!object.versions.empty()) {
    current = current_of_version(object.versions.back());
  } else if (object.ended && !object.ended->second.empty()) {
    current = {.version = object.ended->second,
               .journal_version = JournalEntry::version_of_journal(object.ended->first),
               .condition = {.base = JournalBase::kVersion, .version = object.ended->second}};
  } else if (!seen) {
    return {.needs_stat = true};
  } else if (seen->ok()) {
    current = {.version = (*seen)->version,
               .condition = {.base = JournalBase::kVersion, .version = (*seen)->version}};
  } else if (may_pass(seen->status())) {
    // Nobody knows. What its writer names is looked for when it is stored; else nothing is replaced.
    const std::string named = current_name_of(options.if_version);
    return {.condition = {.base = named.empty() ? JournalBase::kAbsent : JournalBase::kVersion,
                          .version = named}};
  } else if (seen->status().code() != StatusCode::kNotFound) {
    return {.refusal = seen->status()};
  }
  Status refusal = check_options(options, current, current_name_of(options.if_version), uri);
  return {.refusal = std::move(refusal), .condition = std::move(current.condition)};
}

void PendingObjects::add(PendingVersion version) {
  PendingObject& object = at(version.entry->uri());
  JournalCondition& condition = version.condition;
  if (condition.base == JournalBase::kAfter && object.ended && object.ended->first == condition.after) {
    version.is_orphan = object.ended->second.empty();
    condition = {.base = JournalBase::kVersion, .version = object.ended->second};
  }
  object.versions.push_back(std::move(version));
}

void PendingObjects::name_stored(const std::string& version, const StoredVersion& stored) {
  if (!stored_.insert_or_assign(version, stored).second) {
    return;
  }
  stored_order_.push_back(version);
  if (stored_order_.size() > kMaxStoredVersions) {
    stored_.erase(stored_order_.front());
    stored_order_.pop_front();
  }
}

std::vector<PendingObject::Stored> PendingObjects::end_first(const std::string& uri,
                                                             const StoredVersion& stored, bool inherits) {
  PendingObject& object = at(uri);
  const PendingVersion ended = std::move(object.versions.front());
  object.versions.pop_front();
  const bool is_at_its_place = stored.uri == uri;
  object.ended = {ended.entry->id(), is_at_its_place ? stored.version : ""};
  object.failures = 0;
  object.error.clear();
  if (!object.versions.empty() && object.versions.front().condition.base == JournalBase::kAfter) {
    PendingVersion& next = object.versions.front();
    next.is_orphan = inherits ? ended.is_orphan : !is_at_its_place;
    next.condition = inherits ? ended.condition
                              : JournalCondition{.base = JournalBase::kVersion, .version = stored.version};
  }
  std::vector<PendingObject::Stored> done;
  std::erase_if(object.waiters, [&](PendingObject::Waiter& waiter) {
    const bool is_over = waiter.sequence <= ended.entry->facts().footer.sequence;
    if (is_over) {
      done.push_back(std::move(waiter.done));
    }
    return is_over;
  });
  return done;
}

}  // namespace forebay::cache
