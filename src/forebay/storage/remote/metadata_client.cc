#include "forebay/storage/remote/metadata_client.h"

namespace forebay::storage {

net::HttpClient& metadata_client() {
  // Never destroyed, because threads use it at exit.
  static auto* const client = new net::HttpClient({.connections_per_host = 4,
                                                   .kept_connections = 4,
                                                   .connect_timeout_ms = 1000,
                                                   .stall_timeout_s = 10,
                                                   .uses_proxy = false});
  return *client;
}

}  // namespace forebay::storage
