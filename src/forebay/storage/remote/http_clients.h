// The HTTP clients of stores: one for each way to the network that an environment names.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/net/client/http_client.h"
#include "forebay/storage/remote/environment.h"

namespace forebay::storage {

/// The variables that say which proxies and certificates connections use, as curl reads them.
const std::vector<std::string>& connection_variables();

/// A client for each thing that environments say of those. Thread safe; usable in a child after fork().
class HttpClients {
 public:
  static constexpr size_t kMost = 64;

  /// The process's client, if the environment says what the process's says. It lives as long as this object.
  /// resource_exhausted beyond kMost others.
  Result<net::HttpClient*> of(const Environment& environment);

 private:
  std::map<std::vector<std::string>, std::unique_ptr<net::HttpClient>>
      others_;  // guarded by remote_state_mutex()
};

/// That of the process's HttpClients, which are never destroyed.
Result<net::HttpClient*> http_client_of(const Environment& environment);

}  // namespace forebay::storage
