// A cache: what one process, or the daemon of a host, keeps of remote objects. Stores read through it by
// store_over() (store/cache_store.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/cache/entries/cache_walk.h"
#include "forebay/cache/options/cache_options.h"
#include "forebay/cache/rules/rule_progress.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

class Bringer;
class CacheCore;
class DiskWorker;
class Draft;
class RoomBeside;

/// Thread safe. In a process forked from its own, its stores pass every call on to their upstream, and the
/// other calls do nothing.
class Cache : public std::enable_shared_from_this<Cache> {
 public:
  /// failed_precondition if another process has one of the directories.
  static Result<std::shared_ptr<Cache>> open(CacheOptions options);
  /// Closes it.
  ~Cache();

  /// Writes what waits, and waits for what its own thread does. From then on the stores pass every call on to
  /// their upstream. A directory stays locked until the last view of its bytes has gone.
  void close();

  /// From now on these rules hold, instead of CacheOptions::admission. What is here already is looked at on a
  /// thread of the cache, which calls `done` when that has been done (or the cache is closed). What a rule
  /// does not let in any more goes.
  void set_rules(std::vector<AdmissionRule> rules, absl::AnyInvocable<void()> done = {});
  /// A piece of a walk through what is on disk (cache_walk.h), on the calling thread. failed_precondition in
  /// a cache without directories, which knows no names; unavailable once it is closed.
  Result<CacheWalked> walk(const CacheWalk& piece);
  /// All of a walk.
  Result<CacheWalked> walk_all(WalkKind kind, const std::string& uri);
  /// Waits until what was inserted before is written.
  void flush();
  CacheStatistics statistics() const;
  const CacheOptions& options() const;

  /// False once it is closed, and in a process forked from the one that opened it.
  bool is_usable() const;
  const std::shared_ptr<CacheCore>& core() const { return core_; }

  /// What brings objects in before somebody reads them.
  Bringer& bringer() const { return *bringer_; }
  /// The room of its first directory for what is not cached.
  const std::shared_ptr<RoomBeside>& room_beside() const { return room_beside_; }
  /// For the bytes of an object that is written through one of the stores.
  std::unique_ptr<Draft> new_draft() const;
  /// Does something on a thread of the cache: what writes much to its disks. flush() waits for it.
  void do_later(absl::AnyInvocable<void()> job);
  /// Looks at a disk on one of a few threads of the cache; inline where there may be none.
  void look_elsewhere(absl::AnyInvocable<void()> look);

 private:
  explicit Cache(std::shared_ptr<CacheCore> core);

  void end();
  void apply_rules(absl::AnyInvocable<void()> done);
  void apply_rules_later();
  void apply_rules_to_some();

  std::shared_ptr<CacheCore> core_;
  const std::shared_ptr<RoomBeside> room_beside_;
  RuleProgress rule_progress_;
  std::unique_ptr<DiskWorker> later_;
  std::unique_ptr<DiskWorker> lookers_;
  std::shared_ptr<Bringer> bringer_;
};

}  // namespace forebay::cache
