// A server that says on its connections what a test tells it to, byte by byte: for what no real server does.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "forebay/base/sync/mutex.h"

namespace forebay::net::testing {

/// The server's end of one connection. One thread.
class ScriptedConnection {
 public:
  explicit ScriptedConnection(int socket) : socket_(socket) {}
  ScriptedConnection(const ScriptedConnection&) = delete;
  ScriptedConnection& operator=(const ScriptedConnection&) = delete;

  /// Waits for the next request and returns it, with a body as long as its Content-Length says. Empty once
  /// the client has closed the connection.
  std::string read_request();
  /// False once the client has closed the connection.
  bool send(std::string_view bytes) const;
  /// Waits until the client closes the connection.
  void wait_until_closed() const;
  /// Ends the connection by a reset instead of an orderly close.
  void reset();

 private:
  bool read_more();

  const int socket_;
  std::string received_;
};

class ScriptedServer {
 public:
  /// Called for each connection, on a thread of its own; `number` counts connections from 0. When it returns,
  /// the connection is closed.
  using Script = std::function<void(ScriptedConnection& connection, int number)>;

  explicit ScriptedServer(Script script);
  /// Closes what is open and waits for the scripts.
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }
  std::string url(const std::string& path = "/") const;
  int connections() const { return connections_.load(); }

 private:
  void accept_all();
  void serve(int socket, int number);

  const Script script_;
  int listening_ = -1;
  int port_ = 0;
  std::atomic<int> connections_{0};
  Mutex mutex_;
  std::vector<int> open_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;  // of the accepting thread, until it has ended
  std::thread accepting_;
};

}  // namespace forebay::net::testing
