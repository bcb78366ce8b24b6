#include "forebay/storage/tree/place.h"

#include <utility>

#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

Result<Place> find_place(const std::string& name, const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(ObjectAddress address, default_registry().resolve(name));
  Result<Entry> entry = find_entry(*address.store, address.key, context);
  const bool is_absent = entry.status().code() == StatusCode::kNotFound;
  if (is_absent && default_registry().is_above_mounts(name)) {
    entry = Entry{.is_folder = true, .stat = {.key = as_folder_key(address.key)}};
  }
  FOREBAY_RETURN_IF_ERROR(entry.status());
  return Place{uri_for_message(name), std::move(address), *std::move(entry)};
}

}  // namespace forebay::storage
