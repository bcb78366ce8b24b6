// What a cache keeps, and where: the table of entries, their files and copies in memory, and the policy.
// Cache and the leases own it together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/core/disk_space.h"
#include "forebay/cache/core/memory_tier.h"
#include "forebay/cache/entries/object_version.h"
#include "forebay/cache/options/cache_options.h"
#include "forebay/cache/policy/due_heap.h"
#include "forebay/cache/policy/quota_policy.h"
#include "forebay/cache/rules/rule_table.h"
#include "forebay/cache/table/entry_table.h"
#include "forebay/engine/process.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::cache {

/// Bytes that are brought to the cache.
struct Brought {
  uint64_t start_bytes = 0;
  std::optional<uint64_t> object_bytes;  // of the whole object, if known
  bool is_chunk = false;                 // start and end are multiples of kChunkBytes, or the object's end
};

/// What is known of an entry's bytes on disk.
enum class Soundness : uint8_t { kSound, kDamaged, kUnknown };

/// How far a look-up goes for bytes that an earlier run kept, and nobody has compared with their checksums
/// yet: a disk has to read all of them.
enum class LookUp : uint8_t {
  kCompare,   // compares them
  kQuick,     // says that they are there; who asks compares them later
  kResident,  // the same; what it does not find is asked for again, and counts as no miss
};

/// What a look-up found.
struct Found {
  std::optional<storage::ReadBytes> bytes;
  bool is_unchecked = false;  // without bytes: they may be here

  explicit operator bool() const { return bytes.has_value(); }
};

/// Thread safe.
class CacheCore : public std::enable_shared_from_this<CacheCore> {
 public:
  static Result<std::shared_ptr<CacheCore>> open(CacheOptions options);
  ~CacheCore();

  /// A view of the bytes, if all of them are here. It keeps them where they are for as long as its owner
  /// lives.
  Found find(const ObjectVersion& object, ByteRange range, LookUp look_up = LookUp::kCompare);
  /// To a view of a whole object, the file that holds it, if there is one. While the view lives, no entry of
  /// the object is a victim. The file may be open for longer: what is in it stays as it is, also when the
  /// view has gone, and the cache no longer has it.
  void add_file(const ObjectVersion& object, storage::ReadBytes* whole);
  /// Whether find() would find the bytes. Does not count as a use of them.
  bool holds(const ObjectVersion& object, ByteRange range);
  /// Keeps bytes, if there is room or the policy makes some. They are written later; nobody waits.
  void insert(const ObjectVersion& object, const Brought& brought, storage::ReadBytes bytes);
  /// False while nothing of so many bytes could be kept, whatever went for it: where others have filled the
  /// disk, or all directories are off.
  bool may_keep(uint64_t bytes);
  /// What others keep in the first directory, which counts in its quota: only reserve_beside() adds to it.
  /// Before anything is found or kept.
  void set_beside(std::shared_ptr<std::atomic<uint64_t>> bytes);
  /// Lets entries go until so many bytes have room there, and adds them; false if there is none.
  bool reserve_beside(uint64_t bytes);
  /// Writes some of what waits if that is too much. For whoever called insert(), once it has answered.
  void help_writing();

  /// The size of an object that is known from its entries.
  std::optional<uint64_t> object_bytes(const ObjectId& object) const;
  /// Whether the rule for a URI lets its object in at all.
  bool is_cached(std::string_view uri) const { return rules()->of(uri).is_cached; }
  RuleTableRef rules() const;
  /// What comes in from now on is kept by these rules. What is here is not looked at: that is a walk's work
  /// (WalkKind::kApplyRules), after which finish_rules() is called.
  void set_rules(RuleTableRef rules);
  void finish_rules();
  /// What fetching ahead of a URI is to look at beside the room of the whole cache; null unless a quota holds
  /// for it, and the policy knows the future.
  std::shared_ptr<const PlannedRoom> room_of(std::string_view uri);

  void count_upstream(uint64_t bytes) {
    upstream_reads_.fetch_add(1, std::memory_order_relaxed);
    upstream_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  /// False in a process that was forked from the cache's: there it must not be used.
  bool is_alive() const { return identity_.is_alive(); }
  bool is_open() const { return is_open_.load(std::memory_order_relaxed); }

  /// Reads a range back from disk and compares it with its checksums: data_loss if it differs, and it is
  /// dropped; failed_precondition if it is not all there. What waits to be written has to be written before.
  Status read_back(const ObjectVersion& object, ByteRange range);

  void flush();
  /// Writes all that waits and the footers. From then on nothing is found or kept, and the directories are
  /// free for others once the last view of their bytes has gone.
  void close();

  CacheStatistics statistics() const;
  const CacheOptions& options() const { return options_; }
  /// What another process keeps while it may look at this cache's files (OwnedDirectory::reader()).
  Result<std::vector<FileDescriptor>> reader_tokens() const;

 private:
  friend class EntryWalk;
  friend class HeldFile;
  friend class Lease;
  friend class Recovery;

  explicit CacheCore(CacheOptions options);

  /// Entries on disk whose space stays as it is until their leases are ended.
  struct Leased {
    std::vector<EntrySlot> slots;
    EntryRecord first;
    EntryRecord last;
    std::shared_ptr<EntryFile> file;
    bool is_verified = true;
    bool is_unchecked = false;  // without slots: they would have to be compared first
  };

  /// What is to be let go without the lock.
  struct Dropped {
    std::vector<storage::ReadBytes> bytes;
    std::vector<DiskWorker::Job> jobs;
  };

  /// An entry that is written elsewhere, so that its block is free.
  struct MovedEntry {
    EntrySlot slot;
    EntryRecord record;
    StoredEntry stored;
  };
  /// All that a block holds.
  struct MovedEntries {
    SparseBlock block;  // without a file: none
    std::vector<MovedEntry> entries;
  };

  // compaction.cc
  void move_sparse_later() FOREBAY_REQUIRES(mutex_);
  void move_sparse() FOREBAY_EXCLUDES(mutex_);
  bool may_move(EntrySlot slot, uint32_t file) const FOREBAY_REQUIRES(mutex_);
  MovedEntries next_to_move() FOREBAY_REQUIRES(mutex_);
  bool read_moved(MovedEntries* moved) const;
  void move(MovedEntries* moved) FOREBAY_REQUIRES(mutex_);
  void place_anew(const MovedEntry& moved) FOREBAY_REQUIRES(mutex_);

  // cache_find.cc
  std::optional<EntrySlot> covering(const ObjectId& object, ByteRange range) FOREBAY_REQUIRES(mutex_);
  std::optional<EntrySlot> covering_at(const EntryKey& key, ByteRange range) FOREBAY_REQUIRES(mutex_);
  bool covers_all(const ObjectVersion& object, ByteRange range) FOREBAY_REQUIRES(mutex_);
  std::vector<EntrySlot> lease_chunks(const ObjectId& object, ByteRange range) FOREBAY_REQUIRES(mutex_);
  storage::ReadBytes held_part(EntrySlot slot, ByteRange range) FOREBAY_REQUIRES(mutex_);
  bool lease(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void take_back_leases(const std::vector<EntrySlot>& slots) FOREBAY_REQUIRES(mutex_);
  void end_leases(const std::vector<EntrySlot>& slots) FOREBAY_EXCLUDES(mutex_);
  Leased lease_range(const ObjectId& object, ByteRange range, LookUp look_up) FOREBAY_REQUIRES(mutex_);
  void count_hit(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  std::optional<storage::ReadBytes> view_of(const ObjectVersion& object, ByteRange range, Leased leased)
      FOREBAY_EXCLUDES(mutex_);
  void drop_lost(const std::vector<EntrySlot>& slots) FOREBAY_EXCLUDES(mutex_);
  Soundness check(EntrySlot slot, const ObjectVersion& object) FOREBAY_EXCLUDES(mutex_);
  Soundness compare(EntrySlot slot, const ObjectVersion& object) FOREBAY_EXCLUDES(mutex_);
  Soundness judge(EntrySlot slot, const EntryFile& file, const Result<bool>& sound) FOREBAY_EXCLUDES(mutex_);
  std::optional<std::vector<EntrySlot>> slots_of(const ObjectId& object, ByteRange range)
      FOREBAY_REQUIRES(mutex_);

  // cache_insert.cc
  SpaceNeeded space_for(const ObjectVersion& object, const Brought& brought, uint64_t length_bytes,
                        const Retention& retention) const;
  bool is_wanted(const SpaceNeeded& needed) FOREBAY_REQUIRES(mutex_);
  bool make_room(const SpaceNeeded& needed, const EntryFacts& facts, QuotaPolicy::FolderId folder)
      FOREBAY_REQUIRES(mutex_);
  bool may_displace(QuotaPolicy::FolderId folder, const EntryFacts& facts) FOREBAY_REQUIRES(mutex_);
  bool evict_until(QuotaPolicy::FolderId folder, uint64_t wanted_bytes, absl::FunctionRef<bool()> is_enough)
      FOREBAY_REQUIRES(mutex_);
  bool evict_next(QuotaPolicy::FolderId folder) FOREBAY_REQUIRES(mutex_);
  void evict(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  bool has_room(const SpaceNeeded& needed) FOREBAY_REQUIRES(mutex_);
  bool may_have_room(const SpaceNeeded& needed) FOREBAY_REQUIRES(mutex_);
  void drop_expired(absl::FunctionRef<bool()> is_enough) FOREBAY_REQUIRES(mutex_);
  void write_later(EntrySlot slot, const ObjectVersion& object, storage::ReadBytes bytes)
      FOREBAY_REQUIRES(mutex_);
  void written(EntrySlot slot, const Status& status) FOREBAY_EXCLUDES(mutex_);
  void take_back_write(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void seal_closed() FOREBAY_REQUIRES(mutex_);

  // cache_rules.cc
  bool may_pin(const AdmissionRule& rule, uint64_t length_bytes, bool is_pinned) FOREBAY_REQUIRES(mutex_);
  void set_pinned(EntrySlot slot, bool is_pinned) FOREBAY_REQUIRES(mutex_);
  void set_expiry(EntrySlot slot, uint32_t expires_s) FOREBAY_REQUIRES(mutex_);
  uint32_t expiry_by(const AdmissionRule& rule, uint32_t expires_s) const;
  bool take_unruled(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void forget_unruled() FOREBAY_EXCLUDES(mutex_);
  bool apply_rule(EntrySlot slot, const AdmissionRule& rule) FOREBAY_EXCLUDES(mutex_);
  void fit_into_quota() FOREBAY_REQUIRES(mutex_);
  bool trim_folder(std::string_view name) FOREBAY_EXCLUDES(mutex_);
  uint64_t most_pinned_bytes() const;

  // whole_files.cc
  void hold_file(ObjectFile& file, int change) FOREBAY_EXCLUDES(mutex_);
  Retention retention_of(EntrySlot slot) const FOREBAY_REQUIRES(mutex_);
  std::optional<EntrySlot> entry_in(const ObjectFile& file, uint64_t start_bytes) const
      FOREBAY_REQUIRES(mutex_);
  bool must_stay(const SpaceFreed& freed) FOREBAY_REQUIRES(mutex_);
  void doom_rest(ObjectFile& file) FOREBAY_REQUIRES(mutex_);

  // cache_core.cc
  EntryRecord record_of(const Entry& entry) const;
  uint64_t slots() const FOREBAY_EXCLUDES(mutex_);
  bool drop(EntrySlot slot) FOREBAY_EXCLUDES(mutex_);
  uint64_t capacity_bytes() const;
  /// Of all directories, until the cache is closed. Who uses one keeps it.
  std::vector<std::shared_ptr<DiskWorker>> workers() const FOREBAY_EXCLUDES(mutex_);
  void doom(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void free_if_unused(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void give_back(SpaceFreed freed) FOREBAY_REQUIRES(mutex_);
  void give_back_later(SpaceFreed freed) FOREBAY_REQUIRES(mutex_);
  void give_back_put_off(CacheDirectory& directory) FOREBAY_REQUIRES(mutex_);
  bool is_held() FOREBAY_REQUIRES(mutex_);
  void trim_memory() FOREBAY_REQUIRES(mutex_);
  void unlock_if_unused() FOREBAY_REQUIRES(mutex_);
  uint32_t now_s() const { return options_.unix_seconds(); }

  const CacheOptions options_;
  mutable Mutex mutex_;
  EntryTable table_ FOREBAY_GUARDED_BY(mutex_);
  MemoryTier memory_ FOREBAY_GUARDED_BY(mutex_){&table_};
  DiskSpace space_ FOREBAY_GUARDED_BY(mutex_);
  QuotaPolicy policy_ FOREBAY_GUARDED_BY(mutex_);
  /// Slots of an earlier run whose names, and so their rules, are not known yet. There may be pins among
  /// them, so they stay; empty if there are no pins.
  std::vector<bool> unruled_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t pinned_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  DueHeap expiring_ FOREBAY_GUARDED_BY(mutex_);  // entries that expire, the first of them at the top
  CacheStatistics counts_ FOREBAY_GUARDED_BY(mutex_);
  std::unordered_map<EntrySlot, DiskWorker::Ticket> writes_ FOREBAY_GUARDED_BY(mutex_);  // not yet done
  Dropped dropped_ FOREBAY_GUARDED_BY(mutex_);
  bool is_moving_ FOREBAY_GUARDED_BY(mutex_) = false;  // move_sparse() will be called
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> disk_hit_bytes_{0};
  std::atomic<uint64_t> upstream_reads_{0};
  std::atomic<uint64_t> upstream_bytes_{0};
  mutable Mutex rules_mutex_;  // is changed with `mutex_` held, too
  RuleTableRef rules_ FOREBAY_GUARDED_BY(rules_mutex_);
  const engine::Identity identity_;
  uint64_t leases_ FOREBAY_GUARDED_BY(mutex_) = 0;  // of all entries
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::atomic<bool> is_open_{true};
};

}  // namespace forebay::cache
