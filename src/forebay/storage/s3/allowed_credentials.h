// Which of the places where AWS's tools keep keys a store of S3 may ask.
#pragma once

#include <memory>

#include "forebay/net/client/http_client.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/s3/s3_options.h"
#include "forebay/storage/s3_credentials/credentials.h"

namespace forebay::storage {

/// All sources that the options allow. Keys in the options are the only source then. `metadata` asks the
/// metadata services, `sts` the service that gives keys of roles. invalid_argument for a variable that cannot
/// be read.
Result<std::shared_ptr<CredentialsSource>> credentials_of(const S3Options& options,
                                                          const Environment& environment,
                                                          net::HttpClient& metadata,
                                                          net::HttpClient& sts = net::process_http_client());

}  // namespace forebay::storage
