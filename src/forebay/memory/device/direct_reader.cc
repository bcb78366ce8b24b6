#include "forebay/memory/device/direct_reader.h"

#include <map>
#include <mutex>
#include <utility>

namespace forebay::memory {
namespace {

struct Readers {
  std::mutex mutex;
  std::map<uint32_t, std::shared_ptr<DirectReader>> of_driver;
};

Readers& readers() {
  // Never destroyed: devices may be destroyed during process exit.
  static Readers* const instance = new Readers;
  return *instance;
}

}  // namespace

void set_direct_reader(uint32_t driver, std::shared_ptr<DirectReader> reader) {
  std::lock_guard lock(readers().mutex);
  if (reader == nullptr) {
    readers().of_driver.erase(driver);
  } else {
    readers().of_driver.insert_or_assign(driver, std::move(reader));
  }
}

std::shared_ptr<DirectReader> find_direct_reader(uint32_t driver) {
  std::lock_guard lock(readers().mutex);
  const auto found = readers().of_driver.find(driver);
  return found == readers().of_driver.end() ? nullptr : found->second;
}

}  // namespace forebay::memory
