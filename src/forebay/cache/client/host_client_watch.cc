// How long a process waits for its daemon.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/log/log.h"
#include "forebay/base/units.h"
#include "forebay/cache/client/host_client.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {

using storage::CallContext;

namespace {

constexpr int64_t kToldOfNs = 5 * kSecond;
constexpr int64_t kBetweenTellingsNs = 60 * kSecond;

}  // namespace

void HostClient::end_at_deadline(uint64_t number, const CallContext& context, const std::string& uri) {
  const Timer::Id id = timer_.at(context.deadline_ns, [weak = weak_from_this(), number, uri] {
    if (const std::shared_ptr<HostClient> alive = weak.lock()) {
      alive->give_up(number, make_status(StatusCode::kDeadlineExceeded,
                                         "{}: the cache's daemon has not answered within the call's "
                                         "deadline",
                                         uri));
    }
  });
  const MutexLock lock(mutex_);
  if (const auto found = calls_.find(number); found != calls_.end()) {
    found->second.timer = id;
  }
}

void HostClient::give_up(uint64_t number, Status why) {
  if (std::optional<Answered> done = take_call(number)) {
    connection_->send(bytes_of(encode_header(HostMessage::kCancel, number))).IgnoreError();
    (*done)(std::move(why));
  }
}

void HostClient::watch(int64_t when_ns) {
  timer_.at(when_ns, [weak = weak_from_this()] {
    if (const std::shared_ptr<HostClient> alive = weak.lock()) {
      alive->look();
    }
  });
}

// The counts are what a daemon can always tell at once. Whoever looks late, since this process was stopped or
// had no processor, has given the daemon no time to be heard.
void HostClient::look() {
  end_slow_calls();
  tell_of_slow_calls();
  {
    const MutexLock lock(mutex_);
    if (calls_.empty()) {
      is_watched_ = false;
      return;
    }
  }
  const int64_t now_ns = timer_.now_ns();
  const bool is_late = now_ns - std::exchange(looked_ns_, now_ns) > 2 * kMaxQuietNs;
  const int64_t heard_ns = heard_ns_.load(std::memory_order_relaxed);
  const bool is_asked = asked_ns_ > heard_ns && !is_late;
  if (is_asked && now_ns - asked_ns_ >= kMaxSilenceNs - kMaxQuietNs) {
    log_warning("the cache's daemon has said nothing for {} ms: it is not asked any more",
                (now_ns - heard_ns) / kMillisecond);
    lose();
    return;
  }
  if (!is_asked && now_ns - heard_ns >= kMaxQuietNs) {
    asked_ns_ = now_ns;
    const uint64_t number = next_number();
    ask(number, encode_header(HostMessage::kStatistics, number), {}, "",
        [](const Result<net::LocalMessage>&) {});
  }
  watch(now_ns + kMaxQuietNs);
}

void HostClient::tell_of_slow_calls() {
  const int64_t now_ns = timer_.now_ns();
  if (now_ns < next_telling_ns_) {
    return;
  }
  int64_t begun_ns = now_ns - kToldOfNs;
  std::string uri;
  {
    const MutexLock lock(mutex_);
    for (const auto& [number, call] : calls_) {
      if (call.is_bounded && call.begun_ns <= begun_ns && !call.uri.empty()) {
        begun_ns = call.begun_ns;
        uri = call.uri;
      }
    }
  }
  if (!uri.empty()) {
    next_telling_ns_ = now_ns + kBetweenTellingsNs;
    log_warning("{}: the host's cache has waited for it for {} s by now; its daemon's log says why", uri,
                (now_ns - begun_ns) / kSecond);
  }
}

void HostClient::end_slow_calls() {
  const int64_t oldest_ns = timer_.now_ns() - kMaxAnswerNs;
  std::vector<uint64_t> slow;
  {
    const MutexLock lock(mutex_);
    for (const auto& [number, call] : calls_) {
      if (call.is_bounded && call.begun_ns < oldest_ns) {
        slow.push_back(number);
      }
    }
  }
  for (const uint64_t number : slow) {
    give_up(number, daemon_gone("the cache's daemon has kept a call for too long"));
  }
}

}  // namespace forebay::cache
