// Which schemes a cache is worth while for.
#include "forebay/storage/scheme.h"

namespace forebay::storage {

bool is_cached(std::string_view scheme, const StoreOptions& options) {
  if (scheme == "file") {
    const auto cache = options.find("cache");
    return cache != options.end() && parse_switch("cache", cache->second).value_or(false);
  }
  return scheme != "mem";
}

}  // namespace forebay::storage
