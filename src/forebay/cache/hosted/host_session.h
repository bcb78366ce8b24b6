// One process that uses the daemon's cache: its requests, and the bytes that it looks at.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/hosted/host_drafts.h"
#include "forebay/cache/hosted/host_listing.h"
#include "forebay/cache/hosted/host_plans.h"
#include "forebay/cache/hosted/host_stores.h"
#include "forebay/cache/hosted/host_writes.h"
#include "forebay/cache/hosted/told_ranges.h"
#include "forebay/cache/messages/host_messages.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/net/local/local_loop.h"

namespace forebay::cache {

/// Thread safe: messages come on the loop's thread, answers on those of the stores.
class HostSession final : public ActivitySource, public std::enable_shared_from_this<HostSession> {
 public:
  /// What one process may have under way, and the bytes it may look at, at a time.
  static constexpr size_t kMaxCalls = 16384;
  static constexpr size_t kMaxLeases = 65536;
  static constexpr size_t kMaxStores = 4096;
  static constexpr size_t kMaxListings = 1024;
  static constexpr size_t kMaxWalks = 4;
  static constexpr size_t kMaxWrites = 256;

  HostSession(std::shared_ptr<HostStores> stores, net::LocalConnectionRef connection)
      : stores_(stores),
        connection_(connection),
        ranges_(std::make_shared<ToldRanges>(connection)),
        plans_(std::move(stores), std::move(connection)) {}

  /// Errors are those of a process that does not speak as it should.
  Status take(net::LocalMessage message);
  /// The connection has ended: cancels what was asked for, and gives back what no process looks at.
  void end();
  HostActivity activity(int64_t now_ns) const override;
  /// Whether it has asked for the daemon's counts and for nothing else. On the loop's thread.
  bool only_looks() const { return has_looked_ && !has_worked_; }
  /// What the process maps.
  const std::shared_ptr<ToldRanges>& ranges() const { return ranges_; }

 private:
  Status take_hello(Bytes message);
  Status take_open_store(Bytes message);
  Status take_stat(uint64_t number, Bytes message);
  Status take_read(uint64_t number, Bytes message);
  Status take_bring(uint64_t number, Bytes message);
  Status take_list(uint64_t number, Bytes message);
  Status take_next_page(uint64_t number, Bytes message);
  Status take_changed(net::LocalMessage message);
  Status take_draft_part(uint64_t number, net::LocalMessage message);
  Status take_write_message(HostHeader header, net::LocalMessage message);
  Status take_begin_write(uint64_t number, Bytes message);
  Status take_write_part(uint64_t number, net::LocalMessage message);
  Status take_commit_write(uint64_t number, Bytes message);
  Status take_change(uint64_t number, Bytes message);
  void make_change(uint64_t number, ChangeKind kind, storage::ObjectStore& store, storage::MoveRequest move,
                   const storage::CallContext& context);
  Status take_backlog(uint64_t number, Bytes message);
  Status take_walk(uint64_t number, Bytes message);
  void take_rules(uint64_t number);
  Status take_plan_message(HostHeader header, net::LocalMessage message);
  Status take_plan(uint64_t number, Bytes message);
  void take_cancel(uint64_t number);
  void take_release(uint64_t number);

  /// A request that was taken on.
  struct Call {
    CachedAddress address;
    storage::CallContext context;
  };

  Result<std::shared_ptr<const OpenStore>> settings_of(uint32_t store, const std::string& uri);
  Result<CachedAddress> find(uint32_t store, const std::string& uri);
  /// Nothing if the request was refused, which it has then been told. `may_go_past`: where that says nothing
  /// of the object, the process may make the call without the daemon. Not where a journal would be overtaken.
  std::optional<Call> take_on(uint64_t number, uint32_t store, const std::string& uri, int64_t time_left_ns,
                              storage::Priority priority, bool may_go_past = true);
  /// What the process waits for.
  struct UnderWay {
    std::stop_source stop;
    int64_t since_ns = 0;
    std::string what;  // an object's URI
  };

  /// The context of a new request; resource_exhausted beyond the limits.
  Result<storage::CallContext> begin(uint64_t number, int64_t time_left_ns, storage::Priority priority,
                                     const std::string& what);
  void answer(uint64_t number, const std::string& message);
  void list_on(uint64_t number, HostListing& listing, const storage::CallContext& context);
  /// A lease lies where the daemon has it, however small.
  void answer_read(uint64_t number, bool is_lease, Result<storage::ReadBytes> read);
  void count_read(uint64_t bytes);

  const std::shared_ptr<HostStores> stores_;
  const net::LocalConnectionRef connection_;
  const std::shared_ptr<const storage::Caller> caller_ = std::make_shared<storage::Caller>();
  bool has_greeted_ = false;  // the loop's thread only, as plans, listings and the token
  bool has_looked_ = false;
  bool has_worked_ = false;
  FileDescriptor token_;  // tells whether the process, or a child of it, may look at bytes (kept_leases.h)
  const std::shared_ptr<ToldRanges> ranges_;
  HostPlans plans_;
  std::unordered_map<uint64_t, std::shared_ptr<HostListing>> listings_;
  HostDrafts drafts_;
  HostWrites writes_;
  mutable Mutex mutex_;
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::unordered_map<uint32_t, std::shared_ptr<const OpenStore>> settings_ FOREBAY_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, UnderWay> calls_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t reads_ FOREBAY_GUARDED_BY(mutex_) = 0;  // answered
  uint64_t read_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, std::shared_ptr<const void>> leases_ FOREBAY_GUARDED_BY(mutex_);
  size_t walks_ FOREBAY_GUARDED_BY(mutex_) = 0;  // under way
};

}  // namespace forebay::cache
