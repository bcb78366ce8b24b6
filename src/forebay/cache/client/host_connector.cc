#include "forebay/cache/client/host_connector.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <utility>
#include <vector>

#include "forebay/base/log/log.h"
#include "forebay/base/random/random.h"
#include "forebay/cache/disk/disk_worker.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
bool says_absent(const Status& status) {
  return status.code() == StatusCode::kNotFound || status.code() == StatusCode::kUnavailable;
}

int64_t HostConnector::delay_after(uint32_t failures) {
  const int64_t doubled = kLeastDelayNs << std::min<uint32_t>(failures - 1, 6);
  const int64_t delay = std::min(doubled, kMaxDelayNs);
  const uint64_t spread = mix64(static_cast<uint64_t>(::getpid()), failures) % 1024;
  return delay + delay / 4 * static_cast<int64_t>(spread) / 1024;
}

struct HostConnector::State : std::enable_shared_from_this<State> {
  struct Followed {
    std::weak_ptr<storage::ReadPlan> plan;
    SendPlan send;

    void tell(HostClient& client) const {
      const std::shared_ptr<storage::ReadPlan> alive = plan.lock();
      if (alive && !alive->is_retracted()) {
        send(client, alive);
      }
    }
  };

  State(Connect connect_with, const Clock& by, Timer& with)
      : connect(std::move(connect_with)), clock(by), timer(with), is_settled(!connect) {}

  const Connect connect;
  const Clock& clock;
  Timer& timer;
  Mutex mutex;
  std::condition_variable changed;
  ClientRef client FOREBAY_GUARDED_BY(mutex);
  bool is_settled FOREBAY_GUARDED_BY(mutex);
  bool is_trying FOREBAY_GUARDED_BY(mutex) = false;
  bool has_warned FOREBAY_GUARDED_BY(mutex) = false;
  uint32_t failures FOREBAY_GUARDED_BY(mutex) = 0;  // in a row
  int64_t connected_ns FOREBAY_GUARDED_BY(mutex) = 0;
  int64_t next_attempt_ns FOREBAY_GUARDED_BY(mutex) = 0;
  std::vector<Task> waiting FOREBAY_GUARDED_BY(mutex);
  std::vector<Followed> plans FOREBAY_GUARDED_BY(mutex);
  DiskWorker worker;  // last: what it does uses all of the above

  /// The connection that has gone, for the caller to drop without the lock.
  ClientRef look() FOREBAY_REQUIRES(mutex) {
    ClientRef lost;
    if (client && !client->is_usable()) {
      lost = std::move(client);
      note_loss();
    }
    if (!client && connect && !is_trying && (!is_settled || clock.now_ns() >= next_attempt_ns)) {
      is_trying = true;
      worker.add([self = shared_from_this()] { self->attempt(); }, 0);
      if (!is_settled) {
        settle_later();
      }
    } else if (is_trying) {
      worker.start_if_needed();
    }
    return lost;
  }

  void settle_later() {
    timer.at(timer.now_ns() + kMaxWaitNs, [weak = weak_from_this()] {
      if (const std::shared_ptr<State> alive = weak.lock()) {
        alive->wait_no_more();
      }
    });
  }

  /// Who waits goes on without a daemon.
  void wait_no_more() {
    std::vector<Task> tasks;
    {
      const MutexLock lock(mutex);
      tasks = settle();
    }
    for (Task& task : tasks) {
      task();
    }
  }

  /// What waited for that, for the caller to do without the lock.
  std::vector<Task> settle() FOREBAY_REQUIRES(mutex) {
    is_settled = true;
    changed.notify_all();
    return std::exchange(waiting, {});
  }

  // The first attempt after a loss is made at once.
  void note_loss() FOREBAY_REQUIRES(mutex) {
    const int64_t now_ns = clock.now_ns();
    failures = now_ns - connected_ns >= kSteadyNs ? 0 : failures;
    next_attempt_ns = failures == 0 ? now_ns : now_ns + delay_after(failures);
    ++failures;
  }

  // Plans go before the calls that wait.
  void attempt() {
    Result<ClientRef> made = connect();
    std::vector<Task> tasks;
    std::vector<Followed> followed;
    {
      const MutexLock lock(mutex);
      is_trying = false;
      if (made.ok()) {
        client = *made;
        connected_ns = clock.now_ns();
        followed = plans;
      } else {
        ++failures;
        next_attempt_ns = clock.now_ns() + delay_after(failures);
      }
      if (!made.ok() && !says_absent(made.status()) && !std::exchange(has_warned, true)) {
        log_warning("the host's cache is not used: {}", message(made.status()));
      }
      tasks = settle();
    }
    for (const Followed& plan : followed) {
      plan.tell(**made);
    }
    for (Task& task : tasks) {
      task();
    }
  }
};

HostConnector::HostConnector(Connect connect, const Clock& clock, Timer& timer)
    : connect_(std::move(connect)), clock_(clock), timer_(timer), state_([this] { return new_state(); }) {
}

HostConnector::HostConnector(ClientRef client) : HostConnector(Connect()) {
  const std::shared_ptr<State> state = state_.get();
  const MutexLock lock(state->mutex);
  state->client = std::move(client);
}

std::shared_ptr<HostConnector::State> HostConnector::new_state() const {
  return std::make_shared<State>(connect_, clock_, timer_);
}

std::shared_ptr<HostConnector::State> HostConnector::begun() {
  std::shared_ptr<State> state = state_.get();
  ClientRef lost;
  const MutexLock lock(state->mutex);
  lost = state->look();
  return state;
}

HostConnector::ClientRef HostConnector::client() {
  const std::shared_ptr<State> state = state_.get();
  ClientRef lost;
  const MutexLock lock(state->mutex);
  lost = state->look();
  return state->client;
}

bool HostConnector::is_settled() {
  const std::shared_ptr<State> state = begun();
  const MutexLock lock(state->mutex);
  return state->is_settled;
}

void HostConnector::once_settled(Task then) {
  const std::shared_ptr<State> state = begun();
  {
    const MutexLock lock(state->mutex);
    if (!state->is_settled) {
      state->waiting.push_back(std::move(then));
      return;
    }
  }
  then();
}

void HostConnector::settle() {
  const std::shared_ptr<State> state = begun();
  UniqueMutexLock lock(state->mutex);
  while (!state->is_settled) {
    state->changed.wait(lock.native());
  }
}

void HostConnector::follow(const std::shared_ptr<storage::ReadPlan>& plan, SendPlan send) {
  const std::shared_ptr<State> state = begun();
  const State::Followed followed{.plan = plan, .send = std::move(send)};
  ClientRef client;
  {
    const MutexLock lock(state->mutex);
    std::erase_if(state->plans, [](const State::Followed& known) {
      const std::shared_ptr<storage::ReadPlan> alive = known.plan.lock();
      return !alive || alive->is_retracted();
    });
    state->plans.push_back(followed);
    client = state->client;
  }
  if (client) {
    followed.tell(*client);
  }
}

StoreAtHost::StoreAtHost(std::shared_ptr<HostConnector> host, OpenStore settings)
    : host_(std::move(host)),
      settings_(std::move(settings)),
      is_sendable_(decode<OpenStore>(bytes_of(encode(settings_))).ok()),
      id_([] {
        static constinit std::atomic<uint64_t> last{0};
        return ++last;
      }()) {
}

StoreAtHost::Place StoreAtHost::on(std::shared_ptr<HostClient> client) const {
  if (!client || !is_sendable_) {
    return {};
  }
  const Result<uint32_t> store = client->number_of(id_, settings_);
  return store.ok() ? Place{std::move(client), *store} : Place{};
}

}  // namespace forebay::cache
