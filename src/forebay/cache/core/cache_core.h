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

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/cache_options.h"
#include "forebay/cache/core/disk_space.h"
#include "forebay/cache/core/memory_tier.h"
#include "forebay/cache/table/entry_table.h"
#include "forebay/engine/process.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::cache {

/// One version of one object, as callers name it.
struct ObjectVersion {
  /// `hidden` stands for what the URI leaves out of the object's name.
  ObjectVersion(std::string uri_text, std::string version_text, const std::string& hidden = {})
      : uri(std::move(uri_text)),
        version(std::move(version_text)),
        full_name(hidden.empty() ? std::string() : uri + "#" + hidden),
        id(object_id(text().uri, version)) {}

  /// What is kept on disk, and compared.
  ObjectText text() const { return {full_name.empty() ? uri : full_name, version}; }

  std::string uri;
  std::string version;
  std::string full_name;  // empty: the URI
  ObjectId id;
};

/// A part of an object that is wanted, or brought.
struct ByteRange {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // storage::kToEnd: to the end of the object

  /// At most 2^64 - 1, also of a range that makes no sense.
  uint64_t end_bytes() const {
    return offset_bytes + std::min(length_bytes, std::numeric_limits<uint64_t>::max() - offset_bytes);
  }
};

/// Bytes that are brought to the cache.
struct Brought {
  uint64_t start_bytes = 0;
  std::optional<uint64_t> object_bytes;  // of the whole object, if known
  bool is_chunk = false;                 // start and end are multiples of kChunkBytes, or the object's end
};

/// Thread safe. `resident_only` in calls: nothing that has to be checked on disk first.
class CacheCore : public std::enable_shared_from_this<CacheCore> {
 public:
  static Result<std::shared_ptr<CacheCore>> open(CacheOptions options);
  ~CacheCore();

  /// A view of the bytes, if all of them are here. It keeps them where they are for as long as its owner
  /// lives.
  std::optional<storage::ReadBytes> find(const ObjectVersion& object, ByteRange range, bool resident_only);
  /// Whether find() would find the bytes. Does not count as a use of them.
  bool holds(const ObjectVersion& object, ByteRange range);
  /// Keeps bytes, if there is room or the policy makes some. They are written later; nobody waits.
  void insert(const ObjectVersion& object, const Brought& brought, storage::ReadBytes bytes);
  /// Writes some of what waits if that is too much. For whoever called insert(), once it has answered.
  void help_writing();

  /// The size of an object that is known from its entries.
  std::optional<uint64_t> object_bytes(const ObjectId& object) const;
  /// The rule that holds for a URI.
  const AdmissionRule& rule_of(std::string_view uri) const;

  void count_upstream(uint64_t bytes) {
    upstream_reads_.fetch_add(1, std::memory_order_relaxed);
    upstream_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  /// False in a process that was forked from the cache's: there it must not be used.
  bool is_alive() const { return identity_.is_alive(); }
  bool is_open() const { return is_open_.load(std::memory_order_relaxed); }

  /// Checks every entry on disk; returns how many were damaged. They are dropped.
  uint64_t verify(const ObjectVersion& object);
  bool pin(const ObjectId& object, bool is_pinned);

  void flush();
  /// Writes all that waits and the footers. From then on nothing is found or kept, and the directories are
  /// free for others once the last view of their bytes has gone.
  void close();

  CacheStatistics statistics() const;
  const CacheOptions& options() const { return options_; }

 private:
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
  };

  /// What is to be let go without the lock.
  struct Dropped {
    std::vector<storage::ReadBytes> bytes;
    std::vector<DiskWorker::Job> jobs;
  };

  // cache_find.cc
  std::optional<EntrySlot> covering(const ObjectId& object, ByteRange range) FOREBAY_REQUIRES(mutex_);
  std::optional<EntrySlot> covering_at(const EntryKey& key, ByteRange range) FOREBAY_REQUIRES(mutex_);
  bool covers_all(const ObjectVersion& object, ByteRange range) FOREBAY_REQUIRES(mutex_);
  std::vector<EntrySlot> lease_chunks(const ObjectId& object, ByteRange range) FOREBAY_REQUIRES(mutex_);
  storage::ReadBytes held_part(EntrySlot slot, ByteRange range) FOREBAY_REQUIRES(mutex_);
  bool lease(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void end_leases(const std::vector<EntrySlot>& slots) FOREBAY_EXCLUDES(mutex_);
  Leased lease_range(const ObjectId& object, ByteRange range) FOREBAY_REQUIRES(mutex_);
  void count_hit(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  std::optional<storage::ReadBytes> view_of(const ObjectVersion& object, ByteRange range, Leased leased,
                                            bool resident_only) FOREBAY_EXCLUDES(mutex_);
  bool check(EntrySlot slot, const ObjectVersion& object, bool resident_only) FOREBAY_EXCLUDES(mutex_);

  // cache_insert.cc
  SpaceNeeded space_for(const ObjectVersion& object, const Brought& brought, uint64_t length_bytes,
                        const Retention& retention) const;
  bool is_wanted(const SpaceNeeded& needed) FOREBAY_REQUIRES(mutex_);
  bool make_room(const SpaceNeeded& needed, const EntryFacts& facts) FOREBAY_REQUIRES(mutex_);
  bool has_room(const SpaceNeeded& needed) FOREBAY_REQUIRES(mutex_);
  void write_later(EntrySlot slot, const ObjectVersion& object, storage::ReadBytes bytes)
      FOREBAY_REQUIRES(mutex_);
  void written(EntrySlot slot, const Status& status) FOREBAY_EXCLUDES(mutex_);
  void take_back_write(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void seal_closed() FOREBAY_REQUIRES(mutex_);

  // cache_core.cc
  EntryRecord record_of(const Entry& entry) const;
  void doom(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void free_if_unused(EntrySlot slot) FOREBAY_REQUIRES(mutex_);
  void give_back(SpaceFreed freed) FOREBAY_REQUIRES(mutex_);
  void trim_memory() FOREBAY_REQUIRES(mutex_);
  void unlock_if_unused() FOREBAY_REQUIRES(mutex_);
  uint32_t now_s() const { return options_.unix_seconds(); }

  const CacheOptions options_;
  const AdmissionRule no_rule_;
  mutable Mutex mutex_;
  EntryTable table_ FOREBAY_GUARDED_BY(mutex_);
  MemoryTier memory_ FOREBAY_GUARDED_BY(mutex_){&table_};
  DiskSpace space_ FOREBAY_GUARDED_BY(mutex_);
  std::unique_ptr<EvictionPolicy> policy_ FOREBAY_GUARDED_BY(mutex_);
  CacheStatistics counts_ FOREBAY_GUARDED_BY(mutex_);
  std::unordered_map<EntrySlot, DiskWorker::Ticket> writes_ FOREBAY_GUARDED_BY(mutex_);  // not yet done
  Dropped dropped_ FOREBAY_GUARDED_BY(mutex_);
  std::atomic<uint64_t> disk_hit_bytes_{0};
  std::atomic<uint64_t> upstream_reads_{0};
  std::atomic<uint64_t> upstream_bytes_{0};
  const engine::Identity identity_;
  uint64_t leases_ FOREBAY_GUARDED_BY(mutex_) = 0;  // of all entries
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::atomic<bool> is_open_{true};
};

}  // namespace forebay::cache
