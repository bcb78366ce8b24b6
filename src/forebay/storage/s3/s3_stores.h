// The scheme s3: s3://bucket/key.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/remote_scheme.h"
#include "forebay/storage/s3/s3_options.h"

namespace forebay::storage {

/// A store of a bucket, as options, environment and profile say, with what all remote stores share
/// (remote/remote_store.h). Asks nothing of the server. invalid_argument
/// for names that no bucket has and for settings that are wrong.
Result<std::shared_ptr<ObjectStore>> open_s3_store(const std::string& bucket, const S3Options& options = {},
                                                   const Environment& environment = process_environment);

/// One store for each bucket.
RemoteScheme<S3Options> s3_scheme();

}  // namespace forebay::storage
