#include "forebay/cache/install.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {

void install(storage::StoreRegistry& registry, const std::shared_ptr<Cache>& cache,
             std::vector<std::string> schemes, FreshnessOptions freshness) {
  if (!cache) {
    registry.decorate({});
    return;
  }
  registry.decorate([cache, schemes = std::move(schemes), freshness](
                        const std::string& scheme, const storage::StoreOptions&,
                        std::shared_ptr<storage::ObjectStore> store) {
    const bool is_far = schemes.empty() ? scheme != "file" && scheme != "mem"
                                        : std::find(schemes.begin(), schemes.end(), scheme) != schemes.end();
    return is_far ? cache->store_over(std::move(store), freshness) : store;
  });
}

}  // namespace forebay::cache
