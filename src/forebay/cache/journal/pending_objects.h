// The objects of a journal by name: which versions wait, what each must find at its store, and what the names
// of those that were stored have become.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forebay/cache/journal/journal_entry.h"

namespace forebay::cache {

/// One acknowledged version of an object.
struct PendingVersion {
  JournalEntryRef entry;
  JournalCondition condition;  // kAfter only as long as the one in front has not ended
  bool is_orphan = false;      // what it was to replace is not known, or was in conflict: it goes beside
  std::string stored_as;       // set just before it is taken out; a version of the store
};

/// Where a version lies that was acknowledged here and then stored.
struct StoredVersion {
  std::string uri;
  std::string version;
};

struct PendingObject {
  using Stored = absl::AnyInvocable<void(Status)>;
  struct Waiter {
    uint64_t sequence;  // it waits for what was acknowledged up to this
    int most_failures;  // attempts that had begun before it came, and those of before, are not its own
    Stored done;
  };

  std::deque<PendingVersion> versions;
  size_t commits = 0;  // under way
  // The version that ended last while a commit was under way; without a version if that is not known.
  std::optional<std::pair<uint64_t, std::string>> ended;
  bool is_busy = false;     // being uploaded, or in the queue for it
  bool is_put_off = false;  // until a timer is due
  uint64_t timer = 0;
  int failures = 0;
  std::string error;
  std::vector<Waiter> waiters;
};

/// What a commit finds.
struct CommitBase {
  Status refusal;  // for the writer
  bool needs_stat = false;
  JournalCondition condition;
};

/// Not thread safe.
class PendingObjects {
 public:
  static constexpr size_t kMaxStoredVersions = 65536;

  PendingObject* find(const std::string& uri);
  PendingObject& at(const std::string& uri) { return objects_[uri]; }
  /// Drops the object if nothing is left of it.
  void tidy(const std::string& uri);

  JournalEntryRef newest(const std::string& uri) const;
  JournalEntryRef with_version(const std::string& uri, const std::string& version) const;
  /// What a version of the journal is called at its store now.
  std::optional<StoredVersion> stored(const std::string& version) const;
  /// Calls `each` for all objects whose URI begins with `prefix`, in order, until it returns false.
  void visit(const std::string& prefix,
             const std::function<bool(const std::string& uri, const PendingObject& object)>& each) const;

  /// What the next version of an object replaces, and whether its writer may do that. `seen` is what the
  /// store said of the object, unless it was not asked.
  CommitBase base_of(const std::string& uri, const storage::WriteOptions& options,
                     const std::optional<Result<storage::ObjectStat>>& seen);
  void add(PendingVersion version);
  /// From now on a version of the journal is also found by this name.
  void name_stored(const std::string& version, const StoredVersion& stored);
  /// The first version of an object has ended: it was stored as `stored`, or beside the object, or
  /// (`inherits`) is lost, so that the next one takes its place. Returns who waited for it.
  std::vector<PendingObject::Stored> end_first(const std::string& uri, const StoredVersion& stored,
                                               bool inherits);

 private:
  std::string current_name_of(const std::string& version) const;

  std::map<std::string, PendingObject, std::less<>> objects_;
  std::unordered_map<std::string, StoredVersion> stored_;
  std::deque<std::string> stored_order_;
};

}  // namespace forebay::cache
