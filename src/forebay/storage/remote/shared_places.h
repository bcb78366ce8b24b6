// Places for token buckets that all processes of a host share.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/storage/remote/token_bucket.h"

namespace forebay::storage {

/// Those of one limit.
struct LimitPlaces {
  BucketPlace requests;
  BucketPlace bytes;
};

/// The places in a small file, which is made if it is not there. There is no lock: whoever is killed leaves
/// nothing that others wait for.
Result<LimitPlaces> open_limit_places(const std::string& path);

/// The places of the limit with this identity, in a file under FOREBAY_HOME for each boot. Where that cannot
/// be written to, a warning says so once, and the limit is this process's own: null.
LimitPlaces host_limit_places(std::string_view identity);

}  // namespace forebay::storage
