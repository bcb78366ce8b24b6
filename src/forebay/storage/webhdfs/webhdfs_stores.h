// The schemes webhdfs and swebhdfs: webhdfs://namenode:port/path.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/remote_scheme.h"
#include "forebay/storage/webhdfs/webhdfs_options.h"

namespace forebay::storage {

/// A store of all files of a cluster, as URI, options and environment say, with what all remote stores share
/// (remote/remote_store.h). Asks nothing of the cluster. invalid_argument for settings that are wrong.
Result<std::shared_ptr<ObjectStore>> open_webhdfs_store(const std::string& scheme,
                                                        const std::string& authority,
                                                        const WebhdfsOptions& options = {},
                                                        const Environment& environment = process_environment);

/// One store for each scheme and its hosts.
RemoteScheme<WebhdfsOptions> webhdfs_scheme();

}  // namespace forebay::storage
