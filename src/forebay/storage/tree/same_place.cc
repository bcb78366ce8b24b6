#include "forebay/storage/tree/same_place.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "forebay/storage/tree/entry.h"

namespace forebay::storage {
namespace {

/// A path that may not be there yet, without links and dots; as it is where that cannot be told.
std::string without_links(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return as_folder_key(error ? path : whole.string());
}

std::string whole_name(const ObjectAddress& address) {
  const std::optional<std::string> path = address.store->local_file(address.key);
  return path ? without_links(*path)
              : address.store->service() + "\n" + address.store->uri_of(as_folder_key(address.key));
}

}  // namespace

bool lies_within(const ObjectAddress& inner, const ObjectAddress& folder) {
  return whole_name(inner).starts_with(whole_name(folder));
}

}  // namespace forebay::storage
