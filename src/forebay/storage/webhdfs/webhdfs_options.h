// How an HDFS is reached over HTTP: the hosts of its namenodes, from the URI; who asks, from the caller or
// the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/store_option.h"

namespace forebay::storage {

/// What the caller says; empty fields are looked up.
struct WebhdfsOptions {
  std::string user;                // "user.name", which only a cluster without Kerberos believes
  std::string delegation_token;    // as the namenode gives it out; secret
  bool token_in_clear = false;     // the token may travel over webhdfs, without TLS, to another host
  uint64_t part_bytes = 32 << 20;  // least size of what is appended at once; grows with the number of parts
  RateLimits limits;               // of one store
  RetryOptions retries;            // of what only the driver can repeat
};

/// The options of a mount.
OptionTable<WebhdfsOptions> webhdfs_options();

/// URI, options and environment together.
struct WebhdfsConfiguration {
  std::string scheme;               // webhdfs or swebhdfs
  std::string authority;            // as it is written
  std::string root;                 // of all keys: "" or a path that begins with "/" and ends without
  std::vector<Endpoint> namenodes;  // at least one; the first is asked first
  std::string user;
  std::string token;  // secret
};

/// `authority`: "host", "host:port" or several of these with commas between them, the namenodes of one
/// cluster. Without a port: 9870, for swebhdfs 9871. The user is that of HADOOP_USER_NAME, USER or LOGNAME
/// where the options name none. invalid_argument where a token would travel in the clear.
Result<WebhdfsConfiguration> configure_webhdfs(std::string_view scheme, std::string_view authority,
                                               const WebhdfsOptions& options, const Environment& environment);

/// invalid_argument for keys that no file and no folder can have: UTF-8 without NUL, components that are
/// neither empty nor "." nor "..". A folder's key ends with "/"; that of the root is empty.
Status check_webhdfs_key(std::string_view key, std::string_view uri);

}  // namespace forebay::storage
