// One thread of the server: an io_context, the connections that it drives, and the clock that finds the slow
// ones. For the sources of this folder that see Boost.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/net/server/http_server.h"
#include "forebay/net/server/listener.h"
#include "forebay/net/server/request_reader.h"

namespace forebay::net {

using Executor = boost::asio::io_context::executor_type;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;

class Connection;

/// What all threads of a server share.
struct ServerShared {
  std::optional<RequestRules> rules;
  ServerLimits limits;
  ServerTimeouts timeouts;
  std::optional<boost::asio::ssl::context> tls;

  std::atomic<size_t> connections{0};
  std::shared_ptr<const ServerRoom> room;
  std::atomic<size_t> cut_off{0};  // connections with requests that stop() gave up
  Mutex mutex;                     // of the change of `connections` to 0
  std::condition_variable is_empty;
};

/// Runs functions on a worker's thread, as long as there is one. Thread safe.
class Mailbox {
 public:
  explicit Mailbox(boost::asio::io_context* context) : context_(context) {}

  template <class Function>
  void post(Function function) {
    const MutexLock lock(mutex_);
    if (context_ != nullptr) {
      boost::asio::post(*context_, std::move(function));
    }
  }
  void close() {
    const MutexLock lock(mutex_);
    context_ = nullptr;
  }

 private:
  Mutex mutex_;
  boost::asio::io_context* context_ FOREBAY_GUARDED_BY(mutex_);
};

class IoWorker {
 public:
  explicit IoWorker(std::shared_ptr<ServerShared> shared);
  /// Ends the thread; what it still drives is cut off.
  ~IoWorker();
  IoWorker(const IoWorker&) = delete;
  IoWorker& operator=(const IoWorker&) = delete;

  Status run(const std::string& thread_name);
  /// Accepts connections and gives them to `workers` in turn, which live as long as this one runs. Before
  /// run().
  Status accept_at(Listeners listeners, std::vector<IoWorker*> workers);

  /// On any thread.
  void take_connection(FileDescriptor socket);
  void drain();
  void cut_off();
  /// Waits for the thread; after cut_off().
  void join();
  bool is_current() const { return thread_.get_id() == std::this_thread::get_id(); }

  /// For connections, on this thread.
  boost::asio::io_context& context() { return context_; }
  ServerShared& shared() { return *shared_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  bool is_draining() const { return is_draining_; }
  void forget(Connection* connection);

 private:
  struct Listening;

  void drive();
  void open(FileDescriptor socket);
  void refuse(FileDescriptor socket);
  void wait_for_connections(Listening* listening);
  void accept_all(Listening* listening);
  void stop_accepting();
  void tick();
  using Holding = absl::FunctionRef<uint64_t(const Connection&)>;
  struct Holder {
    std::shared_ptr<Connection> connection;
    uint64_t held_bytes = 0;
  };
  /// Who holds most by that; null if all hold nothing.
  Holder greatest_holder(Holding bytes_of) const;
  void drop_reader(const Holder& holder);
  void drop_slow_readers(int64_t now_ns);
  void cut_off_now();

  // In this order: connections and timers end before what drives them.
  boost::asio::io_context context_{1};
  const std::shared_ptr<ServerShared> shared_;
  const std::shared_ptr<Mailbox> mailbox_;
  boost::asio::executor_work_guard<Executor> work_;
  boost::asio::steady_timer ticks_;
  std::vector<std::unique_ptr<Listening>> listening_;
  std::vector<IoWorker*> workers_;
  size_t next_worker_ = 0;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  bool is_ticking_ = false;
  bool is_draining_ = false;
  std::thread thread_;
};

}  // namespace forebay::net
