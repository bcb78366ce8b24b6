#include "forebay/net/client/http_loop.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "forebay/base/clock.h"

namespace forebay::net {
namespace {

constexpr size_t kSpareHandles = 64;
constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();
constexpr int kLongestWaitMs = 60'000;

bool is_curl_ready() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  return code == CURLE_OK;
}

// Signals are for the user's threads; a broken connection is an error, not SIGPIPE.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

Status was_cancelled() {
  return cancelled("the request was cancelled");
}

Status is_overdue() {
  return make_status(StatusCode::kDeadlineExceeded, "the request's deadline has passed");
}

}  // namespace

HttpLoop::HttpLoop(const HttpClientOptions& options)
    : options_(options), owner_(::getpid()), queues_(std::max<size_t>(options.connections_per_host, 1)) {
  multi_ = is_curl_ready() ? curl_multi_init() : nullptr;
  // Without a descriptor to be woken by it would sleep through its requests.
  if (multi_ != nullptr && curl_multi_wakeup(multi_) != CURLM_OK) {
    curl_multi_cleanup(multi_);
    multi_ = nullptr;
  }
  if (multi_ != nullptr) {
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options.kept_connections));
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
  }
}

HttpLoop::~HttpLoop() {
  spare_handles_.clear();
  curl_multi_cleanup(multi_);
}

bool HttpLoop::is_forked_copy() const {
  return ::getpid() != owner_;
}

void HttpLoop::note_cancellation() noexcept {
  if (!has_cancelled_.exchange(true)) {
    curl_multi_wakeup(multi_);
  }
}

void HttpLoop::send(HttpRequest request, HttpClient::Callback done) {
  Item item;
  item.transfer = std::make_unique<HttpTransfer>(std::move(request), std::move(done));
  if (item.transfer->cancellation().stop_possible()) {
    item.on_stop = std::make_unique<std::stop_callback<Wake>>(item.transfer->cancellation(), Wake{this});
  }
  {
    const MutexLock lock(mutex_);
    if (!is_stopping_) {
      inbox_.push_back(std::move(item));
    }
  }
  if (item.transfer) {
    item.transfer->answer(cancelled("the client has ended"));
    return;
  }
  curl_multi_wakeup(multi_);
}

void HttpLoop::stop() {
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  curl_multi_wakeup(multi_);
}

void HttpLoop::run() {
  block_signals();
  while (take_inbox()) {
    if (has_cancelled_.exchange(false)) {
      end_cancelled();
    }
    end_overdue();
    int running = 0;
    curl_multi_perform(multi_, &running);
    if (!answer_finished()) {
      curl_multi_poll(multi_, nullptr, 0, wait_ms(), nullptr);
    }
  }
  end_all();
}

bool HttpLoop::take_inbox() {
  std::vector<Item> arrived;
  bool goes_on = false;
  {
    const MutexLock lock(mutex_);
    arrived.swap(inbox_);
    goes_on = !is_stopping_;
  }
  for (Item& item : arrived) {
    take_in(std::move(item));
  }
  return goes_on;
}

void HttpLoop::take_in(Item item) {
  HttpTransfer* const transfer = item.transfer.get();
  const Status status = transfer->check();
  if (!status.ok()) {
    item.on_stop.reset();
    transfer->answer(status);
    return;
  }
  if (transfer->deadline_ns() != kNoDeadline) {
    deadlines_.emplace(transfer->deadline_ns(), transfer);
  }
  items_.emplace(transfer, std::move(item));
  const std::string origin = transfer->origin();
  queues_.add(transfer, origin, transfer->urgency());
  begin_waiting(origin);
}

void HttpLoop::begin_waiting(const std::string& origin) {
  while (HttpTransfer* const next = queues_.begin_next(origin)) {
    begin(next);
  }
}

void HttpLoop::begin(HttpTransfer* transfer) {
  Status status = ok_status();
  if (transfer->cancellation().stop_requested()) {
    status = was_cancelled();
  } else if (transfer->deadline_ns() <= steady_clock().now_ns()) {
    status = is_overdue();
  }
  CurlHandle easy = status.ok() ? take_handle() : nullptr;
  if (status.ok()) {
    status = easy ? transfer->begin(easy.get(), options_) : resource_exhausted("no memory for a request");
  }
  if (status.ok() && curl_multi_add_handle(multi_, easy.get()) != CURLM_OK) {
    status = resource_exhausted("no memory for a request");
  }
  begun_.emplace(transfer, status.ok() ? std::move(easy) : nullptr);
  if (!status.ok()) {
    drop(transfer, status);
  }
}

CurlHandle HttpLoop::take_handle() {
  if (spare_handles_.empty()) {
    return CurlHandle(curl_easy_init());
  }
  CurlHandle easy = std::move(spare_handles_.back());
  spare_handles_.pop_back();
  return easy;
}

// A connection that is in use is closed by this.
void HttpLoop::detach(HttpTransfer* transfer) {
  const auto begun = begun_.find(transfer);
  CurlHandle easy = std::move(begun->second);
  begun_.erase(begun);
  if (!easy) {
    return;
  }
  curl_multi_remove_handle(multi_, easy.get());
  if (spare_handles_.size() < kSpareHandles) {
    curl_easy_reset(easy.get());
    spare_handles_.push_back(std::move(easy));
  }
}

HttpLoop::Item HttpLoop::release(HttpTransfer* transfer) {
  deadlines_.erase({transfer->deadline_ns(), transfer});
  const auto found = items_.find(transfer);
  Item item = std::move(found->second);
  items_.erase(found);
  item.on_stop.reset();
  return item;
}

bool HttpLoop::answer_finished() {
  bool any = false;
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) {
      continue;
    }
    const CURLcode code = message->data.result;  // the message does not outlive the handle's removal
    void* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    finish(static_cast<HttpTransfer*>(transfer), code);
    any = true;
  }
  return any;
}

void HttpLoop::finish(HttpTransfer* transfer, CURLcode code) {
  const std::string origin = transfer->origin();
  detach(transfer);
  queues_.end(origin, transfer->urgency());
  if (transfer->finish(code, options_)) {
    queues_.add(transfer, transfer->origin(), transfer->urgency());
    begin_waiting(transfer->origin());
  } else {
    const Item item = release(transfer);
    item.transfer->answer();
  }
  begin_waiting(origin);
}

void HttpLoop::end(HttpTransfer* transfer, const Status& error) {
  const std::string origin = transfer->origin();
  drop(transfer, error);
  begin_waiting(origin);
}

void HttpLoop::drop(HttpTransfer* transfer, const Status& error) {
  const std::string origin = transfer->origin();
  const Item item = release(transfer);
  if (begun_.contains(transfer)) {
    detach(transfer);
    queues_.end(origin, item.transfer->urgency());
  } else {
    queues_.remove(transfer, origin);
  }
  item.transfer->answer(error);
}

std::vector<HttpTransfer*> HttpLoop::all() const {
  std::vector<HttpTransfer*> transfers;
  transfers.reserve(items_.size());
  for (const auto& [transfer, item] : items_) {
    transfers.push_back(transfer);
  }
  return transfers;
}

// Ending one may begin and end others that wait, so each is looked up again.
void HttpLoop::end_cancelled() {
  for (HttpTransfer* const transfer : all()) {
    if (items_.contains(transfer) && transfer->cancellation().stop_requested()) {
      end(transfer, was_cancelled());
    }
  }
}

void HttpLoop::end_overdue() {
  while (!deadlines_.empty() && deadlines_.begin()->first <= steady_clock().now_ns()) {
    end(deadlines_.begin()->second, is_overdue());
  }
}

void HttpLoop::end_all() {
  for (HttpTransfer* const transfer : all()) {
    const Item item = release(transfer);
    if (begun_.contains(transfer)) {
      detach(transfer);
    }
    item.transfer->answer(cancelled("the client has ended"));
  }
}

int HttpLoop::wait_ms() const {
  if (deadlines_.empty()) {
    return kLongestWaitMs;
  }
  const int64_t left_ms = (deadlines_.begin()->first - steady_clock().now_ns()) / 1'000'000 + 1;
  return static_cast<int>(std::clamp<int64_t>(left_ms, 0, kLongestWaitMs));
}

}  // namespace forebay::net
