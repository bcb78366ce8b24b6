#include "forebay/storage/object_store.h"

namespace forebay::storage {

std::string ObjectAddress::uri() const {
  return store ? store->uri_of(key) : key;
}

bool marks_folder(const ObjectStat& object) {
  return object.size_bytes == 0 && object.key.ends_with('/');
}

}  // namespace forebay::storage
