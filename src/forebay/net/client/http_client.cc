#include "forebay/net/client/http_client.h"

#include <optional>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>

#include "forebay/net/client/http_loop.h"

namespace forebay::net {

struct HttpClient::Running {
  std::shared_ptr<HttpLoop> loop;  // shared with the thread
  std::thread thread;

  explicit Running(std::shared_ptr<HttpLoop> given)
      : loop(std::move(given)), thread([loop = loop] { loop->run(); }) {}

  void end() {
    loop->stop();
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
};

HttpClient::HttpClient(HttpClientOptions options) : options_(std::move(options)) {
}

HttpClient::~HttpClient() {
  Running* const running = running_.exchange(nullptr);
  if (running == nullptr || running->loop->is_forked_copy()) {
    return;  // what belongs to the parent is left as it is
  }
  running->end();
  delete running;
}

// Without a lock, which a fork could leave locked: the first thread that needs a loop makes it, and those
// that made another at the same time end theirs.
HttpClient::Running* HttpClient::running() {
  Running* current = running_.load(std::memory_order_acquire);
  while (current == nullptr || current->loop->is_forked_copy()) {
    auto loop = std::make_shared<HttpLoop>(options_);
    if (!loop->is_open()) {
      return nullptr;
    }
    std::unique_ptr<Running> fresh;
    try {
      fresh = std::make_unique<Running>(std::move(loop));
    } catch (const std::system_error&) {
      return nullptr;  // no thread could be started
    }
    if (running_.compare_exchange_strong(current, fresh.get(), std::memory_order_acq_rel)) {
      return fresh.release();
    }
    fresh->end();
  }
  return current;
}

void HttpClient::send(HttpRequest request, Callback done) {
  Running* const current = running();
  if (current == nullptr) {
    done(unavailable("the HTTP client's thread could not be started"));
    return;
  }
  current->loop->send(std::move(request), std::move(done));
}

Result<HttpResponse> send_now(HttpClient& client, HttpRequest request) {
  std::optional<Result<HttpResponse>> answer;
  std::binary_semaphore answered(0);
  client.send(std::move(request), [&](Result<HttpResponse> response) {
    answer = std::move(response);
    answered.release();
  });
  answered.acquire();
  return *std::move(answer);
}

HttpClient& process_http_client() {
  static auto* const client = new HttpClient();
  return *client;
}

}  // namespace forebay::net
