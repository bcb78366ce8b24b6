#include "forebay/cache/store/install.h"

#include <algorithm>
#include <utility>

#include "forebay/cache/store/cache_store.h"

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
    const bool is_remote = schemes.empty()
                               ? storage::is_cached(scheme, use.options)
                               : std::find(schemes.begin(), schemes.end(), scheme) != schemes.end();
    return is_remote ? store_over(cache, std::move(store), own) : store;
  });
}

}  // namespace forebay::cache
