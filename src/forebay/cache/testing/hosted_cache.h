// A daemon in the test's own process: a cache over a store that counts reads, served at a socket.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/units.h"
#include "forebay/cache/client/host_client.h"
#include "forebay/cache/client/host_store.h"
#include "forebay/cache/hosted/host_server.h"
#include "forebay/cache/messages/shared_memory.h"
#include "forebay/cache/testing/listed_store.h"
#include "forebay/cache/testing/open_when_free.h"
#include "forebay/cache/testing/sampled_items.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/outage_store.h"

namespace forebay::cache {

/// A clock that stands still, so that no answer grows old.
inline const Clock& still_clock() {
  static const auto* const clock = new SteppedClock;
  return *clock;
}

class HostedCache {
 public:
  /// Its files lie in `directory`. `clock` must never go, since the thread that fetches ahead may be the one
  /// that drops the cache.
  explicit HostedCache(std::string directory, const Clock& clock = still_clock())
      : directory_(std::move(directory)), clock_(clock) {
    start();
  }

  void start() {
    CacheOptions options;
    options.directories = {{.path = cache_directory(), .quota_bytes = 64 * kMiB, .least_free_bytes = 0}};
    start(std::move(options));
  }
  void start(CacheOptions options) {
    if (!options.read_into) {
      options.read_into = *shared_memory(64 * kMiB);
    }
    cache_ = testing::open_when_free(options);
    server_ = *HostServer::start(
        {.socket = socket(),
         .cache = cache_,
         .open =
             [upstream = upstream_, listed = listed_](const std::string& uri, const storage::StoreUse&) {
               const std::string prefix = upstream->uri_of("");
               return Result<storage::ObjectAddress>({listed, uri.substr(prefix.size())});
             },
         .order = testing::SampleShuffle::make,
         .rules = [this]() -> Result<std::vector<AdmissionRule>> { return rules_; },
         .clock = &clock_});
  }
  /// In the daemon's order: once the cache is closed, leases that end change nothing on disk.
  void stop() {
    if (cache_) {
      cache_->close();
    }
    server_.reset();
    cache_.reset();
  }
  std::string cache_directory() const { return directory_ + "/cache"; }
  std::string socket() const { return directory_ + "/socket"; }
  /// As another process would have it.
  std::shared_ptr<HostStore> new_store(Timer& timer = process_timer()) {
    return *HostStore::create(*HostClient::connect(socket(), timer), upstream_);
  }
  storage::FaultInjectingStore& upstream() { return *upstream_; }
  /// What its daemon asks, in an outage if told.
  storage::OutageStore& outages() { return *outages_; }
  /// What the daemon lists.
  testing::ListedStore& listed() { return *listed_; }
  std::shared_ptr<storage::ObjectStore> upstream_store() { return upstream_; }
  const std::shared_ptr<storage::FaultInjectingStore>& faulty_upstream() { return upstream_; }
  /// What upstream reads from, and never fails.
  const std::shared_ptr<storage::MemoryStore>& bucket() { return bucket_; }
  Cache& cache() { return *cache_; }
  /// What its daemon reads when it is told that its rules have changed.
  Result<std::vector<AdmissionRule>>& rules() { return rules_; }
  HostServer& server() { return *server_; }

 private:
  const std::string directory_;
  const Clock& clock_;
  const std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  const std::shared_ptr<storage::FaultInjectingStore> upstream_ =
      std::make_shared<storage::FaultInjectingStore>(bucket_);
  const std::shared_ptr<storage::OutageStore> outages_ = std::make_shared<storage::OutageStore>(upstream_);
  const std::shared_ptr<testing::ListedStore> listed_ = std::make_shared<testing::ListedStore>(outages_);
  Result<std::vector<AdmissionRule>> rules_ = std::vector<AdmissionRule>();
  std::shared_ptr<Cache> cache_;
  std::unique_ptr<HostServer> server_;
};

}  // namespace forebay::cache
