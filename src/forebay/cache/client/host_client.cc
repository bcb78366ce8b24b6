#include "forebay/cache/client/host_client.h"

#include <chrono>
#include <condition_variable>
#include <future>
#include <utility>

#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/messages/host_network.h"
#include "forebay/storage/remote/fork_local.h"

namespace forebay::cache {
namespace {

using storage::CallContext;
using storage::kNoDeadline;

/// Of calls for one object, whose answers do not take long unless something hangs.
bool is_bounded(const std::string& message) {
  switch (static_cast<HostMessage>(message.front())) {
    case HostMessage::kStat:
    case HostMessage::kRead:
    case HostMessage::kList:
    case HostMessage::kNextPage:
    case HostMessage::kDraftPart:
      return true;
    default:
      return false;
  }
}

struct ProcessLoop {
  Mutex mutex;
  std::unique_ptr<net::LocalLoop> loop FOREBAY_GUARDED_BY(mutex);
};

/// All connections of a process to daemons are driven by one thread, which is started with the first.
Result<net::LocalLoop*> process_loop() {
  // Never destroyed, since stores may outlive the process's statics.
  static auto* const loops =
      new storage::ForkLocal<ProcessLoop>([] { return std::make_shared<ProcessLoop>(); });
  const std::shared_ptr<ProcessLoop> own = loops->get();
  const MutexLock lock(own->mutex);
  if (own->loop == nullptr) {
    FOREBAY_ASSIGN_OR_RETURN(own->loop, net::LocalLoop::start("forebay-host"));
  }
  return own->loop.get();
}

}  // namespace

/// The daemon's first message, for the thread that connects.
struct HostClient::Greeting {
  std::promise<Result<Hello>> hello;
  bool has_come = false;  // the loop's thread only

  void set(Result<Hello> result) {
    if (!std::exchange(has_come, true)) {
      hello.set_value(std::move(result));
    }
  }
};

// This object goes with the call that it cancels.
void HostClient::Cancel::operator()() const {
  const Cancel own = *this;
  if (const std::shared_ptr<HostClient> alive = own.client.lock()) {
    alive->give_up(own.number, cancelled("{}: cancelled", own.uri));
  }
}

HostClient::HostClient(Timer& timer)
    : timer_(timer), memory_([this](uint64_t range) {
        connection_->send(bytes_of(encode_header(HostMessage::kForgetRange, range))).IgnoreError();
      }) {
}

Result<std::shared_ptr<HostClient>> HostClient::connect(const std::string& socket, Timer& timer) {
  FOREBAY_ASSIGN_OR_RETURN(net::LocalLoop* const loop, process_loop());
  std::shared_ptr<HostClient> client(new HostClient(timer));
  client->greeting_ = std::make_shared<Greeting>();
  std::future<Result<Hello>> hello = client->greeting_->hello.get_future();
  FOREBAY_ASSIGN_OR_RETURN(client->connection_, loop->connect(socket, client->handler()));
  FOREBAY_RETURN_IF_ERROR(
      client->connection_->send(bytes_of(encode(Hello{.network = network_of_process()}))));
  if (hello.wait_for(std::chrono::nanoseconds(kMaxGreetingNs)) != std::future_status::ready) {
    return make_status(StatusCode::kDeadlineExceeded, "{}: the cache's daemon does not answer", socket);
  }
  const Result<Hello> greeted = hello.get();
  if (greeted.status().code() == StatusCode::kCancelled) {
    return unavailable("{}: the cache's daemon has gone", socket);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Hello said, greeted);
  if (said.protocol != kHostProtocol) {
    return failed_precondition(
        "{}: the cache's daemon is of another version (protocol {}, here {}); start it anew", socket,
        said.protocol, kHostProtocol);
  }
  if (said.network != network_of_process()) {
    return failed_precondition(
        "{}: the cache's daemon is in another network namespace; start one in this, with another "
        "FOREBAY_HOME",
        socket);
  }
  return client;
}

HostClient::~HostClient() {
  if (connection_ != nullptr && identity_.is_alive()) {
    connection_->close();
  }
}

// The connection does not keep the client: views and stores do.
net::LocalHandler HostClient::handler() {
  const std::weak_ptr<HostClient> weak = weak_from_this();
  return {.on_message =
              [weak](const net::LocalConnectionRef&, net::LocalMessage message) {
                const std::shared_ptr<HostClient> alive = weak.lock();
                return alive ? alive->take(std::move(message)) : ok_status();
              },
          .on_closed =
              [weak, greeting = greeting_](const net::LocalConnectionRef&, const Status& why) {
                greeting->set(why);
                if (const std::shared_ptr<HostClient> alive = weak.lock()) {
                  alive->lose();
                }
              }};
}

bool HostClient::is_usable() const {
  if (!identity_.is_alive()) {
    return false;
  }
  const MutexLock lock(mutex_);
  return !is_lost_;
}

Status HostClient::take(net::LocalMessage message) {
  heard_ns_.store(timer_.now_ns(), std::memory_order_relaxed);
  FOREBAY_ASSIGN_OR_RETURN(const HostHeader header, decode_header(message.bytes));
  if (header.kind == HostMessage::kHello) {
    take_hello(std::move(message));
    return ok_status();
  }
  if (header.kind == HostMessage::kForgetRange) {
    memory_.forget(header.number);
    return ok_status();
  }
  if (header.kind == HostMessage::kWantTable) {
    plans()->give_table(header.number);
    return ok_status();
  }
  if (header.kind != HostMessage::kAnswer) {
    return invalid_argument("the cache's daemon sent a message that only processes send");
  }
  if (std::optional<Answered> done = take_call(header.number)) {
    (*done)(std::move(message));
    return ok_status();
  }
  // Nobody wants it any more. What the message brings may still be wanted: a file comes only once.
  if (const Result<HostBytes> bytes = decode_answer<HostBytes>(message.bytes); bytes.ok()) {
    memory_.keep_file(*bytes, std::move(message.descriptors));
  }
  release(header.number);
  return ok_status();
}

void HostClient::take_hello(net::LocalMessage message) {
  if (!message.descriptors.empty()) {
    memory_.hold(std::move(message.descriptors));
  }
  greeting_->set(decode<Hello>(message.bytes));
}

std::optional<HostClient::Answered> HostClient::take_call(uint64_t number) {
  Call taken;  // its stop callback is destroyed without the lock, since it may be running
  {
    const MutexLock lock(mutex_);
    const auto found = calls_.find(number);
    if (found == calls_.end()) {
      return std::nullopt;
    }
    taken = std::move(found->second);
    calls_.erase(found);
  }
  if (taken.timer != 0) {
    timer_.hurry(taken.timer);
  }
  return std::move(taken.done);
}

uint64_t HostClient::next_number() {
  const MutexLock lock(mutex_);
  return ++last_number_;
}

bool HostClient::add_call(uint64_t number, Call* call) {
  const int64_t now_ns = timer_.now_ns();
  call->begun_ns = now_ns;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    if (is_lost_) {
      return false;
    }
    calls_.emplace(number, std::move(*call));
    is_first = !std::exchange(is_watched_, true);
  }
  if (is_first) {
    heard_ns_.store(now_ns, std::memory_order_relaxed);  // until now there was nothing to be heard
    watch(now_ns + kMaxQuietNs);
  }
  return true;
}

// What ends the call early may happen as soon as it is known here, so the call is there first.
void HostClient::ask(uint64_t number, const std::string& message, const CallContext& context,
                     const std::string& uri, Answered done, const FileDescriptor& descriptor) {
  Call call;
  call.done = std::move(done);
  call.uri = uri;
  call.is_bounded = is_bounded(message);
  if (!identity_.is_alive() || !add_call(number, &call)) {
    call.done(daemon_gone());
    return;
  }
  if (context.cancellation.stop_possible()) {
    auto on_stop = std::make_unique<std::stop_callback<Cancel>>(context.cancellation,
                                                                Cancel{weak_from_this(), number, uri});
    const MutexLock lock(mutex_);
    if (const auto found = calls_.find(number); found != calls_.end()) {
      found->second.on_stop = std::move(on_stop);
    }
  }
  if (context.deadline_ns != kNoDeadline) {
    end_at_deadline(number, context, uri);
  }
  const int file = descriptor.get();
  if (!connection_->send(bytes_of(message), {&file, descriptor.is_valid() ? size_t{1} : 0}).ok()) {
    if (std::optional<Answered> lost = take_call(number)) {
      (*lost)(daemon_gone());
    }
  }
}

void HostClient::lose() {
  std::unordered_map<uint64_t, Call> calls;
  std::shared_ptr<PlanSender> plans;
  {
    const MutexLock lock(mutex_);
    is_lost_ = true;
    calls.swap(calls_);
    plans = plans_;
  }
  if (plans) {
    plans->end();
  }
  memory_.forget_all();
  for (auto& [number, call] : calls) {
    call.on_stop.reset();
    call.done(daemon_gone());
  }
}

void HostClient::release(uint64_t number) {
  if (identity_.is_alive()) {
    connection_->send(bytes_of(encode_header(HostMessage::kRelease, number))).IgnoreError();
  }
}

Result<uint32_t> HostClient::open_store(OpenStore settings) {
  if (!is_usable()) {
    return daemon_gone();
  }
  {
    const MutexLock lock(mutex_);
    settings.store = ++last_store_;
  }
  FOREBAY_RETURN_IF_ERROR(connection_->send(bytes_of(encode(settings))));
  return settings.store;
}

// Opened under the lock: what names the store is sent after what opens it.
Result<uint32_t> HostClient::number_of(uint64_t owner, const OpenStore& settings) {
  const MutexLock lock(stores_mutex_);
  if (const auto found = stores_.find(owner); found != stores_.end()) {
    return found->second;
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t number, open_store(settings));
  stores_.emplace(owner, number);
  return number;
}

std::shared_ptr<PlanSender> HostClient::plans() {
  const MutexLock lock(mutex_);
  if (!plans_) {
    plans_ = std::make_shared<PlanSender>(connection_);
  }
  return plans_;
}

void HostClient::follow(uint32_t store, std::shared_ptr<storage::ObjectStore> names,
                        const std::shared_ptr<storage::ReadPlan>& plan) {
  if (is_usable()) {
    plans()->send(store, std::move(names), plan);
  }
}

}  // namespace forebay::cache
