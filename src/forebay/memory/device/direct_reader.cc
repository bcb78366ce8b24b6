#include "forebay/memory/device/direct_reader.h"

#include <map>
#include <utility>

#include "forebay/base/sync/mutex.h"

namespace forebay::memory {
namespace {

struct Readers {
  Mutex mutex;
  std::map<uint32_t, std::shared_ptr<DirectReader>> of_driver FOREBAY_GUARDED_BY(mutex);
};

Readers& readers() {
  // Never destroyed: devices may be destroyed during process exit.
  static Readers* const instance = new Readers;
  return *instance;
}

}  // namespace

void set_direct_reader(uint32_t driver, std::shared_ptr<DirectReader> reader) {
  Readers& all = readers();
  const MutexLock lock(all.mutex);
  if (reader == nullptr) {
    all.of_driver.erase(driver);
  } else {
    all.of_driver.insert_or_assign(driver, std::move(reader));
  }
}

std::shared_ptr<DirectReader> find_direct_reader(uint32_t driver) {
  Readers& all = readers();
  const MutexLock lock(all.mutex);
  const auto found = all.of_driver.find(driver);
  return found == all.of_driver.end() ? nullptr : found->second;
}

}  // namespace forebay::memory
