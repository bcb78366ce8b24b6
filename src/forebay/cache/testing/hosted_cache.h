// A daemon in the test's own process: a cache over a store that counts reads, served at a socket.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/cache/host/host_client.h"
#include "forebay/cache/host/host_server.h"
#include "forebay/cache/host/host_store.h"
#include "forebay/cache/host/shared_memory.h"
#include "forebay/cache/testing/listed_store.h"
#include "forebay/cache/testing/sampled_items.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::cache {

inline constexpr size_t kMiB = size_t{1} << 20;

/// Its files lie in `directory`.
class HostedCache {
 public:
  explicit HostedCache(std::string directory) : directory_(std::move(directory)) { start(); }

  void start() {
    CacheOptions options;
    options.directories = {{.path = cache_directory(), .quota_bytes = 64 * kMiB, .least_free_bytes = 0}};
    start(std::move(options));
  }
  void start(CacheOptions options) {
    options.read_into = *shared_memory(64 * kMiB);
    cache_ = *Cache::open(std::move(options));
    server_ = *HostServer::start(
        {.socket = socket(),
         .cache = cache_,
         .open =
             [upstream = upstream_, listed = listed_](const std::string& uri, const storage::StoreOptions&) {
               const std::string prefix = upstream->uri_of("");
               return Result<storage::ObjectAddress>({listed, uri.substr(prefix.size())});
             },
         .order = testing::SampleShuffle::make,
         .clock = &clock_});
  }
  void stop() {
    server_.reset();
    cache_.reset();
  }
  std::string cache_directory() const { return directory_ + "/cache"; }
  std::string socket() const { return directory_ + "/socket"; }
  /// As another process would have it.
  std::shared_ptr<HostStore> new_store() {
    return *HostStore::create(*HostClient::connect(socket()), upstream_);
  }
  storage::FaultInjectingStore& upstream() { return *upstream_; }
  /// What the daemon lists.
  testing::ListedStore& listed() { return *listed_; }
  std::shared_ptr<storage::ObjectStore> upstream_store() { return upstream_; }
  Cache& cache() { return *cache_; }
  HostServer& server() { return *server_; }

 private:
  const std::string directory_;
  // Stands still, so that no answer grows old; never goes, since the thread that fetches ahead may be the one
  // that drops the cache.
  inline static const SteppedClock& clock_ = *new SteppedClock;
  const std::shared_ptr<storage::FaultInjectingStore> upstream_ =
      std::make_shared<storage::FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
  const std::shared_ptr<testing::ListedStore> listed_ = std::make_shared<testing::ListedStore>(upstream_);
  std::shared_ptr<Cache> cache_;
  std::unique_ptr<HostServer> server_;
};

}  // namespace forebay::cache
