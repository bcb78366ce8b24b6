#include "forebay/cache/host/host_client.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <future>
#include <utility>

#include "absl/strings/cord.h"
#include "forebay/base/clock.h"
#include "forebay/base/system_error.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/host/shared_memory.h"
#include "forebay/cache/host/store_environment.h"

namespace forebay::cache {
namespace {

using storage::CallContext;
using storage::kNoDeadline;
using storage::ReadBytes;

constexpr char kGoneType[] = "forebay.dev/daemon-gone";

Status daemon_gone() {
  Status status = unavailable("the cache's daemon has gone");
  status.SetPayload(kGoneType, absl::Cord());
  return status;
}

int64_t time_left(const CallContext& context) {
  return context.deadline_ns == kNoDeadline
             ? kNoDeadline
             : std::max<int64_t>(0, context.deadline_ns - steady_clock().now_ns());
}

/// All processes' connections to daemons are driven by one thread, which is started with the first.
Result<net::LocalLoop*> process_loop() {
  struct Loops {
    Mutex mutex;
    engine::Identity identity;
    net::LocalLoop* loop FOREBAY_GUARDED_BY(mutex) = nullptr;
  };
  static Loops* current = new Loops;
  if (!current->identity.is_alive()) {
    current = new Loops;  // a forked child: that of the parent has no thread here, and its lock may be held
  }
  const MutexLock lock(current->mutex);
  if (current->loop == nullptr) {
    FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<net::LocalLoop> loop, net::LocalLoop::start("forebay-host"));
    current->loop = loop.release();  // never ended: stores may outlive the process's statics
  }
  return current->loop;
}

}  // namespace

bool is_daemon_gone(const Status& status) {
  return status.GetPayload(kGoneType).has_value();
}

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

/// A file of the daemon in this process's memory.
class HostClient::Mapped {
 public:
  static Result<std::shared_ptr<const Mapped>> map(const FileDescriptor& file, uint64_t bytes) {
    void* const address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
    if (address == MAP_FAILED) {
      return errno_status(errno, "memory that the cache's daemon shares");
    }
    return std::make_shared<const Mapped>(Bytes(static_cast<const std::byte*>(address), bytes));
  }
  explicit Mapped(Bytes bytes) : bytes_(bytes) {}
  ~Mapped() { munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  Bytes bytes() const { return bytes_; }

 private:
  const Bytes bytes_;
};

/// Keeps what a view shows where it is: by a lease of the daemon, and by the readers' lock once that has
/// gone.
class HostClient::View {
 public:
  View(std::shared_ptr<HostClient> client, uint64_t number, std::shared_ptr<const Mapped> mapped,
       std::shared_ptr<const FileDescriptor> readers_lock)
      : client_(std::move(client)),
        number_(number),
        readers_lock_(std::move(readers_lock)),
        mapped_(std::move(mapped)) {}
  ~View() {
    mapped_.reset();
    client_->release(number_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

 private:
  const std::shared_ptr<HostClient> client_;
  const uint64_t number_;
  const std::shared_ptr<const FileDescriptor> readers_lock_;
  std::shared_ptr<const Mapped> mapped_;
};

// This object goes with the call that it cancels.
void HostClient::Cancel::operator()() const {
  const Cancel own = *this;
  if (const std::shared_ptr<HostClient> alive = own.client.lock()) {
    alive->cancel(own.number, own.uri);
  }
}

Result<std::shared_ptr<HostClient>> HostClient::connect(const std::string& socket) {
  FOREBAY_ASSIGN_OR_RETURN(net::LocalLoop* const loop, process_loop());
  std::shared_ptr<HostClient> client(new HostClient);
  client->greeting_ = std::make_shared<Greeting>();
  std::future<Result<Hello>> hello = client->greeting_->hello.get_future();
  FOREBAY_ASSIGN_OR_RETURN(client->connection_, loop->connect(socket, client->handler()));
  FOREBAY_RETURN_IF_ERROR(
      client->connection_->send(bytes_of(encode(Hello{.environment = store_environment()}))));
  if (hello.wait_for(std::chrono::nanoseconds(kMostGreetingNs)) != std::future_status::ready) {
    return make_status(StatusCode::kDeadlineExceeded, "{}: the cache's daemon does not answer", socket);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Hello said, hello.get());
  if (said.protocol != kHostProtocol) {
    return failed_precondition(
        "{}: the cache's daemon is of another version (protocol {}, here {}); start it anew", socket,
        said.protocol, kHostProtocol);
  }
  if (said.environment != store_environment()) {
    return failed_precondition(
        "{}: the cache's daemon was started with other AWS_* or proxy variables; start it anew with these",
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
                  alive->lose(why);
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
  FOREBAY_ASSIGN_OR_RETURN(const HostHeader header, decode_header(message.bytes));
  if (header.kind == HostMessage::kHello) {
    take_hello(std::move(message));
    return ok_status();
  }
  if (header.kind == HostMessage::kForgetRange) {
    std::shared_ptr<const Mapped> dropped;  // unmapped without the lock
    const MutexLock lock(mutex_);
    if (const auto found = mapped_.find(header.number); found != mapped_.end()) {
      dropped = std::move(found->second);
      mapped_.erase(found);
    }
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
  if (const Result<AnsweredBytes> answer = decode_read_answer(message.bytes);
      answer.ok() && answer->bytes.has_file) {
    mapped(answer->bytes, std::move(message.descriptors)).status().IgnoreError();
  }
  release(header.number);
  return ok_status();
}

void HostClient::take_hello(net::LocalMessage message) {
  if (!message.descriptors.empty()) {
    const MutexLock lock(mutex_);
    readers_lock_ = std::make_shared<const FileDescriptor>(std::move(message.descriptors.front()));
  }
  greeting_->set(decode_hello(message.bytes));
}

std::optional<HostClient::Answered> HostClient::take_call(uint64_t number) {
  Call taken;  // its stop callback is destroyed without the lock, since it may be running
  const MutexLock lock(mutex_);
  const auto found = calls_.find(number);
  if (found == calls_.end()) {
    return std::nullopt;
  }
  taken = std::move(found->second);
  calls_.erase(found);
  return std::move(taken.done);
}

uint64_t HostClient::next_number() {
  const MutexLock lock(mutex_);
  return ++last_number_;
}

bool HostClient::add_call(uint64_t number, Answered* done) {
  const MutexLock lock(mutex_);
  if (is_lost_) {
    return false;
  }
  calls_.emplace(number, Call{.done = std::move(*done), .on_stop = nullptr});
  return true;
}

// The stop callback may run as soon as it exists, and then ends the call, so the call is there first.
void HostClient::ask(uint64_t number, const std::string& message, const CallContext& context,
                     const std::string& uri, Answered done) {
  if (!identity_.is_alive() || !add_call(number, &done)) {
    done(daemon_gone());
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
  if (!connection_->send(bytes_of(message)).ok()) {
    if (std::optional<Answered> lost = take_call(number)) {
      (*lost)(daemon_gone());
    }
  }
}

void HostClient::cancel(uint64_t number, const std::string& uri) {
  if (std::optional<Answered> done = take_call(number)) {
    connection_->send(bytes_of(encode_header(HostMessage::kCancel, number))).IgnoreError();
    (*done)(cancelled("{}: cancelled", uri));
  }
}

void HostClient::lose(const Status&) {
  std::unordered_map<uint64_t, Call> calls;
  std::unordered_map<uint64_t, std::shared_ptr<const Mapped>> mapped;
  std::shared_ptr<const FileDescriptor> readers_lock;  // views have it, too
  {
    const MutexLock lock(mutex_);
    is_lost_ = true;
    readers_lock.swap(readers_lock_);
    calls.swap(calls_);
    mapped.swap(mapped_);
  }
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

void HostClient::stat(StatRequest request, const CallContext& context, storage::StatCallback done) {
  request.time_left_ns = time_left(context);
  const uint64_t number = next_number();
  ask(number, encode(number, request), context, request.uri,
      [done = std::move(done)](Result<net::LocalMessage> message) mutable {
        if (!message.ok()) {
          done(message.status());
          return;
        }
        Result<AnsweredStat> answer = decode_stat_answer(message->bytes);
        if (!answer.ok() || !answer->status.ok()) {
          done(answer.ok() ? answer->status : answer.status());
        } else {
          done(std::move(answer->stat));
        }
      });
}

void HostClient::read(HostReadRequest request, const CallContext& context, storage::ReadCallback done) {
  request.time_left_ns = time_left(context);
  request.is_prefetch = context.priority == storage::Priority::kPrefetch;
  const uint64_t number = next_number();
  ask(number, encode(number, request), context, request.uri,
      [self = shared_from_this(), number, done = std::move(done)](Result<net::LocalMessage> message) mutable {
        done(message.ok() ? self->view_of(number, *std::move(message)) : message.status());
      });
}

// The file of a range comes once, with the first answer that lies in it.
Result<std::shared_ptr<const HostClient::Mapped>> HostClient::mapped(const HostBytes& bytes,
                                                                     std::vector<FileDescriptor> files) {
  if (!bytes.has_file) {
    const MutexLock lock(mutex_);
    const auto found = mapped_.find(bytes.range);
    if (found == mapped_.end()) {
      return unavailable("bytes in memory that the cache's daemon has not shared");
    }
    return found->second;
  }
  if (files.empty()) {
    return invalid_argument("the cache's daemon named a file and did not send it");
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const Mapped> made, Mapped::map(files.front(), bytes.range_bytes));
  const MutexLock lock(mutex_);
  if (!is_lost_) {
    mapped_.insert_or_assign(bytes.range, made);
  }
  return made;
}

Result<ReadBytes> HostClient::view_of(uint64_t number, net::LocalMessage message) {
  FOREBAY_ASSIGN_OR_RETURN(AnsweredBytes answer, decode_read_answer(message.bytes));
  FOREBAY_RETURN_IF_ERROR(answer.status);
  HostBytes& bytes = answer.bytes;
  if (bytes.range == 0) {
    auto text = std::make_shared<const std::string>(std::move(bytes.inline_bytes));
    return ReadBytes{.owner = text, .bytes = bytes_of(*text), .version = std::move(bytes.version)};
  }
  Result<std::shared_ptr<const Mapped>> file = mapped(bytes, std::move(message.descriptors));
  if (!file.ok()) {
    release(number);
    return file.status();
  }
  const Bytes all = (*file)->bytes();
  std::shared_ptr<const FileDescriptor> readers_lock;
  {
    const MutexLock lock(mutex_);
    readers_lock = readers_lock_;
  }
  auto view = std::make_shared<View>(shared_from_this(), number, *file, std::move(readers_lock));
  if (bytes.offset_bytes > all.size() || bytes.length_bytes > all.size() - bytes.offset_bytes) {
    return invalid_argument("bytes {} to {} of a file of {} bytes", bytes.offset_bytes,
                            bytes.offset_bytes + bytes.length_bytes, all.size());
  }
  const uint64_t behind = all.size() - bytes.offset_bytes - bytes.length_bytes;
  ReadBytes read = {.owner = std::move(view), .bytes = all.subspan(bytes.offset_bytes, bytes.length_bytes)};
  read.version = std::move(bytes.version);
  read.readable_behind = std::min(bytes.readable_behind, behind);
  return read;
}

void HostClient::changed(const ChangedObject& object, Bytes content) {
  if (!is_usable()) {
    return;
  }
  Result<FileDescriptor> copy = FileDescriptor();
  if (!content.empty() && content.size() <= kMostGivenBytes) {
    copy = sealed_copy(content);
  }
  const bool has_copy = copy.ok() && copy->is_valid();
  const int number = has_copy ? copy->get() : -1;
  connection_->send(bytes_of(encode(object)), {&number, has_copy ? size_t{1} : 0}).IgnoreError();
}

Result<std::string> HostClient::statistics() {
  auto text = std::make_shared<std::promise<Result<std::string>>>();
  std::future<Result<std::string>> answered = text->get_future();
  const uint64_t number = next_number();
  ask(number, encode_header(HostMessage::kStatistics, number), {}, "statistics",
      [text](Result<net::LocalMessage> message) {
        Result<AnsweredText> answer =
            message.ok() ? decode_text_answer(message->bytes) : Result<AnsweredText>(message.status());
        const Status status = answer.ok() ? answer->status : answer.status();
        text->set_value(status.ok() ? Result<std::string>(std::move(answer->text)) : status);
      });
  return answered.get();
}

}  // namespace forebay::cache
