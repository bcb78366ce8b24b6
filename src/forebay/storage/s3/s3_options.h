// How a bucket is reached: what the caller says, else the environment, else the profile, else AWS's defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/s3_credentials/profile_file.h"
#include "forebay/storage/store_option.h"

namespace forebay::storage {

/// What the caller says; empty fields are looked up.
struct S3Options {
  std::string endpoint;  // "https://host:port", where the server is not AWS's own
  std::string region;
  std::string profile;
  std::optional<bool> path_style;   // bucket in the path instead of the host name
  bool anonymous = false;           // requests are not signed; for public buckets
  net::AwsCredentials credentials;  // secret
  uint64_t part_bytes = 8 << 20;    // least size of the parts of an upload; grows with their number
  size_t parts_in_flight = 8;       // of one upload or copy
  uint64_t largest_copy_bytes = uint64_t{5} << 30;  // larger objects are copied in parts
  uint64_t largest_put_bytes = uint64_t{5} << 30;   // of one request; more is written in parts
  RateLimits limits;                                // of one store
  RetryOptions retries;                             // of what only the driver can repeat: parts
};

/// The options of a mount.
OptionTable<S3Options> s3_options();

/// Options, environment and profile together.
struct S3Configuration {
  std::optional<Endpoint> endpoint;  // nothing: AWS's own, which depends on the region
  std::string region;
  bool path_style = false;

  Endpoint endpoint_in(std::string_view in_region) const;
};

/// FOREBAY_S3_ADDRESSING (path or virtual) decides the style where the options do not. A given endpoint is
/// addressed by path unless told otherwise, AWS's own by host name.
Result<S3Configuration> configure_s3(const S3Options& options, const Environment& environment,
                                     const Profile& profile);

/// Where a request to a bucket goes. `path` is percent-encoded.
struct S3Location {
  std::string scheme;
  std::string host;
  std::string path;

  std::string url(std::string_view query) const;
};

/// invalid_argument for names that no bucket can have.
Status check_bucket_name(std::string_view bucket);

/// The location of an object; with an empty key, of the bucket.
S3Location locate(const S3Configuration& configuration, std::string_view region, std::string_view bucket,
                  std::string_view key);

}  // namespace forebay::storage
