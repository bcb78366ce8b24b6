#include "forebay/net/server/io_worker.h"

#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/units.h"
#include "forebay/net/server/connection.h"
#include "forebay/net/server/listener.h"

namespace forebay::net {
namespace {

constexpr std::chrono::milliseconds kPause{100};  // of accepting, while no descriptor is free
constexpr int kAcceptedAtOnce = 64;               // then others have their turn
constexpr int64_t kShortestTick_ms = 5;
constexpr int64_t kLongestTick_ms = 500;
constexpr std::string_view kTooManyConnections =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 21\r\n"
    "Retry-After: 1\r\nConnection: close\r\n\r\ntoo many connections\n";

/// A quarter of the shortest time that a client may take.
std::chrono::milliseconds tick_of(const ServerTimeouts& timeouts) {
  const int64_t shortest = std::min(
      {timeouts.header_ms, timeouts.idle_ms, timeouts.progress_ms, timeouts.taking_ms, timeouts.linger_ms});
  return std::chrono::milliseconds(std::clamp(shortest / 4, kShortestTick_ms, kLongestTick_ms));
}

}  // namespace

struct IoWorker::Listening {
  explicit Listening(boost::asio::io_context& context) : acceptor(context), pause(context) {}

  Acceptor acceptor;
  boost::asio::steady_timer pause;
  bool has_told = false;  // that no descriptor is free
};

IoWorker::IoWorker(std::shared_ptr<ServerShared> shared)
    : shared_(std::move(shared)),
      mailbox_(std::make_shared<Mailbox>(&context_)),
      work_(context_.get_executor()),
      ticks_(context_) {
}

IoWorker::~IoWorker() {
  cut_off();
  join();
  mailbox_->close();
  connections_.clear();
}

Status IoWorker::run(const std::string& thread_name) {
  try {
    thread_ = std::thread([this, name = thread_name.substr(0, 15)] {
      pthread_setname_np(pthread_self(), name.c_str());
      drive();
    });
  } catch (const std::system_error& error) {
    return resource_exhausted("cannot start a thread of the HTTP server: {}", error.what());
  }
  return ok_status();
}

// What throws is an allocation that failed; the connection concerned is found by the clock.
void IoWorker::drive() {
  while (!context_.stopped()) {
    const Status driven = caught([this] {
      context_.run();
      return ok_status();
    });
    if (!driven.ok()) {
      log_warning("the HTTP server goes on after an error: {}", message(driven));
    }
  }
}

Status IoWorker::accept_at(Listeners listeners, std::vector<IoWorker*> workers) {
  workers_ = std::move(workers);
  for (FileDescriptor& socket : listeners.sockets) {
    auto listening = std::make_unique<Listening>(context_);
    boost::system::error_code error;
    // Only the descriptor is used, so that the protocol's version does not matter.
    listening->acceptor.assign(boost::asio::ip::tcp::v4(), socket.get(), error);
    if (error) {
      return unavailable("watching a listening socket: {}", error.message());
    }
    socket.release();
    wait_for_connections(listening.get());
    listening_.push_back(std::move(listening));
  }
  return ok_status();
}

void IoWorker::wait_for_connections(Listening* listening) {
  listening->acceptor.async_wait(Acceptor::wait_read,
                                 [this, listening](const boost::system::error_code& error) {
                                   if (!error) {
                                     accept_all(listening);
                                   }
                                 });
}

void IoWorker::accept_all(Listening* listening) {
  for (int i = 0; i < kAcceptedAtOnce && listening->acceptor.is_open(); ++i) {
    Result<FileDescriptor> socket = accept_from(listening->acceptor.native_handle());
    if (socket.ok()) {
      listening->has_told = false;
      workers_[next_worker_++ % workers_.size()]->take_connection(*std::move(socket));
      continue;
    }
    if (socket.status().code() != StatusCode::kResourceExhausted) {
      break;
    }
    if (!std::exchange(listening->has_told, true)) {
      log_warning("the HTTP server lets connections wait: {}", message(socket.status()));
    }
    listening->pause.expires_after(kPause);
    listening->pause.async_wait([this, listening](const boost::system::error_code& error) {
      if (!error) {
        accept_all(listening);
      }
    });
    return;
  }
  if (listening->acceptor.is_open()) {
    wait_for_connections(listening);
  }
}

void IoWorker::take_connection(FileDescriptor socket) {
  mailbox_->post([this, socket = std::move(socket)]() mutable { open(std::move(socket)); });
}

void IoWorker::open(FileDescriptor socket) {
  if (is_draining_) {
    return shut_down(std::move(socket));
  }
  if (shared_->connections.fetch_add(1) >= shared_->limits.connections) {
    shared_->connections.fetch_sub(1);
    return refuse(std::move(socket));
  }
  shared_->rules->counters.connections.add(1);
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections_.emplace(connection.get(), connection);
  connection->start();
  if (!std::exchange(is_ticking_, true)) {
    tick();
  }
}

// What the client may have sent already is read, since closing a socket with unread bytes takes the answer
// back. It is a courtesy: nobody waits for more.
void IoWorker::refuse(FileDescriptor socket) {
  shared_->rules->counters.refused_connections.add(1);
  if (!shared_->tls) {
    std::array<char, 4096> unread;
    [[maybe_unused]] ssize_t ignored = recv(socket.get(), unread.data(), unread.size(), MSG_DONTWAIT);
    ignored = send(socket.get(), kTooManyConnections.data(), kTooManyConnections.size(),
                   MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  shutdown(socket.get(), SHUT_WR);
}

void IoWorker::tick() {
  if (connections_.empty()) {
    is_ticking_ = false;
    return;
  }
  const int64_t now_ns = steady_clock().now_ns();
  std::vector<std::shared_ptr<Connection>> all;  // a check may end a connection
  all.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) {
    all.push_back(connection);
  }
  for (const std::shared_ptr<Connection>& connection : all) {
    connection->check(now_ns);
  }
  drop_slow_readers(now_ns);
  shared_->room->answers->look(now_ns);
  ticks_.expires_after(tick_of(shared_->timeouts));
  ticks_.async_wait([this](const boost::system::error_code& error) {
    if (!error) {
      tick();
    }
  });
}

IoWorker::Holder IoWorker::greatest_holder(Holding bytes_of) const {
  Holder greatest;
  for (const auto& [key, connection] : connections_) {
    if (const uint64_t bytes = bytes_of(*connection); bytes > greatest.held_bytes) {
      greatest = {connection, bytes};
    }
  }
  return greatest;
}

void IoWorker::drop_reader(const Holder& holder) {
  log_warning(
      "the HTTP server drops {}, which takes its answers too slowly: it has left {} bytes of them here; {} "
      "lie here of all, and {} are its limit",
      holder.connection->peer(), holder.held_bytes, shared_->room->answers->lying_bytes(),
      shared_->limits.lying_bytes);
  shared_->rules->counters.dropped_readers.add(1);
  holder.connection->close_now();
}

// Those that take too little, one after the other, and those first that have let most lie: their answers are
// freed as they go.
void IoWorker::drop_slow_readers(int64_t now_ns) {
  while (shared_->room->answers->is_over()) {
    const Holder holder =
        greatest_holder([now_ns](const Connection& connection) { return connection.overdue_bytes(now_ns); });
    if (holder.connection == nullptr) {
      return;
    }
    drop_reader(holder);
  }
}

void IoWorker::drain() {
  mailbox_->post([this] {
    is_draining_ = true;
    stop_accepting();
    std::vector<std::shared_ptr<Connection>> all;
    for (const auto& [key, connection] : connections_) {
      all.push_back(connection);
    }
    for (const std::shared_ptr<Connection>& connection : all) {
      connection->drain();
    }
  });
}

void IoWorker::cut_off() {
  mailbox_->post([this] { cut_off_now(); });
}

void IoWorker::cut_off_now() {
  is_draining_ = true;
  stop_accepting();
  while (!connections_.empty()) {
    const std::shared_ptr<Connection> connection = connections_.begin()->second;
    connection->close_now();
  }
  context_.stop();
}

void IoWorker::stop_accepting() {
  for (const std::unique_ptr<Listening>& listening : listening_) {
    listening->pause.cancel();
    if (listening->acceptor.is_open()) {
      boost::system::error_code ignored;
      shut_down(FileDescriptor(listening->acceptor.release(ignored)));
    }
  }
}

void IoWorker::forget(Connection* connection) {
  if (connections_.erase(connection) == 0) {
    return;
  }
  if (shared_->connections.fetch_sub(1) == 1) {
    const MutexLock lock(shared_->mutex);
    shared_->is_empty.notify_all();
  }
}

void IoWorker::join() {
  if (thread_.joinable()) {
    thread_.join();
  }
}

}  // namespace forebay::net
