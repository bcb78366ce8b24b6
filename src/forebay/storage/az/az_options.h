// How a container of Azure's blobs is reached: what the caller says, else the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/store_option.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

/// What a URI says: az://container/blob, abfs://container@account.dfs.core.windows.net/blob as Hadoop and
/// adlfs write it, or abfs://container/blob.
struct AzPlace {
  std::string container;
  std::string account;   // empty: the URI names none
  std::string endpoint;  // that account's blobs
};

/// invalid_argument for what names no container or a host that is none of Azure's.
Result<AzPlace> parse_az_place(const Uri& uri);

/// What the caller says; empty fields are looked up.
struct AzOptions {
  std::string account;
  std::string endpoint;           // "https://host/path", where it is not the account's own
  std::string account_key;        // in Base64; secret
  std::string sas_token;          // "sv=...&sig=..."; secret
  std::string connection_string;  // secret
  bool anonymous = false;         // requests carry no proof; for public containers
  uint64_t part_bytes = 8 << 20;  // least size of the blocks of an upload; grows with their number
  size_t parts_in_flight = 8;
  uint64_t largest_put_bytes = uint64_t{4000} << 20;  // of one request; more is written in blocks
  RateLimits limits;                                  // of one store
  RetryOptions retries;                               // of what only the driver can repeat: blocks
};

/// The options of a mount.
OptionTable<AzOptions> az_options();

/// Options and environment together.
struct AzConfiguration {
  std::string account;
  Endpoint endpoint;
  std::string key;     // decoded; empty: none. Secret
  net::AwsFields sas;  // appended to each query; secret
};

/// A store with options about who asks takes nothing about it from the environment. The account that a URI
/// names gets no secret that the environment has for another one, or for nobody knows whom. invalid_argument
/// where no account is named, where two differ, and for secrets that are none.
Result<AzConfiguration> configure_az(const AzOptions& options, const Environment& environment,
                                     const AzPlace& place = {});

/// invalid_argument for keys that no blob can have: 1 to 1024 characters of UTF-8, without NUL.
Status check_az_key(std::string_view key, std::string_view uri);

}  // namespace forebay::storage
