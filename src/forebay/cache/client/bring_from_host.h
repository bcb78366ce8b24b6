// How a process has its host's cache bring objects in.
#pragma once

#include <memory>
#include <vector>

#include "forebay/cache/client/host_connector.h"

namespace forebay::cache {

/// ObjectStore::bring_many() by the daemon, many requests in a message. `names` gives the URIs of keys.
/// `unavailable` where there is no daemon; failed_precondition for an object that cannot be named to it.
void bring_from_host(const StoreAtHost::Place& host, const std::shared_ptr<storage::ObjectStore>& names,
                     std::vector<storage::BringRequest> requests, const storage::CallContext& context,
                     storage::BringManyCallback each);

}  // namespace forebay::cache
