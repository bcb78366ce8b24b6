#include "forebay/cache/cache.h"

#include <utility>

#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/disk/disk_worker.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/store/draft.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kDraftShare = 4;  // of a directory's quota

/// Drafts lie in the first directory; a cache in memory has room for small ones.
std::shared_ptr<DraftSpace> draft_space_of(const CacheOptions& options) {
  if (options.directories.empty()) {
    return std::make_shared<DraftSpace>("", options.write_behind_bytes / 2, 0);
  }
  const DirectoryOptions& first = options.directories.front();
  return std::make_shared<DraftSpace>(first.path, first.quota_bytes / kDraftShare, first.least_free_bytes);
}

}  // namespace

Cache::Cache(std::shared_ptr<CacheCore> core)
    : core_(std::move(core)),
      draft_space_(draft_space_of(core_->options())),
      later_(std::make_unique<DiskWorker>()) {
}

Result<std::shared_ptr<Cache>> Cache::open(CacheOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<CacheCore> core, CacheCore::open(std::move(options)));
  return std::shared_ptr<Cache>(new Cache(std::move(core)));
}

Cache::~Cache() {
  if (core_->is_alive()) {
    core_->close();
  } else {
    // Its threads are in the other process, and its locks may be held by them.
    new std::shared_ptr<CacheCore>(std::move(core_));
    static_cast<void>(later_.release());
  }
}

std::shared_ptr<storage::ObjectStore> Cache::store_over(std::shared_ptr<storage::ObjectStore> upstream,
                                                        const FreshnessOptions& options) {
  return std::make_shared<CacheStore>(shared_from_this(), std::move(upstream), options);
}

bool Cache::pin(const std::string& uri, const std::string& version, bool is_pinned) {
  return core_->is_alive() && core_->pin(object_id(uri, version), is_pinned);
}

uint64_t Cache::verify(const std::string& uri, const std::string& version) {
  return core_->is_alive() ? core_->verify({uri, version}) : 0;
}

std::unique_ptr<Draft> Cache::new_draft() const {
  return std::make_unique<Draft>(draft_space_);
}

void Cache::do_later(absl::AnyInvocable<void()> job) {
  later_->add(std::move(job), 0);
}

void Cache::flush() {
  if (core_->is_alive()) {
    later_->flush();
    core_->flush();
  }
}

CacheStatistics Cache::statistics() const {
  return core_->is_alive() ? core_->statistics() : CacheStatistics();
}

const CacheOptions& Cache::options() const {
  return core_->options();
}

void Cache::close() {
  if (core_->is_alive()) {
    core_->close();
  }
}

bool Cache::is_usable() const {
  return core_->is_open() && core_->is_alive();
}

}  // namespace forebay::cache
