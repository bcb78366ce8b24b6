// A process's way to its host's daemon: the connection that it has, and another one once that has gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "forebay/base/clock.h"
#include "forebay/base/sync/timer.h"
#include "forebay/cache/client/host_client.h"
#include "forebay/storage/remote/fork_local.h"

namespace forebay::cache {

/// Whether an error of a connection says that there is no daemon.
bool says_absent(const Status& status);

/// Thread safe; must be owned by a shared_ptr. Each process has a connection of its own, a forked child too.
/// One attempt is made at a time, on a thread of its own. After one that failed, the next begins with the
/// first call that comes kLeastDelayNs later, and up to kMaxDelayNs if it fails again and again; so it is
/// with connections that end soon. Until the first attempt of a process is over, and for kMaxWaitNs at most,
/// calls may wait for it; later ones hold nobody up. In what follows, the first attempt is over once it has
/// taken that long.
class HostConnector : public std::enable_shared_from_this<HostConnector> {
 public:
  static constexpr int64_t kLeastDelayNs = 1'000'000'000;
  static constexpr int64_t kMaxDelayNs = 60'000'000'000;
  static constexpr int64_t kMaxWaitNs = 2'000'000'000;
  /// A connection that lasted as long was none that ends soon.
  static constexpr int64_t kSteadyNs = 30'000'000'000;

  /// How long after the last of so many failures in a row the next attempt may begin. Spread, so that
  /// processes that failed together do not come together again.
  static int64_t delay_after(uint32_t failures);

  using ClientRef = std::shared_ptr<HostClient>;
  /// Makes a connection; may block, within bounds. `unavailable` or `not_found` if there is no daemon, of
  /// which nothing is said; other errors are warned of, once.
  using Connect = std::function<Result<ClientRef>()>;

  explicit HostConnector(Connect connect, const Clock& clock = steady_clock(),
                         Timer& timer = process_timer());
  /// This one connection: once it has gone, and in a forked child, there is none.
  explicit HostConnector(ClientRef client);

  /// The connection, if there is one now. Begins an attempt if there is none and it is time for one; never
  /// waits.
  ClientRef client();

  /// Whether this process's first attempt is over. Begins it.
  bool is_settled();
  using Task = absl::AnyInvocable<void()>;
  /// Calls `then` when the first attempt is over, on its thread; inline if it is.
  void once_settled(Task then);
  /// Waits until the first attempt is over. Not on the thread of a connection.
  void settle();

  /// Calls `send` with the connection, if there is one, and with each later one, as long as the plan lives
  /// and is not retracted.
  using SendPlan = std::function<void(HostClient& client, const std::shared_ptr<storage::ReadPlan>& plan)>;
  void follow(const std::shared_ptr<storage::ReadPlan>& plan, SendPlan send);

 private:
  struct State;

  std::shared_ptr<State> new_state() const;
  std::shared_ptr<State> begun();

  const Connect connect_;  // empty: no more than the one connection
  const Clock& clock_;
  Timer& timer_;
  storage::ForkLocal<State> state_;
};

/// A store as one process asks the daemon for it: its settings are sent with the first request on each
/// connection. Thread safe.
class StoreAtHost {
 public:
  StoreAtHost(std::shared_ptr<HostConnector> host, OpenStore settings);

  /// A connection, and the number of the store on it.
  struct Place {
    std::shared_ptr<HostClient> client;  // null: there is none now
    uint32_t store = 0;
  };
  Place now() const { return on(host_->client()); }
  Place on(std::shared_ptr<HostClient> client) const;

  HostConnector& host() const { return *host_; }
  /// Else there is never a connection: the daemon would not understand the settings.
  bool is_sendable() const { return is_sendable_; }

 private:
  const std::shared_ptr<HostConnector> host_;
  const OpenStore settings_;
  const bool is_sendable_;
  const uint64_t id_;  // of this process and those that it forks
};

}  // namespace forebay::cache
