#include "forebay/cache/core/cache_core.h"

#include <algorithm>

#include "forebay/cache/ahead/fetch_ahead.h"
#include "forebay/cache/core/recovery.h"
#include "forebay/cache/policy/policies.h"

namespace forebay::cache {
namespace {

CacheOptions with_defaults(CacheOptions options) {
  if (!options.files) {
    options.files = host_files();
  }
  if (!options.unix_seconds) {
    options.unix_seconds = &system_seconds;
  }
  if (options.follows_plans && !options.make_policy && !options.plan_follower) {
    const auto future = std::make_shared<Future>();
    const auto room = std::make_shared<PlannedRoom>();
    options.make_policy = planned_policy(future, room);
    if (!options.make_folder_policy) {
      options.make_folder_policy = planned_policy(future);
    }
    options.plan_follower = std::make_shared<FetchAhead>(future, room, options.fetch_ahead);
  }
  if (!options.make_policy) {
    options.make_policy = s3_fifo_policy();
  }
  if (!options.make_folder_policy) {
    options.make_folder_policy = s3_fifo_policy();
  }
  return options;
}

}  // namespace

CacheCore::CacheCore(CacheOptions options)
    : options_(with_defaults(std::move(options))),
      space_(options_, options_.files),
      policy_(options_.make_policy, options_.make_folder_policy, capacity_bytes()),
      rules_(std::make_shared<const RuleTable>(options_.admission)) {
  policy_.set_quotas(rules_->quotas());
}

/// What it may hold.
uint64_t CacheCore::capacity_bytes() const {
  return options_.directories.empty() ? options_.memory_bytes : quota_bytes_of(options_.directories);
}

CacheCore::~CacheCore() = default;

Result<std::shared_ptr<CacheCore>> CacheCore::open(CacheOptions options) {
  const std::shared_ptr<CacheCore> core(new CacheCore(std::move(options)));
  const MutexLock lock(core->mutex_);
  FOREBAY_RETURN_IF_ERROR(core->space_.open());
  Recovery(core.get()).run();
  return core;
}

uint64_t CacheCore::slots() const {
  const MutexLock lock(mutex_);
  return table_.slots();
}

std::optional<uint64_t> CacheCore::object_bytes(const ObjectId& object) const {
  const MutexLock lock(mutex_);
  if (const ObjectFile* const file = space_.object_file(object)) {
    return file->size_bytes();
  }
  const std::optional<EntrySlot> slot = table_.find({object, 0});
  if (slot && table_[*slot].is_whole_tail) {
    return table_[*slot].end_bytes();
  }
  return std::nullopt;
}

EntryRecord CacheCore::record_of(const Entry& entry) const {
  return {.key = entry.key(),
          .length_bytes = entry.length_bytes,
          .place = entry.place,
          .expires_s = entry.expires_s,
          .priority = entry.priority,
          .is_whole_tail = entry.is_whole_tail};
}

/// False if it is gone already.
bool CacheCore::drop(EntrySlot slot) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  const bool is_here = !table_[slot].is_doomed;
  if (is_here) {
    doom(slot);
  }
  std::swap(dropped, dropped_);
  return is_here;
}

/// The entry is not found any more. Its space is given back once nobody reads or writes it.
void CacheCore::doom(EntrySlot slot) {
  Entry& entry = table_[slot];
  table_.unlink(slot);
  entry.is_doomed = true;
  set_expiry(slot, kNeverExpires);
  set_pinned(slot, false);
  take_unruled(slot);
  space_.begin_to_leave(entry);
  if (entry.is_in_policy) {
    entry.is_in_policy = false;
    policy_.removed(slot);
  }
  if (entry.is_held) {
    dropped_.bytes.push_back(memory_.drop(slot));
  }
  take_back_write(slot);
  free_if_unused(slot);
  seal_closed();
}

/// An entry that goes before it is written need not be written any more.
void CacheCore::take_back_write(EntrySlot slot) {
  const auto write = writes_.find(slot);
  if (write == writes_.end() || is_closed_) {
    return;
  }
  const Entry& entry = table_[slot];
  DiskWorker::Job job = space_.worker_of(*space_.file(entry.file)).take_back(write->second);
  if (job) {
    dropped_.jobs.push_back(std::move(job));
    writes_.erase(write);
    if (entry.place != 0) {
      space_.written(entry.file);
    }
  }
}

void CacheCore::free_if_unused(EntrySlot slot) {
  Entry& entry = table_[slot];
  if (!entry.is_doomed || entry.leases > 0 || writes_.contains(slot)) {
    return;
  }
  if (entry.file != kNoFile && !is_closed_) {
    give_back(space_.drop(entry));
    move_sparse_later();
  }
  table_.release(slot);
}

void CacheCore::give_back(SpaceFreed freed) {
  give_back_put_off(space_.directory_of(*freed.file));
  if (freed.is_last) {
    space_.forget_put_off(*freed.file);
  }
  if (!freed.is_on_disk) {
    space_.freed(freed, ok_status());
  } else if (!freed.is_last && !space_.may_punch(*freed.file)) {
    space_.put_off(std::move(freed));
  } else {
    give_back_later(std::move(freed));
  }
}

void CacheCore::give_back_put_off(CacheDirectory& directory) {
  for (SpaceFreed& due : space_.take_put_off(directory)) {
    give_back_later(std::move(due));
  }
}

/// Whether nothing should go, since earlier readers keep its space; asks once more whether they do.
bool CacheCore::is_held() {
  if (space_.is_held()) {
    for (CacheDirectory& directory : space_.directories()) {
      give_back_put_off(directory);
    }
  }
  return space_.is_held();
}

void CacheCore::give_back_later(SpaceFreed freed) {
  if (must_stay(freed)) {
    space_.keep(freed);
    return;
  }
  DiskWorker& worker = space_.worker_of(*freed.file);
  worker.add(
      [this, freed] {
        // A file that cannot be changed keeps its space, and what it holds stays as it is.
        Status status;
        if (freed.is_last) {
          status = freed.file->remove();
        } else if (freed.is_chunk) {
          status = static_cast<ObjectFile&>(*freed.file).punch(freed.start_bytes);
        } else {
          status = static_cast<Segment&>(*freed.file).punch(freed.extent);
        }
        const MutexLock lock(mutex_);
        space_.freed(freed, status);
      },
      0);
}

void CacheCore::trim_memory() {
  while (memory_.total_bytes() > options_.memory_bytes) {
    const std::optional<EntrySlot> slot = memory_.next_to_drop();
    if (!slot) {
      return;
    }
    dropped_.bytes.push_back(memory_.drop(*slot));
  }
}

std::vector<std::shared_ptr<DiskWorker>> CacheCore::workers() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<DiskWorker>> workers;
  for (const CacheDirectory& directory : space_.directories()) {
    if (directory.worker) {
      workers.push_back(directory.worker);
    }
  }
  return workers;
}

void CacheCore::flush() {
  for (const std::shared_ptr<DiskWorker>& worker : workers()) {
    worker->flush();
  }
}

Result<std::vector<FileDescriptor>> CacheCore::reader_tokens() const {
  const MutexLock lock(mutex_);
  std::vector<FileDescriptor> tokens;
  for (const CacheDirectory& directory : space_.directories()) {
    if (directory.owned) {
      FOREBAY_ASSIGN_OR_RETURN(FileDescriptor token, directory.owned->reader());
      if (token.is_valid()) {
        tokens.push_back(std::move(token));
      }
    }
  }
  return tokens;
}

void CacheCore::unlock_if_unused() {
  for (CacheDirectory& directory : space_.directories()) {
    if (is_closed_ && leases_ == 0) {
      directory.owned.reset();
    }
  }
}

void CacheCore::close() {
  is_open_.store(false, std::memory_order_relaxed);
  {
    const MutexLock lock(mutex_);
    if (is_closed_) {
      return;
    }
    space_.close_segments();
    seal_closed();
  }
  flush();
  std::vector<std::shared_ptr<DiskWorker>> workers;  // they end without the lock, which their jobs take
  const MutexLock lock(mutex_);
  is_closed_ = true;
  unlock_if_unused();
  for (CacheDirectory& directory : space_.directories()) {
    workers.push_back(std::move(directory.worker));
  }
}

CacheStatistics CacheCore::statistics() const {
  const PlanCounts plans = options_.plan_follower ? options_.plan_follower->counts() : PlanCounts();
  const MutexLock lock(mutex_);
  CacheStatistics statistics = counts_;
  statistics.plans = plans.plans;
  statistics.ahead_reads = plans.ahead_reads;
  statistics.ahead_bytes = plans.ahead_bytes;
  statistics.upstream_reads = upstream_reads_.load(std::memory_order_relaxed);
  statistics.upstream_bytes = upstream_bytes_.load(std::memory_order_relaxed);
  statistics.hits = hits_.load(std::memory_order_relaxed);
  statistics.disk_hit_bytes = disk_hit_bytes_.load(std::memory_order_relaxed);
  statistics.entries = table_.size();
  statistics.memory_bytes = memory_.total_bytes();
  statistics.disk_bytes = space_.used_bytes();
  statistics.quota_bytes = capacity_bytes();
  statistics.limit_bytes = options_.directories.empty() ? statistics.quota_bytes : space_.limit_bytes();
  statistics.index_bytes = table_.memory_bytes() + expiring_.memory_bytes() + policy_.memory_bytes();
  statistics.pinned_bytes = pinned_bytes_;
  statistics.most_pinned_bytes = most_pinned_bytes();
  statistics.directories_off = space_.directories_off();
  return statistics;
}

}  // namespace forebay::cache
