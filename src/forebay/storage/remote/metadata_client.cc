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

bool may_come_again(const Result<net::HttpResponse>& answer) {
  return answer.ok() && (answer->status == 429 || answer->status >= 500);
}

Status absence_of_metadata(const Result<net::HttpResponse>& answer) {
  return may_come_again(answer) ? unavailable("the instance's metadata service answered {}", answer->status)
                                : not_found("there is no metadata service of an instance");
}

}  // namespace forebay::storage
