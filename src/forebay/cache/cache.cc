#include "forebay/cache/cache.h"

#include <utility>

#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/store/cache_store.h"

namespace forebay::cache {

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

void Cache::flush() {
  if (core_->is_alive()) {
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
