#include "forebay/storage/http/http_stat.h"

#include <array>
#include <span>
#include <utility>

#include "forebay/storage/http/http_status.h"

namespace forebay::storage {
namespace {

using net::HttpResponse;

/// Servers for downloads, and signed URLs, may allow GET alone.
bool may_allow_get(int status) {
  return status == 400 || status == 401 || status == 403 || status == 405 || status == 501;
}

Result<ObjectStat> stat_from(const HttpResponse& response, std::string key, const HttpSite& site) {
  const std::string uri = site.uri_of(key);
  // The one byte that was asked for may not be there.
  const bool is_empty = response.status == 416 && object_size_of(response) == 0;
  return response.is_success() || is_empty ? stat_of(response, std::move(key), uri)
                                           : status_of_http(response, uri);
}

void stat_by_get(const std::shared_ptr<HttpSite>& site, std::string key, const CallContext& context,
                 StatCallback done) {
  const auto byte = std::make_shared<std::array<std::byte, 1>>();
  ServiceRequest get = {.key = key,
                        .headers = {{"Range", "bytes=0-0"}},
                        .body_target = [byte](const HttpResponse&) -> Result<net::BodyTarget> {
                          return net::BodyTarget{.into = *byte, .ends_there = true};
                        }};
  site->send(
      std::move(get), context,
      [site, key = std::move(key), done = std::move(done)](const Result<HttpResponse>& answer) mutable {
        done(answer.ok() ? stat_from(*answer, key, *site) : answer.status());
      });
}

}  // namespace

void stat_over_http(const std::shared_ptr<HttpSite>& site, std::string key, const CallContext& context,
                    StatCallback done) {
  ServiceRequest head = {.method = "HEAD", .key = key};
  site->send(std::move(head), context,
             [site, key = std::move(key), context,
              done = std::move(done)](const Result<HttpResponse>& answer) mutable {
               const bool is_told = answer.ok() && answer->is_success() && object_size_of(*answer);
               const bool may_get =
                   answer.ok() && !is_told && (answer->is_success() || may_allow_get(answer->status));
               if (may_get) {
                 stat_by_get(site, std::move(key), context, std::move(done));
               } else {
                 done(answer.ok() ? stat_from(*answer, key, *site) : answer.status());
               }
             });
}

}  // namespace forebay::storage
