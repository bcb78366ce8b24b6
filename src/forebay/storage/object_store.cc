#include "forebay/storage/object_store.h"

namespace forebay::storage {

std::string ObjectAddress::uri() const {
  return store ? store->uri_of(key) : key;
}

}  // namespace forebay::storage
