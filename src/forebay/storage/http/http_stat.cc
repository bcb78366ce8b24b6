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

void stat_by_get(std::shared_ptr<const HttpSite> site, std::string key, const CallContext& context,
                 StatCallback done) {
  net::HttpRequest request = site->request("GET", key, context);
  request.headers.push_back({"Range", "bytes=0-0"});
  const auto byte = std::make_shared<std::array<std::byte, 1>>();
  request.body_target = [byte](const HttpResponse&) -> Result<net::BodyTarget> {
    return net::BodyTarget{.into = *byte, .ends_there = true};
  };
  net::HttpClient& client = site->client();
  client.send(std::move(request), [site = std::move(site), key = std::move(key),
                                   done = std::move(done)](Result<HttpResponse> response) mutable {
    done(response.ok() ? stat_from(*response, key, *site)
                       : Result<ObjectStat>(annotate(response.status(), site->uri_of(key))));
  });
}

}  // namespace

void stat_over_http(std::shared_ptr<const HttpSite> site, std::string key, const CallContext& context,
                    StatCallback done) {
  net::HttpRequest request = site->request("HEAD", key, context);
  net::HttpClient& client = site->client();
  client.send(std::move(request), [site = std::move(site), key = std::move(key), context,
                                   done = std::move(done)](Result<HttpResponse> response) mutable {
    if (!response.ok()) {
      done(annotate(response.status(), site->uri_of(key)));
      return;
    }
    const bool is_told = response->is_success() && object_size_of(*response);
    if (!is_told && (response->is_success() || may_allow_get(response->status))) {
      stat_by_get(std::move(site), std::move(key), context, std::move(done));
      return;
    }
    done(stat_from(*response, key, *site));
  });
}

}  // namespace forebay::storage
