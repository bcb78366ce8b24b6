#include "forebay/storage/object_store.h"

#include <mutex>
#include <utility>

namespace forebay::storage {

std::string ObjectAddress::uri() const {
  return store ? store->uri_of(key) : key;
}

void ObjectStore::read_many(std::vector<ReadRequest> requests, ReadManyCallback each) {
  struct Shared {
    std::mutex mutex;
    ReadManyCallback each;
  };
  auto shared = std::make_shared<Shared>();
  shared->each = std::move(each);
  for (size_t i = 0; i < requests.size(); ++i) {
    read(std::move(requests[i]), [shared, i](Result<ReadBytes> result) {
      std::lock_guard lock(shared->mutex);
      shared->each(i, std::move(result));
    });
  }
}

Result<Lease> ObjectStore::lease(std::string_view key) {
  return unimplemented("{}: this store leases no resident bytes", uri_of(key));
}

std::optional<std::string> ObjectStore::local_file(std::string_view) const {
  return std::nullopt;
}

void ObjectStore::advise(const ReadPlan&) {
}

Result<ObjectAddress> ObjectStore::derived(std::string_view key, std::string_view, std::string_view kind) {
  return unimplemented("{}: this store keeps no derived data (asked for '{}')", uri_of(key), kind);
}

}  // namespace forebay::storage
