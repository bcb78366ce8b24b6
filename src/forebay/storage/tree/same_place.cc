#include "forebay/storage/tree/same_place.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "fmt/format.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

/// A path that may not be there yet, without links and dots; as it is where that cannot be told.
std::string without_links(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return as_folder_key(error ? path : whole.string());
}

/// Azure's containers go by two schemes. The service's name tells their accounts apart.
std::string uri_within_service(const ObjectAddress& address) {
  std::string text = address.store->uri_of(as_folder_key(address.key));
  const Result<Uri> uri = parse_uri(text);
  return uri.ok() && uri->scheme == "abfs" ? fmt::format("az://{}{}", bucket_of(*uri), uri->path) : text;
}

std::string whole_name(const ObjectAddress& address) {
  const std::optional<std::string> path = address.store->local_file(address.key);
  return path ? without_links(*path) : address.store->service() + "\n" + uri_within_service(address);
}

}  // namespace

bool lies_within(const ObjectAddress& inner, const ObjectAddress& folder) {
  return whole_name(inner).starts_with(whole_name(folder));
}

bool is_one_place(const ObjectAddress& one, const ObjectAddress& other) {
  return whole_name(one) == whole_name(other);
}

}  // namespace forebay::storage
