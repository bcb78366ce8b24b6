// Load for a server of the Open Inference Protocol over HTTP, the same for each: requests that lie ready in a
// file are sent in turn. Closed: each connection sends the next one when it is answered. Open: requests are
// due at times drawn before (Poisson), whatever the server does, and a latency counts from the time that the
// request was due.
//
//   load PORT REQUESTS CONNECTIONS SECONDS RATE SEED KEPT
//
// REQUESTS: each request behind its length (uint32). RATE: requests a second; 0: closed. KEPT: a file for the
// latencies and bodies of all answers, or "-". Prints one JSON object; latencies are in microseconds.
#include <sys/epoll.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "http_exchange.h"

namespace load {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kPatience = 20 * kSecond;  // for what is left when the time is over

int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

struct Options {
  uint16_t port = 0;
  std::string requests;
  size_t connections = 1;
  double seconds = 1;
  double rate = 0;
  uint64_t seed = 1;
  std::string kept;
};

class Requests {
 public:
  explicit Requests(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    content_.assign(std::istreambuf_iterator<char>(file), {});
    for (size_t at = 0; at + sizeof(uint32_t) <= content_.size();) {
      uint32_t length = 0;
      std::memcpy(&length, content_.data() + at, sizeof(length));
      at += sizeof(length);
      all_.push_back(std::string_view(content_).substr(at, length));
      at += length;
    }
    if (all_.empty()) {
      throw std::runtime_error("no requests in " + path);
    }
  }

  std::string_view next() { return all_[taken_++ % all_.size()]; }

 private:
  std::string content_;
  std::vector<std::string_view> all_;
  size_t taken_ = 0;
};

/// When requests are due: nanoseconds from the beginning, in order.
std::deque<int64_t> arrivals(const Options& options) {
  std::mt19937_64 random(options.seed);
  std::exponential_distribution<double> gap_s(options.rate);
  std::deque<int64_t> due;
  for (double at_s = gap_s(random); at_s < options.seconds; at_s += gap_s(random)) {
    due.push_back(static_cast<int64_t>(at_s * kSecond));
  }
  return due;
}

class Load {
 public:
  explicit Load(const Options& options)
      : options_(options), requests_(options.requests), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (size_t i = 0; i < options.connections; ++i) {
      exchanges_.push_back(std::make_unique<HttpExchange>(options.port));
      idle_.push_back(exchanges_.back().get());
      watch(idle_.back());
    }
    if (options.rate > 0) {
      due_ = arrivals(options);
    }
    if (options.kept != "-") {
      kept_.open(options.kept, std::ios::binary);
    }
  }

  void run() {
    begun_ns_ = now_ns();
    const int64_t end_ns = begun_ns_ + static_cast<int64_t>(options_.seconds * kSecond);
    while (now_ns() < end_ns || idle_.size() < exchanges_.size() || !due_.empty()) {
      const int64_t now = now_ns();
      if (now > end_ns + kPatience) {
        break;
      }
      send_what_is_due(now, end_ns);
      wait(std::max(now, end_ns));
    }
    unanswered_ = exchanges_.size() - idle_.size() + due_.size();
  }

  void print() {
    std::sort(latencies_ns_.begin(), latencies_ns_.end());
    double sum = 0;
    for (const int64_t each : latencies_ns_) {
      sum += static_cast<double>(each);
    }
    const double mean = latencies_ns_.empty() ? 0 : sum / static_cast<double>(latencies_ns_.size());
    std::printf("{\"answered\": %zu, \"refused\": %zu, \"unanswered\": %zu, \"seconds\": %.6f, ",
                latencies_ns_.size(), refused_, unanswered_,
                static_cast<double>(last_ns_ - begun_ns_) / kSecond);
    std::printf("\"mean_us\": %.1f, \"p50_us\": %.1f, \"p90_us\": %.1f, \"p99_us\": %.1f}\n", mean / 1e3,
                quantile_us(0.5), quantile_us(0.9), quantile_us(0.99));
  }

 private:
  void send_what_is_due(int64_t now, int64_t end_ns) {
    const bool is_closed = options_.rate <= 0;
    while (!idle_.empty() && (is_closed ? now < end_ns : !due_.empty() && begun_ns_ + due_.front() <= now)) {
      HttpExchange* const exchange = idle_.front();
      idle_.pop_front();
      exchange->begin(requests_.next(), is_closed ? now_ns() : begun_ns_ + due_.front());
      if (!is_closed) {
        due_.pop_front();
      }
      watch(exchange);
    }
  }

  /// Until something is readable, the next request is due, or a tenth of a second is over.
  void wait(int64_t until_ns) {
    const int64_t now = now_ns();
    int64_t left_ns = std::clamp<int64_t>(until_ns - now, 0, kSecond / 10);
    if (!due_.empty() && !idle_.empty()) {
      left_ns = std::clamp<int64_t>(begun_ns_ + due_.front() - now, 0, kSecond / 10);
    } else if (left_ns == 0) {
      left_ns = kSecond / 10;
    }
    const timespec limit{.tv_sec = left_ns / kSecond, .tv_nsec = left_ns % kSecond};
    epoll_event events[64];
    const int count = ::epoll_pwait2(epoll_, events, 64, &limit, nullptr);
    for (int i = 0; i < count; ++i) {
      auto* const exchange = static_cast<HttpExchange*>(events[i].data.ptr);
      if (exchange->is_idle()) {
        exchange->connect_again();
      } else if (exchange->is_writing()) {
        exchange->write();
      } else if (exchange->read()) {
        take(exchange);
      }
      watch(exchange);
    }
  }

  void take(HttpExchange* exchange) {
    last_ns_ = now_ns();
    const int64_t latency_ns = last_ns_ - exchange->due_ns();
    if (exchange->is_ok()) {
      latencies_ns_.push_back(latency_ns);
    } else if (refused_++ == 0) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(exchange->answer().size()), exchange->answer().data());
    }
    if (kept_.is_open()) {
      const auto length = static_cast<uint32_t>(exchange->body().size());
      kept_.write(reinterpret_cast<const char*>(&latency_ns), sizeof(latency_ns));
      kept_.write(reinterpret_cast<const char*>(&length), sizeof(length));
      kept_.write(exchange->body().data(), length);
    }
    idle_.push_back(exchange);
  }

  /// What it waits for; nothing is said to the kernel where that stays.
  void watch(HttpExchange* exchange) {
    epoll_event event{};
    event.events = exchange->is_writing() ? EPOLLOUT : EPOLLIN;
    event.data.ptr = exchange;
    auto& [socket, events] = watched_[exchange];
    if (socket == exchange->generation() && events == event.events) {
      return;
    }
    if (socket != exchange->generation() ||
        ::epoll_ctl(epoll_, EPOLL_CTL_MOD, exchange->socket(), &event) != 0) {
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, exchange->socket(), &event);
    }
    socket = exchange->generation();
    events = event.events;
  }

  double quantile_us(double share) const {
    if (latencies_ns_.empty()) {
      return 0;
    }
    const auto last = static_cast<double>(latencies_ns_.size() - 1);
    return static_cast<double>(latencies_ns_[static_cast<size_t>(share * last + 0.5)]) / 1e3;
  }

  const Options options_;
  Requests requests_;
  const int epoll_;
  std::vector<std::unique_ptr<HttpExchange>> exchanges_;
  std::deque<HttpExchange*> idle_;
  std::deque<int64_t> due_;
  std::map<const HttpExchange*, std::pair<int, uint32_t>> watched_;  // which connection, for what
  std::ofstream kept_;
  std::vector<int64_t> latencies_ns_;
  size_t refused_ = 0;
  size_t unanswered_ = 0;
  int64_t begun_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace
}  // namespace load

int main(int count, char** words) {
  if (count != 8) {
    std::fprintf(stderr, "load PORT REQUESTS CONNECTIONS SECONDS RATE SEED KEPT\n");
    return EXIT_FAILURE;
  }
  try {
    load::Load load({.port = static_cast<uint16_t>(std::atoi(words[1])),
                     .requests = words[2],
                     .connections = std::strtoul(words[3], nullptr, 10),
                     .seconds = std::atof(words[4]),
                     .rate = std::atof(words[5]),
                     .seed = std::strtoul(words[6], nullptr, 10),
                     .kept = words[7]});
    load.run();
    load.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
