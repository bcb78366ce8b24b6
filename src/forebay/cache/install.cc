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
                        const std::string& scheme, const storage::StoreUse& use,
                        std::shared_ptr<storage::ObjectStore> store) {
    FreshnessOptions own = freshness;
    own.is_immutable = own.is_immutable || use.is_immutable;
    const bool is_far = schemes.empty() ? storage::is_cached(scheme, use.options)
                                        : std::find(schemes.begin(), schemes.end(), scheme) != schemes.end();
    return is_far ? cache->store_over(std::move(store), own) : store;
  });
}

}  // namespace forebay::cache
