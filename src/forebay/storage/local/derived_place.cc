#include "forebay/storage/local/derived_place.h"

#include <cstdlib>

#include "fmt/format.h"
#include "forebay/base/random/random.h"
#include "forebay/storage/local/local_store.h"

namespace forebay::storage {

Result<ObjectAddress> derived_place(std::string root, std::string_view uri, std::string_view version,
                                    std::string_view kind) {
  const char* const named = std::getenv("FOREBAY_CACHE_DIR");
  if (root.empty() && named != nullptr) {
    root = named;
  }
  if (root.empty()) {
    return unimplemented("{}: no place for derived data; set FOREBAY_CACHE_DIR", uri);
  }
  const std::string name = fmt::format("{}\n{}", uri, version);
  const uint64_t first = hash64(name);
  const uint64_t second = hash64(name + "\n" + fmt::format("{:x}", first));
  // Not synced: what a loss of power damages is found by its checksum, and made again.
  static auto* const store = new std::shared_ptr<ObjectStore>(std::make_shared<LocalStore>());
  return ObjectAddress{*store, fmt::format("{}/derived/{}/{:016x}{:016x}", root, kind, first, second)};
}

}  // namespace forebay::storage
