#include "forebay/storage/s3/s3_object.h"

#include <optional>
#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/s3/s3_version.h"
#include "forebay/storage/s3/s3_xml.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxKeyBytes = 1024;  // S3's limit

Result<ObjectStat> stat_in(const net::HttpResponse& answer, std::string key, std::string_view uri) {
  FOREBAY_ASSIGN_OR_RETURN(ObjectStat stat, stat_of(answer, std::move(key), uri));
  FOREBAY_ASSIGN_OR_RETURN(stat.version, s3_version_in(answer, uri));
  return stat;
}

}  // namespace

void stat_object(const std::shared_ptr<S3Connection>& connection, std::string key,
                 const std::string& if_version, const CallContext& context, StatCallback done) {
  if (key.empty()) {
    done(no_such_object(connection->uri_of(key)));  // the request would be one for the bucket
    return;
  }
  ServiceRequest request = {.method = "HEAD", .key = key};
  add_version("If-Match", if_version, request.headers);
  std::string uri = connection->uri_of(key);
  connection->send(std::move(request), context,
                   [key = std::move(key), uri = std::move(uri), if_version,
                    done = std::move(done)](Result<net::HttpResponse> answer) mutable {
                     Result<ObjectStat> stat =
                         answer.ok() ? stat_in(*answer, std::move(key), uri) : answer.status();
                     const bool is_other = stat.ok() && !if_version.empty() && stat->version != if_version;
                     done(is_other ? version_changed(uri, if_version, stat->version) : std::move(stat));
                   });
}

void add_conditions(const WriteOptions& options, net::AwsFields& headers) {
  if (options.if_absent) {
    headers.emplace_back("If-None-Match", "*");
  } else {
    add_version("If-Match", options.if_version, headers);
  }
}

Status check_key(const S3Connection& connection, const std::string& key) {
  if (key.empty() || key.size() > kMaxKeyBytes || key.find('\0') != std::string::npos) {
    return invalid_argument("{}: a key has 1 to {} bytes, none of them NUL; this one has {}",
                            connection.uri_of(key), kMaxKeyBytes, key.size());
  }
  return ok_status();
}

}  // namespace forebay::storage
