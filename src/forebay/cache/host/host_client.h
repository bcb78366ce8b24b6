// A process's side of its host's cache: one connection to the daemon, for all stores of the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/host/host_memory.h"
#include "forebay/cache/host/host_messages.h"
#include "forebay/cache/plans/plan_sender.h"
#include "forebay/engine/process.h"
#include "forebay/net/local/local_loop.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Whether an error says that there is no daemon any more, so that the call can be made without it.
bool is_daemon_gone(const Status& status);

/// Thread safe. Callbacks run on the connection's thread, or inline.
class HostClient : public std::enable_shared_from_this<HostClient> {
 public:
  /// Larger objects are not given to the daemon when they are written.
  static constexpr size_t kMostGivenBytes = size_t{32} << 20;
  /// How long a daemon may take to answer the first message.
  static constexpr int64_t kMostGreetingNs = 5'000'000'000;

  /// Errors of net::connect_locally(); failed_precondition if the daemon speaks another protocol or was
  /// started in another environment (store_environment.h); deadline_exceeded if it does not answer.
  static Result<std::shared_ptr<HostClient>> connect(const std::string& socket);
  ~HostClient();

  /// False once the daemon has gone, and in a forked child.
  bool is_usable() const;

  /// Tells the daemon the settings of stores; returns the number that requests name them by.
  Result<uint32_t> open_store(OpenStore settings);

  /// The request's time_left_ns is taken from the context.
  void stat(StatRequest request, const storage::CallContext& context, storage::StatCallback done);
  /// The answer is a view: in memory that the daemon shares, for as long as its owner lives.
  void read(HostReadRequest request, const storage::CallContext& context, storage::ReadCallback done);
  using PageCallback = absl::AnyInvocable<void(Result<HostListPage>)>;
  /// Opens a listing, which has this number, and gives its first page.
  void list(uint64_t listing, HostListRequest request, const storage::CallContext& context,
            PageCallback done);
  void next_page(uint64_t listing, const std::string& uri, const storage::CallContext& context,
                 PageCallback done);
  void end_list(uint64_t listing);
  /// For a listing.
  uint64_t next_number();
  /// Tells the daemon what was changed past it, and gives it a copy of the bytes, unless they are many.
  void changed(const ChangedObject& object, Bytes content = {});
  /// Tells the daemon what a reader of a store is going to read; see PlanSender::send().
  void follow(uint32_t store, std::shared_ptr<storage::ObjectStore> names,
              const std::shared_ptr<storage::ReadPlan>& plan);
  /// The daemon's counts as JSON. Waits for the answer.
  Result<std::string> statistics();

 private:
  struct Greeting;
  using Answered = absl::AnyInvocable<void(Result<net::LocalMessage>)>;
  struct Cancel {
    std::weak_ptr<HostClient> client;
    uint64_t number;
    std::string uri;
    void operator()() const;
  };
  struct Call {
    Answered done;
    std::unique_ptr<std::stop_callback<Cancel>> on_stop;  // null if it cannot be stopped
  };

  HostClient() = default;

  net::LocalHandler handler();
  Status take(net::LocalMessage message);
  void take_hello(net::LocalMessage message);
  void ask(uint64_t number, const std::string& message, const storage::CallContext& context,
           const std::string& uri, Answered done);
  bool add_call(uint64_t number, Answered* done);
  std::optional<Answered> take_call(uint64_t number);
  void cancel(uint64_t number, const std::string& uri);
  std::shared_ptr<PlanSender> plans();
  void lose();
  Result<storage::ReadBytes> view_of(uint64_t number, net::LocalMessage message);
  void release(uint64_t number);

  const engine::Identity identity_;
  net::LocalConnectionRef connection_;
  std::shared_ptr<Greeting> greeting_;
  mutable Mutex mutex_;
  bool is_lost_ FOREBAY_GUARDED_BY(mutex_) = false;
  uint64_t last_number_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint32_t last_store_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, Call> calls_ FOREBAY_GUARDED_BY(mutex_);
  std::shared_ptr<PlanSender> plans_ FOREBAY_GUARDED_BY(mutex_);  // null before the first plan
  HostMemory memory_;
};

}  // namespace forebay::cache
