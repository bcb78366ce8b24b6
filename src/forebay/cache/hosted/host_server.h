// The daemon's side: one cache for all processes of this user on this host, over a Unix socket.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "forebay/base/clock.h"
#include "forebay/cache/hosted/host_stores.h"
#include "forebay/net/local/local_loop.h"

namespace forebay::cache {

struct HostServerOptions {
  std::string socket;  // path; see net::listen_locally()
  std::shared_ptr<Cache> cache;
  StoreOpener open;               // thread safe
  storage::ReadOrderMaker order;  // of the plans of its processes; without it they are not followed
  RuleReader rules;               // see HostStores
  std::string journal;            // the folder of what is written back; empty: everything is written through
  WrittenMounts mounts;           // where that goes
  const Clock* clock = &steady_clock();  // for how long answers are trusted; must outlive the server
};

/// Serves from start() on, on a thread of its own, until it is destroyed. Processes that lose their daemon
/// read from upstream themselves.
class HostServer {
 public:
  /// already_exists if another process serves at the socket.
  static Result<std::unique_ptr<HostServer>> start(HostServerOptions options);

  /// How many processes are connected, but for those that do nothing but look at its counts.
  size_t users() const { return users_->connected.load(); }
  /// What waits to be stored; null: nothing ever does.
  const std::shared_ptr<WriteBack>& journal() const { return stores_->journal(); }
  /// How many of them have gone.
  uint64_t users_gone() const { return users_->gone.load(); }

 private:
  struct Users {
    std::atomic<size_t> connected{0};
    std::atomic<uint64_t> gone{0};
  };
  class Visit;

  explicit HostServer(std::shared_ptr<HostStores> stores) : stores_(std::move(stores)) {}

  const std::shared_ptr<HostStores> stores_;
  const std::shared_ptr<Users> users_ = std::make_shared<Users>();
  std::unique_ptr<net::LocalLoop> loop_;
};

}  // namespace forebay::cache
