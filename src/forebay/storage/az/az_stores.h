// The schemes az and abfs: az://container/blob, abfs://container@account.dfs.core.windows.net/blob.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/az/az_options.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/remote_scheme.h"

namespace forebay::storage {

/// A store of a container, as options and environment say, with what all remote stores share
/// (remote/remote_store.h). Asks nothing of the server. invalid_argument for names that no container has and
/// for settings that are wrong.
Result<std::shared_ptr<ObjectStore>> open_az_store(const Uri& uri, const AzOptions& options,
                                                   const Environment& environment);

/// One store for each container, and each account that a URI names.
RemoteScheme<AzOptions> az_scheme();

}  // namespace forebay::storage
