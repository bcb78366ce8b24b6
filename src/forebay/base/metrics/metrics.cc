#include "forebay/base/metrics/metrics.h"

#include <map>
#include <memory>

#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"

namespace forebay {
namespace {

struct Registry {
  Mutex mutex;
  std::map<std::string, std::unique_ptr<Counter>, std::less<>> counters FOREBAY_GUARDED_BY(mutex);
};

Registry& registry() {
  static Registry* instance = [] {
    auto* created = new Registry;  // never destroyed: counters outlive every thread
    keep_usable_in_child(created->mutex.native());
    return created;
  }();
  return *instance;
}

}  // namespace

Counter& counter(std::string_view name) {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  auto found = all.counters.find(name);
  if (found == all.counters.end()) {
    found = all.counters.emplace(std::string(name), std::make_unique<Counter>()).first;
  }
  return *found->second;
}

std::vector<CounterValue> counter_values() {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  std::vector<CounterValue> values;
  for (const auto& [name, counter] : all.counters) {
    values.push_back({name, counter->value()});
  }
  return values;
}

}  // namespace forebay
