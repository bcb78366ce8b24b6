#include "forebay/cache/ahead/fetch_ahead.h"

#include <unistd.h>

#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/log/log.h"
#include "forebay/base/random/random.h"
#include "forebay/cache/ahead/wake_up.h"
#include "forebay/cache/entries/object_name.h"

namespace forebay::cache {

struct FetchAhead::State {
  struct Followed {
    std::weak_ptr<storage::ObjectStore> store;
    std::shared_ptr<storage::ReadPlan> plan;
  };

  std::shared_ptr<Future> future;
  std::shared_ptr<AheadFetches> fetches;
  WakeUp wake_up;
  std::atomic<bool> is_stopping{false};
  Mutex mutex;
  std::vector<Followed> arrived FOREBAY_GUARDED_BY(mutex);
  /// By data set and store, as long as a plan uses them. Only the thread uses this.
  std::map<uint64_t, std::weak_ptr<const ObjectTable>> tables;

  void run();
  void begin_with(Followed followed);
  std::shared_ptr<const ObjectTable> table_of(const storage::ReadPlan& plan,
                                              const storage::PlannedItems& items,
                                              const storage::ObjectStore& store);
};

FetchAhead::FetchAhead(std::shared_ptr<Future> future, std::shared_ptr<const PlannedRoom> room,
                       const FetchAheadOptions& options)
    : owner_(::getpid()), state_(std::make_shared<State>()) {
  state_->future = std::move(future);
  const auto on_change = [held = std::weak_ptr<State>(state_)] {
    if (const std::shared_ptr<State> state = held.lock()) {
      state->wake_up.wake();
    }
  };
  state_->fetches = std::make_shared<AheadFetches>(state_->future, std::move(room), options, on_change);
}

FetchAhead::~FetchAhead() {
  if (!thread_.joinable()) {
    return;
  }
  if (::getpid() != owner_) {
    thread_.detach();  // it is not in this process
    return;
  }
  state_->is_stopping = true;
  state_->fetches->stop();
  state_->wake_up.wake();
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // it ends by itself
  } else {
    thread_.join();
  }
}

void FetchAhead::follow(const std::shared_ptr<storage::ObjectStore>& store,
                        std::shared_ptr<storage::ReadPlan> plan) {
  if (::getpid() != owner_) {
    return;
  }
  plan->follow([held = std::weak_ptr<State>(state_)](const storage::ReadPlan&) {
    if (const std::shared_ptr<State> state = held.lock()) {
      state->wake_up.wake();
    }
  });
  {
    const MutexLock lock(state_->mutex);
    state_->arrived.push_back({store, std::move(plan)});
  }
  std::call_once(once_, [this] {
    try {
      thread_ = std::thread([state = state_] { state->run(); });
    } catch (const std::system_error& error) {
      log_warning("no thread to fetch ahead: {}; what is read is fetched when it is asked for", error.what());
    }
  });
  state_->wake_up.wake();
}

PlanCounts FetchAhead::counts() const {
  return state_->fetches->counts();
}

void FetchAhead::State::run() {
  std::optional<int64_t> most_ns;
  while (!is_stopping) {
    wake_up.wait(most_ns);
    std::vector<Followed> new_ones;
    {
      const MutexLock lock(mutex);
      new_ones.swap(arrived);
    }
    for (Followed& followed : new_ones) {
      begin_with(std::move(followed));
    }
    future->now();  // forgets plans that were retracted
    most_ns = fetches->fetch();
  }
}

void FetchAhead::State::begin_with(Followed followed) {
  const std::shared_ptr<storage::ObjectStore> store = followed.store.lock();
  if (!store) {
    return;
  }
  if (const std::shared_ptr<const storage::PlannedItems> items = followed.plan->items()) {
    future->follow(followed.plan, table_of(*followed.plan, *items, *store));
  }
  fetches->follow(std::move(followed.store), std::move(followed.plan));
}

std::shared_ptr<const ObjectTable> FetchAhead::State::table_of(const storage::ReadPlan& plan,
                                                               const storage::PlannedItems& items,
                                                               const storage::ObjectStore& store) {
  std::weak_ptr<const ObjectTable>& kept = tables[mix64(items.data_set(), hash64(store.uri_of({})))];
  std::shared_ptr<const ObjectTable> table = kept.lock();
  if (!table) {
    const auto id_of = [&store](const storage::PlannedObject& object) {
      return object_of(store, object.key, object.version).id;
    };
    const auto is_wanted = [this, &plan] { return !is_stopping && !plan.is_retracted(); };
    table = std::make_shared<const ObjectTable>(items, id_of, is_wanted);
    if (is_wanted()) {
      kept = table;
    }
  }
  std::erase_if(tables, [](const auto& each) { return each.second.expired(); });
  return table;
}

}  // namespace forebay::cache
