#include "forebay/net/server/http_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/base/units.h"
#include "forebay/net/server/io_worker.h"
#include "forebay/net/server/listener.h"
#include "forebay/net/server/tls.h"

namespace forebay::net {
namespace {

bool has_tls(const ServerOptions& options) {
  return !options.certificate.chain_file.empty();
}

Status check_safe(const ServerOptions& options) {
  if (!options.unix_socket.empty() || is_loopback(options.address) || options.allow_open ||
      (has_tls(options) && !options.bearer_token.empty())) {
    return ok_status();
  }
  return invalid_argument(
      "listening at {} would let whoever reaches this host use the server: give it a bearer token and a "
      "certificate, or say that the network is trusted (allow_open)",
      options.address);
}

Status check_options(const ServerOptions& options, const HttpHandler& handler) {
  if (!handler.handle) {
    return invalid_argument("an HTTP server needs a handler");
  }
  if (options.certificate.chain_file.empty() != options.certificate.key_file.empty()) {
    return invalid_argument("a server's certificate and its key are given together or not at all");
  }
  if (options.io_threads < 1 || options.limits.requests_per_connection < 1 ||
      options.limits.connections < 1) {
    return invalid_argument("an HTTP server needs at least one thread, connection and request");
  }
  constexpr size_t kLeastHeader_bytes = 256;
  constexpr size_t kMaxHeader_bytes = 16 << 20;
  if (options.limits.header_bytes < kLeastHeader_bytes || options.limits.header_bytes > kMaxHeader_bytes) {
    return invalid_argument("the limit of a header is to be {} bytes to {}, not {}", kLeastHeader_bytes,
                            kMaxHeader_bytes, options.limits.header_bytes);
  }
  const ServerTimeouts& times = options.timeouts;
  if (std::min({times.header_ms, times.idle_ms, times.progress_ms, times.taking_ms, times.linger_ms,
                times.room_ms, times.first_answer_ms}) < 1) {
    return invalid_argument("the times of an HTTP server are to be one millisecond at least");
  }
  return check_safe(options);
}

RequestRules rules_of(const ServerOptions& options, HttpHandler handler) {
  const ServerLimits& limits = options.limits;
  return {.head = {.header_bytes = limits.header_bytes, .fields = limits.header_fields},
          .body_bytes = limits.body_bytes,
          .discard_bytes = limits.discarded_bytes,
          .bodies = options.bodies != nullptr ? options.bodies : Budget::create(limits.bodies_bytes),
          .bearer_token = options.bearer_token,
          .paths_without_token = options.paths_without_token,
          .handler = std::move(handler)};
}

std::shared_ptr<const ServerRoom> room_of(const ServerOptions& options, const RequestRules& rules) {
  ServerResponse no_room = ServerResponse::of_text(
      503, "too many bytes of answers lie here that clients have not taken: try again in a moment");
  no_room.headers.push_back({"Retry-After", "1"});
  auto room = std::make_shared<ServerRoom>();
  room->answers = std::make_shared<AnswerRoom>(AnswerRoomLimits{
      .bytes = options.limits.lying_bytes,
      .longest_wait_ns = options.timeouts.room_ms * kMillisecond,
      .longest_first_wait_ns = options.timeouts.first_answer_ms * kMillisecond,
  });
  room->no_room = rules.handler.refused ? rules.handler.refused(std::move(no_room)) : std::move(no_room);
  room->refused = &rules.counters.refused_answers;
  return room;
}

std::string url_of(const ServerOptions& options, uint16_t port) {
  if (!options.unix_socket.empty()) {
    return "unix:" + options.unix_socket;
  }
  const bool is_v6 = options.address.find(':') != std::string::npos;
  const std::string host = options.address == "localhost" || options.address == "*" ? "127.0.0.1"
                           : is_v6 ? "[" + options.address + "]"
                                   : options.address;
  return fmt::format("{}://{}:{}", has_tls(options) ? "https" : "http", host, port);
}

}  // namespace

/// The threads of a server and what they share.
class ServerCore {
 public:
  static Result<std::unique_ptr<ServerCore>> start(ServerOptions options, HttpHandler handler);

  bool is_forked_copy() const { return getpid() != owner_; }
  uint16_t port() const { return port_; }
  const std::string& url() const { return url_; }
  size_t connections() const { return shared_->connections.load(); }
  bool stop(int64_t deadline_ns);

 private:
  void wait_until_empty(int64_t deadline_ns);

  const pid_t owner_ = getpid();
  uint16_t port_ = 0;
  std::string url_;
  LocalListener local_;  // of a Unix socket: keeps others from its path
  const std::shared_ptr<ServerShared> shared_ = std::make_shared<ServerShared>();
  Mutex stop_mutex_;
  bool is_stopped_ FOREBAY_GUARDED_BY(stop_mutex_) = false;
  bool were_all_answered_ FOREBAY_GUARDED_BY(stop_mutex_) = false;
  // The first accepts, and gives connections to the others: it ends first.
  std::vector<std::unique_ptr<IoWorker>> workers_;
};

Result<std::unique_ptr<ServerCore>> ServerCore::start(ServerOptions options, HttpHandler handler) {
  FOREBAY_RETURN_IF_ERROR(check_options(options, handler));
  auto core = std::make_unique<ServerCore>();
  ServerShared& shared = *core->shared_;
  shared.limits = options.limits;
  shared.timeouts = options.timeouts;
  if (has_tls(options)) {
    FOREBAY_ASSIGN_OR_RETURN(shared.tls, tls_context(options.certificate));
  }
  FOREBAY_ASSIGN_OR_RETURN(Listeners listeners, options.unix_socket.empty()
                                                    ? listen_at(options.address, options.port)
                                                    : listen_at_path(options.unix_socket, &core->local_));
  core->port_ = listeners.port;
  core->url_ = url_of(options, listeners.port);
  shared.rules.emplace(rules_of(options, std::move(handler)));
  shared.room = room_of(options, *shared.rules);
  std::vector<IoWorker*> workers;
  for (size_t i = 0; i < options.io_threads; ++i) {
    core->workers_.push_back(std::make_unique<IoWorker>(core->shared_));
    workers.push_back(core->workers_.back().get());
  }
  FOREBAY_RETURN_IF_ERROR(workers.front()->accept_at(std::move(listeners), workers));
  for (size_t i = workers.size(); i-- > 0;) {
    FOREBAY_RETURN_IF_ERROR(workers[i]->run(options.thread_name));
  }
  return core;
}

void ServerCore::wait_until_empty(int64_t deadline_ns) {
  UniqueMutexLock lock(shared_->mutex);
  wait_until(shared_->is_empty, lock, deadline_ns, [&] { return shared_->connections.load() == 0; });
}

bool ServerCore::stop(int64_t deadline_ns) {
  const MutexLock lock(stop_mutex_);
  if (is_stopped_) {
    return were_all_answered_;
  }
  for (const std::unique_ptr<IoWorker>& worker : workers_) {
    worker->drain();
  }
  wait_until_empty(deadline_ns);
  is_stopped_ = true;
  for (const std::unique_ptr<IoWorker>& worker : workers_) {
    worker->cut_off();
    worker->join();
  }
  shared_->room->answers->close();
  were_all_answered_ = shared_->cut_off.load() == 0;
  return were_all_answered_;
}

HttpServer::HttpServer(std::unique_ptr<ServerCore> core) : core_(std::move(core)) {
}

HttpServer::~HttpServer() {
  if (core_->is_forked_copy()) {
    static_cast<void>(core_.release());  // threads and locks are the parent's
    return;
  }
  core_->stop(0);
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerOptions options, HttpHandler handler) {
  return caught([&]() -> Result<std::unique_ptr<HttpServer>> {
    try {
      FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<ServerCore> core,
                               ServerCore::start(std::move(options), std::move(handler)));
      return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
    } catch (const boost::system::system_error& error) {  // as where no descriptor is left for its loops
      return errno_status(error.code().value(), "starting an HTTP server");
    }
  });
}

uint16_t HttpServer::port() const {
  return core_->port();
}

std::string HttpServer::url() const {
  return core_->url();
}

bool HttpServer::stop(int64_t deadline_ns) {
  return core_->is_forked_copy() || core_->stop(deadline_ns);
}

size_t HttpServer::connections() const {
  return core_->connections();
}

}  // namespace forebay::net
