#include "forebay/cache/store/cache_store.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "forebay/cache/bring/bringer.h"
#include "forebay/cache/drafts/draft.h"
#include "forebay/cache/entries/object_name.h"
#include "forebay/cache/store/side_data.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;
using storage::StatCallback;

namespace {

/// What has to be forgotten about an upstream around a change: while it lasts, answers do not count.
class Change {
 public:
  explicit Change(std::shared_ptr<CachedReads> reads) : reads_(std::move(reads)) {
    reads_->answers().begin_write();
  }
  Change(Change&& other) noexcept = default;
  Change& operator=(Change&&) = delete;
  ~Change() {
    if (reads_) {
      end();
    }
  }

  /// Ends the change, and forgets what was known of `key`; of everything if it names a directory.
  void end_with(const std::string& key) {
    if (key.ends_with('/')) {
      reads_->answers().forget_all();
    } else {
      reads_->answers().forget(key);
    }
  }

  CachedReads& reads() { return *reads_; }

  /// From now on the store's answers count again.
  void end() {
    reads_->answers().end_write();
    reads_->lists().forget_all();
    reads_.reset();
  }

 private:
  std::shared_ptr<CachedReads> reads_;
};

/// Ends a change that made the object `stat`, if all went well; `keep` takes its bytes in.
void end_change(Change change, const std::string& key, const Result<ObjectStat>& stat,
                absl::FunctionRef<void(CachedReads& reads)> keep) {
  const std::shared_ptr<CachedReads> reads = change.reads().shared_from_this();
  change.end_with(key);
  change.end();
  if (stat.ok()) {
    reads->answers().record(reads->answers().ask(), *stat);
    keep(*reads);
  }
}

void keep_draft(CachedReads& reads, const ObjectStat& stat, Draft* draft) {
  if (draft == nullptr || stat.size_bytes == 0) {
    return;
  }
  Result<storage::ReadBytes> whole = draft->finish(stat.size_bytes);
  if (whole.ok()) {
    reads.keep(stat, *std::move(whole));
  }
}

/// A writer that ends its change with the object in place, and keeps a copy of what it has written.
class ChangingWriter final : public storage::ObjectWriter {
 public:
  ChangingWriter(std::unique_ptr<storage::ObjectWriter> inner, std::shared_ptr<CachedReads> reads,
                 std::string key, std::unique_ptr<Draft> draft)
      : inner_(std::move(inner)), reads_(std::move(reads)), key_(std::move(key)), draft_(std::move(draft)) {}

  storage::PartLimits limits() const override { return inner_->limits(); }
  void append(Bytes part, const CallContext& context, storage::StatusCallback done) override {
    if (draft_ && (!reads_->cache().is_usable() || !draft_->append(part))) {
      draft_.reset();
    }
    inner_->append(part, context, std::move(done));
  }
  void commit(const CallContext& context, StatCallback done) override {
    inner_->commit(context, [change = Change(reads_), key = key_, draft = std::move(draft_),
                             done = std::move(done)](Result<ObjectStat> stat) mutable {
      end_change(std::move(change), key, stat,
                 [&](CachedReads& reads) { keep_draft(reads, *stat, draft.get()); });
      done(std::move(stat));
    });
  }

 private:
  const std::unique_ptr<storage::ObjectWriter> inner_;
  const std::shared_ptr<CachedReads> reads_;
  const std::string key_;
  std::unique_ptr<Draft> draft_;  // null if nothing is kept
};

}  // namespace

CacheStore::CacheStore(std::shared_ptr<Cache> cache, std::shared_ptr<storage::ObjectStore> upstream,
                       const FreshnessOptions& options)
    : ForwardingStore(upstream),
      reads_(std::make_shared<CachedReads>(std::move(cache), std::move(upstream), options)) {
}

void CacheStore::note_changed(const std::string& key, const std::optional<ObjectStat>& stat,
                              storage::ReadBytes content) {
  if (!is_usable()) {
    return;
  }
  Change(reads_).end_with(key);
  if (!stat) {
    return;
  }
  reads_->answers().record(reads_->answers().ask(), *stat);
  if (!content.bytes.empty() && content.size_bytes() == stat->size_bytes) {
    reads_->keep(*stat, std::move(content));
  }
}

storage::StoreFeatures CacheStore::features() const {
  storage::StoreFeatures features = inner().features();
  features.has_resident = true;
  features.can_bring = true;
  return features;
}

void CacheStore::stat(std::string key, const CallContext& context, StatCallback done) {
  if (is_usable()) {
    reads_->stat(std::move(key), context, std::move(done));
  } else {
    inner().stat(std::move(key), context, std::move(done));
  }
}

std::unique_ptr<storage::ListStream> CacheStore::open_list(storage::ListRequest request) {
  return is_usable() ? reads_->open_list(std::move(request)) : inner().open_list(std::move(request));
}

void CacheStore::read(storage::ReadRequest request, const CallContext& context, storage::ReadCallback done) {
  if (is_usable()) {
    reads_->read(std::move(request), context, std::move(done));
  } else {
    inner().read(std::move(request), context, std::move(done));
  }
}

void CacheStore::bring_many(std::vector<storage::BringRequest> requests, const CallContext& context,
                            storage::BringManyCallback each) {
  if (is_usable()) {
    reads_->cache().bringer().bring(reads_, std::move(requests), context, std::move(each));
    return;
  }
  for (size_t i = 0; i < requests.size(); ++i) {
    each(i, cancelled("{}: the cache was closed", uri_of(requests[i].key)));
  }
}

std::optional<std::string> CacheStore::local_file(std::string_view key) const {
  return is_usable() ? std::nullopt : inner().local_file(key);
}

void CacheStore::write(std::string key, Bytes content, storage::WriteOptions options,
                       const CallContext& context, StatCallback done) {
  if (!is_usable()) {
    inner().write(std::move(key), content, std::move(options), context, std::move(done));
    return;
  }
  // The copy of much is made here: on the thread of the answer nothing may take long.
  const bool is_small = content.size() <= reads_->cache().options().write_behind_bytes / 2;
  std::unique_ptr<Draft> draft = is_small ? nullptr : draft_of(key);
  if (draft && !draft->append(content)) {
    draft.reset();
  }
  inner().write(key, content, std::move(options), context,
                [change = Change(reads_), key, content, is_small, draft = std::move(draft),
                 done = std::move(done)](Result<ObjectStat> stat) mutable {
                  end_change(std::move(change), key, stat, [&](CachedReads& reads) {
                    if (is_small) {
                      reads.keep_written(*stat, content);
                    } else {
                      keep_draft(reads, *stat, draft.get());
                    }
                  });
                  done(std::move(stat));
                });
}

std::unique_ptr<Draft> CacheStore::draft_of(const std::string& key) const {
  const Cache& cache = reads_->cache();
  return cache.is_usable() && cache.core()->is_cached(uri_of(key)) ? cache.new_draft() : nullptr;
}

void CacheStore::do_later(absl::AnyInvocable<void()> job) const {
  reads_->cache().do_later(std::move(job));
}

Result<std::unique_ptr<storage::ObjectWriter>> CacheStore::open_writer(std::string key,
                                                                       storage::WriteOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<storage::ObjectWriter> writer,
                           inner().open_writer(key, std::move(options)));
  if (!is_usable()) {
    return writer;
  }
  std::unique_ptr<Draft> draft = draft_of(key);
  return std::make_unique<ChangingWriter>(std::move(writer), reads_, std::move(key), std::move(draft));
}

void CacheStore::remove(std::string key, const CallContext& context, storage::StatusCallback done) {
  if (!is_usable()) {
    inner().remove(std::move(key), context, std::move(done));
    return;
  }
  inner().remove(key, context, [change = Change(reads_), key, done = std::move(done)](Status status) mutable {
    change.end_with(key);
    change.end();
    done(std::move(status));
  });
}

void CacheStore::remove_many(std::vector<std::string> keys, const CallContext& context,
                             storage::RemoveManyCallback each) {
  if (!is_usable()) {
    inner().remove_many(std::move(keys), context, std::move(each));
    return;
  }
  std::vector<Change> changes;
  changes.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    changes.emplace_back(reads_);
  }
  inner().remove_many(
      keys, context,
      [changes = std::move(changes), keys, each = std::move(each)](size_t i, Status removed) mutable {
        changes[i].end_with(keys[i]);
        changes[i].end();
        each(i, std::move(removed));
      });
}

void CacheStore::rename(storage::MoveRequest request, const CallContext& context, StatCallback done) {
  if (!is_usable()) {
    inner().rename(std::move(request), context, std::move(done));
    return;
  }
  inner().rename(request, context,
                 [change = Change(reads_), request, done = std::move(done)](Result<ObjectStat> stat) mutable {
                   change.end_with(request.from);
                   change.end_with(request.to);
                   change.end();
                   done(std::move(stat));
                 });
}

void CacheStore::copy(storage::MoveRequest request, const CallContext& context, StatCallback done) {
  if (!is_usable()) {
    inner().copy(std::move(request), context, std::move(done));
    return;
  }
  inner().copy(request, context,
               [change = Change(reads_), request, done = std::move(done)](Result<ObjectStat> stat) mutable {
                 change.end_with(request.to);
                 change.end();
                 done(std::move(stat));
               });
}

void CacheStore::make_directory(std::string key, const CallContext& context, storage::StatusCallback done) {
  if (!is_usable()) {
    inner().make_directory(std::move(key), context, std::move(done));
    return;
  }
  inner().make_directory(key, context,
                         [change = Change(reads_), done = std::move(done)](Status status) mutable {
                           change.reads().answers().forget_all();
                           change.end();
                           done(std::move(status));
                         });
}

void CacheStore::advise(std::shared_ptr<storage::ReadPlan> plan) {
  const std::shared_ptr<PlanFollower>& follower = reads_->cache().options().plan_follower;
  if (is_usable() && follower) {
    follower->follow(shared_from_this(), plan);
  }
  inner().advise(std::move(plan));
}

bool CacheStore::holds(const storage::PlannedRange& range) {
  const bool is_small_tail = range.is_to_end && range.length_bytes <= kChunkBytes;
  const uint64_t length_bytes = is_small_tail ? storage::kToEnd : range.length_bytes;
  const std::string version = is_usable() ? version_of(range) : std::string();
  return !version.empty() && reads_->cache().core()->holds(object_of(*this, range.key, version),
                                                           {range.offset_bytes, length_bytes});
}

/// Listings of some stores tell none; then it is the one that a read would be answered in without a question.
std::string CacheStore::version_of(const storage::PlannedRange& range) const {
  if (!range.version.empty()) {
    return range.version;
  }
  const std::optional<FreshAnswers::Known> known = reads_->answers().find(range.key);
  return known ? known->stat.version : std::string();
}

Demand CacheStore::demand() const {
  return reads_->demand();
}

std::shared_ptr<const PlannedRoom> CacheStore::room_of(const storage::PlannedRange& range) {
  return is_usable() ? reads_->cache().core()->room_of(uri_of(range.key)) : nullptr;
}

Result<storage::ObjectAddress> CacheStore::derived(std::string_view key, std::string_view version,
                                                   std::string_view kind) {
  if (!is_usable() || reads_->cache().options().directories.empty()) {
    return inner().derived(key, version, kind);  // a place that keeps it
  }
  auto cached = std::make_shared<CacheStore>(reads_->shared_cache(), side_upstream(), FreshnessOptions{});
  return side_address(std::move(cached), *this, key, version, kind);
}

std::shared_ptr<storage::ObjectStore> store_over(std::shared_ptr<Cache> cache,
                                                 std::shared_ptr<storage::ObjectStore> upstream,
                                                 const FreshnessOptions& options) {
  return std::make_shared<CacheStore>(std::move(cache), std::move(upstream), options);
}

}  // namespace forebay::cache
