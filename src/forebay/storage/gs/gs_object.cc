#include "forebay/storage/gs/gs_object.h"

#include <utility>

#include "forebay/storage/errors.h"

namespace forebay::storage {

Result<ObjectStat> gs_object_in(const Result<net::HttpResponse>& answer, std::string_view uri) {
  if (!answer.ok()) {
    return answer.status();
  }
  Result<ObjectStat> stat = parse_gs_object(answer->body);
  return stat.ok() ? std::move(stat) : annotate(stat.status(), uri);
}

void stat_gs_object(const std::shared_ptr<GsConnection>& connection, std::string key,
                    const std::string& if_version, const CallContext& context, StatCallback done) {
  std::string uri = connection->uri_of(key);
  if (key.empty()) {
    done(no_such_object(uri));  // the request would be one for a listing
    return;
  }
  GsRequest request = {
      .key = key, .path = connection->object_path(key), .query = {{"fields", kGsObjectFields}}};
  connection->send(std::move(request), context,
                   [key = std::move(key), uri = std::move(uri), if_version,
                    done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                     Result<ObjectStat> stat = gs_object_in(answer, uri);
                     if (stat.ok() && stat->key != key) {
                       stat = data_loss("{}: the server answered with another object", uri);
                     }
                     const bool is_other = stat.ok() && !if_version.empty() && stat->version != if_version;
                     done(is_other ? version_changed(uri, if_version, stat->version) : std::move(stat));
                   });
}

Status add_gs_condition(const WriteOptions& options, std::string_view uri, net::AwsFields& query) {
  if (options.if_absent) {
    query.emplace_back("ifGenerationMatch", "0");
  } else if (!options.if_version.empty()) {
    if (!is_gs_generation(options.if_version)) {
      return aborted("{}: the object never had the version {}", uri, options.if_version);
    }
    query.emplace_back("ifGenerationMatch", options.if_version);
  }
  return ok_status();
}

void put_gs_object(const std::shared_ptr<GsConnection>& connection, std::string key, Bytes content,
                   const WriteOptions& options, const CallContext& context, StatCallback done) {
  std::string uri = connection->uri_of(key);
  GsRequest request = {.method = "POST",
                       .key = key,
                       .path = connection->upload_path(),
                       .query = {{"uploadType", "media"}, {"name", key}, {"fields", kGsObjectFields}},
                       .headers = {{"Content-Type", "application/octet-stream"}},
                       .body = content};
  Status valid = is_wanted(context) ? check_gs_key(key, uri) : not_wanted(context, uri);
  valid.Update(add_gs_condition(options, uri, request.query));
  if (!valid.ok()) {
    done(valid);
    return;
  }
  connection->send(std::move(request), context,
                   [uri = std::move(uri), options, size_bytes = content.size(),
                    done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                     Result<ObjectStat> stat = gs_object_in(answer, uri);
                     if (stat.ok() && stat->size_bytes != size_bytes) {
                       stat = data_loss("{}: {} of {} bytes were stored", uri, stat->size_bytes, size_bytes);
                     }
                     done(stat.ok() ? std::move(stat) : write_error(stat.status(), options, uri));
                   });
}

}  // namespace forebay::storage
