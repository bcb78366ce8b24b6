// A process's side of its host's cache: one connection to the daemon, for all stores of the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"
#include "forebay/cache/client/host_memory.h"
#include "forebay/cache/client/plan_sender.h"
#include "forebay/cache/messages/cache_trouble.h"
#include "forebay/cache/messages/host_messages.h"
#include "forebay/engine/process.h"
#include "forebay/net/local/local_loop.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Thread safe. Callbacks run on the connection's thread, on that of the timer, or inline.
///
/// No call waits for ever. At its deadline it ends with deadline_exceeded. A daemon from which nothing has
/// come for kMaxSilenceNs, not even an answer to the question whether it is there, counts as gone; its
/// connection stays while this process looks at its bytes. A call of one object that the daemon keeps for
/// kMaxAnswerNs, as behind a disk that hangs, ends as if it had gone.
class HostClient : public std::enable_shared_from_this<HostClient> {
 public:
  /// Larger objects are given to the daemon in parts when they are written.
  static constexpr size_t kMaxGivenBytes = size_t{32} << 20;
  /// How long a daemon may take to answer the first message.
  static constexpr int64_t kMaxGreetingNs = 1'750'000'000;
  /// After such a silence, with calls under way, the daemon is asked whether it is there.
  static constexpr int64_t kMaxQuietNs = 250'000'000;
  static constexpr int64_t kMaxSilenceNs = 1'750'000'000;
  static constexpr int64_t kMaxAnswerNs = 900'000'000'000;  // beyond what stores are patient for

  /// Errors of net::connect_locally(); failed_precondition if the daemon speaks another protocol or is in
  /// another network (host_network.h); deadline_exceeded if it does not answer.
  /// `timer` must outlive the client.
  static Result<std::shared_ptr<HostClient>> connect(const std::string& socket,
                                                     Timer& timer = process_timer());
  ~HostClient();

  /// False once the daemon has gone, and in a forked child.
  bool is_usable() const;

  /// Tells the daemon the settings of stores; returns the number that requests name them by.
  Result<uint32_t> open_store(OpenStore settings);
  /// The number of the store that its process calls `owner`, opened here with the first call.
  Result<uint32_t> number_of(uint64_t owner, const OpenStore& settings);

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
  using BroughtCallback = absl::AnyInvocable<void(Result<HostBrought>)>;
  /// At most kMaxBroughtTogether ranges.
  void bring(HostBringRequest request, const storage::CallContext& context, BroughtCallback done);
  /// For a listing, or a draft.
  uint64_t next_number();
  /// Tells the daemon what was changed past it, and gives it a copy of the bytes, unless they are many.
  void changed(const ChangedObject& object, Bytes content = {});
  /// Gives it a part of an object that is being written (host_drafts.h). resource_exhausted if it does not
  /// keep it.
  void give_part(const DraftPart& part, Bytes content, const storage::CallContext& context,
                 storage::StatusCallback done);
  void end_draft(uint64_t draft);
  /// Begins an object that the daemon writes; returns the number that names it. Errors of that come later.
  Result<uint64_t> begin_write(const HostBeginWrite& write);
  void write_part(uint64_t write, const std::string& uri, Bytes content, const storage::CallContext& context,
                  storage::StatusCallback done);
  void commit_write(uint64_t write, const std::string& uri, const storage::CallContext& context,
                    storage::StatCallback done);
  void drop_write(uint64_t write);
  void change(HostChange change, const storage::CallContext& context, storage::StatCallback done);
  /// Tells the daemon what a reader of a store is going to read; see PlanSender::send().
  void follow(uint32_t store, std::shared_ptr<storage::ObjectStore> names,
              const std::shared_ptr<storage::ReadPlan>& plan);

  // These wait for the answer; cancelled once `stop` asks for it.

  /// What the daemon says of itself, as JSON (host_status.h).
  Result<std::string> statistics(const std::stop_token& stop = {});
  /// Has the daemon read the rules on disk. Returns once all that it holds is kept by them, with the counts.
  Result<std::string> take_rules(const std::stop_token& stop = {});
  /// What waits to be stored at or below a URI (empty: all), as JSON (host_status.h); `hurries`: what was put
  /// off is tried now.
  Result<std::string> backlog(const std::string& uri, bool hurries, const std::stop_token& stop = {});
  /// Has the daemon do a piece of a walk through what its cache holds.
  Result<CacheWalked> walk(const CacheWalk& piece, const std::stop_token& stop = {});

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
    std::string uri;
    bool is_bounded = false;  // by kMaxAnswerNs
    int64_t begun_ns = 0;
    Timer::Id timer = 0;                                  // of its deadline
    std::unique_ptr<std::stop_callback<Cancel>> on_stop;  // null if it cannot be stopped
  };

  explicit HostClient(Timer& timer);

  net::LocalHandler handler();
  Status take(net::LocalMessage message);
  void take_hello(net::LocalMessage message);
  /// `descriptor`, if there is one, goes with the message.
  void ask(uint64_t number, const std::string& message, const storage::CallContext& context,
           const std::string& uri, Answered done, const FileDescriptor& descriptor = {});
  /// Asks with a copy of the bytes.
  void send_content(uint64_t number, const std::string& message, Bytes content,
                    const storage::CallContext& context, const std::string& uri,
                    storage::StatusCallback done);
  bool add_call(uint64_t number, Call* call);
  std::optional<Answered> take_call(uint64_t number);
  void end_at_deadline(uint64_t number, const storage::CallContext& context, const std::string& uri);
  /// Ends a call that the daemon has not answered, and tells it so.
  void give_up(uint64_t number, Status why);
  void watch(int64_t when_ns);
  void look();
  void end_slow_calls();
  /// Says, once a minute, what has been waited for so long that somebody may ask what goes on.
  void tell_of_slow_calls();
  std::shared_ptr<PlanSender> plans();
  void lose();
  template <class Answer>
  Result<Answer> ask_now(uint64_t number, const std::string& message, const std::string& what,
                         const storage::CallContext& context = {});
  Result<storage::ReadBytes> view_of(uint64_t number, net::LocalMessage message);
  void release(uint64_t number);

  const engine::Identity identity_;
  Timer& timer_;
  net::LocalConnectionRef connection_;
  std::shared_ptr<Greeting> greeting_;
  mutable Mutex mutex_;
  bool is_lost_ FOREBAY_GUARDED_BY(mutex_) = false;
  uint64_t last_number_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint32_t last_store_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::atomic<int64_t> heard_ns_{0};
  int64_t looked_ns_ = 0;  // the timer's thread only, as when the daemon was asked for a sign of life
  int64_t asked_ns_ = 0;
  int64_t next_telling_ns_ = 0;
  bool is_watched_ FOREBAY_GUARDED_BY(mutex_) = false;  // look() will be called
  std::unordered_map<uint64_t, Call> calls_ FOREBAY_GUARDED_BY(mutex_);
  std::shared_ptr<PlanSender> plans_ FOREBAY_GUARDED_BY(mutex_);  // null before the first plan
  Mutex stores_mutex_;  // held until the daemon has been sent what it needs to know of a store
  std::unordered_map<uint64_t, uint32_t> stores_ FOREBAY_GUARDED_BY(stores_mutex_);
  HostMemory memory_;
};

}  // namespace forebay::cache
