// The scheme gs: gs://bucket/key.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/gs/gs_options.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/remote_scheme.h"

namespace forebay::storage {

/// A store of a bucket, as options and environment say, with what all remote stores share
/// (remote/remote_store.h). Asks nothing of the server. invalid_argument for names that no bucket has and for
/// settings that are wrong.
Result<std::shared_ptr<ObjectStore>> open_gs_store(const std::string& bucket, const GsOptions& options = {},
                                                   const Environment& environment = process_environment);

/// One store for each bucket.
RemoteScheme<GsOptions> gs_scheme();

}  // namespace forebay::storage
