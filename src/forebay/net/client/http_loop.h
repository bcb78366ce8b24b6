// The client's thread: takes requests in, drives those that have begun through libcurl, ends those that are
// no longer wanted, and answers.
#pragma once

#include <curl/curl.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/net/client/host_queue.h"
#include "forebay/net/client/http_client.h"
#include "forebay/net/client/http_transfer.h"

namespace forebay::net {

struct CurlDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using CurlHandle = std::unique_ptr<CURL, CurlDeleter>;

/// send() and stop() on any thread, run() on the client's. In a forked child only is_forked_copy() may be
/// called, and the destructor must not run: connections and locks belong to the parent.
class HttpLoop {
 public:
  explicit HttpLoop(const HttpClientOptions& options);
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  /// False if libcurl could not be set up.
  bool is_open() const { return multi_ != nullptr; }
  bool is_forked_copy() const;

  void send(HttpRequest request, HttpClient::Callback done);
  /// Returns after stop(), when everything is answered.
  void run();
  void stop();

 private:
  struct Wake {
    HttpLoop* loop;
    void operator()() const noexcept { loop->note_cancellation(); }
  };
  /// A request and what tells the loop that it was cancelled.
  struct Item {
    std::unique_ptr<HttpTransfer> transfer;
    std::unique_ptr<std::stop_callback<Wake>> on_stop;
  };

  void note_cancellation() noexcept;
  /// False once the loop is to end.
  bool take_inbox();
  void take_in(Item item);
  void begin_waiting(const std::string& origin);
  void begin(HttpTransfer* transfer);
  bool answer_finished();
  void finish(HttpTransfer* transfer, CURLcode code);
  /// Ends a request, waiting or begun, with an error, and begins the next at its host.
  void end(HttpTransfer* transfer, const Status& error);
  void drop(HttpTransfer* transfer, const Status& error);
  void end_cancelled();
  void end_overdue();
  void end_all();
  std::vector<HttpTransfer*> all() const;
  /// Takes the request out of all books. Its callback is called by the caller, after that.
  Item release(HttpTransfer* transfer);
  CurlHandle take_handle();
  void detach(HttpTransfer* transfer);
  int wait_ms() const;

  const HttpClientOptions options_;
  const pid_t owner_;
  CURLM* multi_ = nullptr;

  Mutex mutex_;
  std::vector<Item> inbox_ FOREBAY_GUARDED_BY(mutex_);
  bool is_stopping_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::atomic<bool> has_cancelled_{false};

  // The rest belongs to the client's thread.
  HostQueues queues_;
  std::unordered_map<HttpTransfer*, Item> items_;
  std::unordered_map<HttpTransfer*, CurlHandle> begun_;
  std::set<std::pair<int64_t, HttpTransfer*>> deadlines_;
  std::vector<CurlHandle> spare_handles_;
};

}  // namespace forebay::net
