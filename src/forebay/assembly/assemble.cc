// The one place that names both the registry of stores and the cache in front of it.
#include "forebay/assembly/assemble.h"

#include "forebay/cache/client/install_host.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::assembly {

void assemble(const AssemblyOptions& options) {
  cache::use_host_cache(storage::default_registry(), options.programs);
}

}  // namespace forebay::assembly
