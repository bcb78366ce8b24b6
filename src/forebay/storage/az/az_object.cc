#include "forebay/storage/az/az_object.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/http_status.h"

namespace forebay::storage {

void stat_az_blob(const std::shared_ptr<AzConnection>& connection, std::string key,
                  const std::string& if_version, const CallContext& context, StatCallback done) {
  std::string uri = connection->uri_of(key);
  if (key.empty()) {
    done(no_such_object(uri));
    return;
  }
  AzRequest request = {.method = "HEAD", .key = key};
  connection->send(std::move(request), context,
                   [key = std::move(key), uri = std::move(uri), if_version,
                    done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                     Result<ObjectStat> stat =
                         answer.ok() ? stat_with_etag(*answer, std::move(key), uri) : answer.status();
                     const bool is_other = stat.ok() && !if_version.empty() && stat->version != if_version;
                     done(is_other ? version_changed(uri, if_version, stat->version) : std::move(stat));
                   });
}

void add_az_conditions(const WriteOptions& options, net::AwsFields& headers) {
  if (options.if_absent) {
    headers.emplace_back("If-None-Match", "*");
  } else if (!options.if_version.empty()) {
    headers.emplace_back("If-Match", fmt::format("\"{}\"", options.if_version));
  }
}

void put_az_blob(const std::shared_ptr<AzConnection>& connection, std::string key, Bytes content,
                 const WriteOptions& options, const CallContext& context, StatCallback done) {
  std::string uri = connection->uri_of(key);
  if (const Status valid = check_az_key(key, uri); !valid.ok()) {
    done(valid);
    return;
  }
  AzRequest put = {.method = "PUT",
                   .key = key,
                   .headers = {{"x-ms-blob-type", "BlockBlob"}, {"Content-Type", "application/octet-stream"}},
                   .body = content};
  add_az_conditions(options, put.headers);
  ObjectStat stat = {.key = std::move(key), .size_bytes = content.size()};
  connection->send(std::move(put), context,
                   [stat = std::move(stat), uri = std::move(uri), options,
                    done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                     Result<std::string> etag = answer.ok() ? etag_in(*answer, uri) : answer.status();
                     if (!etag.ok()) {
                       done(write_error(etag.status(), options, uri));
                       return;
                     }
                     stat.version = *std::move(etag);
                     stat.modified_ns = written_ns_of(*answer);
                     done(std::move(stat));
                   });
}

}  // namespace forebay::storage
