#include "forebay/storage/gs/gs_object.h"

#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/gs/gs_json.h"
#include "forebay/storage/http/conditional_put.h"
#include "forebay/storage/http/service_error.h"

namespace forebay::storage {
namespace {

class GsReadSource final : public RangedReadSource {
 public:
  explicit GsReadSource(const std::shared_ptr<GsConnection>& connection)
      : RangedReadSource(connection), connection_(connection) {}

  void ask_for(const ReadRequest& request, ServiceRequest& get) const override {
    get.path = connection_->object_path(request.key);
    get.query = {{"alt", "media"}};
    // What was stored compressed comes as it was stored; else the server would unpack it, in other lengths.
    get.headers.emplace_back("Accept-Encoding", "gzip");
    if (is_gs_generation(request.if_version)) {
      get.query.emplace_back("ifGenerationMatch", request.if_version);
    }
  }

  Result<std::string> version_in(const net::HttpResponse& head, std::string_view uri) const override {
    const std::string* const generation = head.header("X-Goog-Generation");
    return generation != nullptr && is_gs_generation(*generation)
               ? Result<std::string>(*generation)
               : data_loss("{}: the answer has no generation; is the server one of Google Cloud Storage?",
                           uri);
  }

  void stat(std::string key, const std::string& if_version, const CallContext& context,
            StatCallback done) override {
    stat_gs_object(connection_, std::move(key), if_version, context, std::move(done));
  }

 private:
  const std::shared_ptr<GsConnection> connection_;
};

}  // namespace

std::shared_ptr<RangedReadSource> gs_reads(const std::shared_ptr<GsConnection>& connection) {
  return std::make_shared<GsReadSource>(connection);
}

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
  ServiceRequest request = {
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

void put_gs_object(const std::shared_ptr<GsConnection>& connection, const std::string& key, Bytes content,
                   const WriteOptions& options, const CallContext& context, StatCallback done) {
  const std::string uri = connection->uri_of(key);
  net::AwsFields query = {{"uploadType", "media"}, {"name", key}, {"fields", kGsObjectFields}};
  Status valid = check_gs_key(key, uri);
  valid.Update(add_gs_condition(options, uri, query));
  if (!valid.ok()) {
    done(valid);
    return;
  }
  auto put = [connection, key, content, options, query](const CallContext& its_context, StatCallback next) {
    connection->send_once({.method = "POST",
                           .key = key,
                           .path = connection->upload_path(),
                           .query = query,
                           .headers = {{"Content-Type", "application/octet-stream"}},
                           .body = content},
                          its_context,
                          [uri = connection->uri_of(key), options, size_bytes = content.size(),
                           next = std::move(next)](const Result<net::HttpResponse>& answer) mutable {
                            Result<ObjectStat> stat = gs_object_in(answer, uri);
                            if (stat.ok() && stat->size_bytes != size_bytes) {
                              stat = data_loss("{}: {} of {} bytes were stored", uri, stat->size_bytes,
                                               size_bytes);
                            }
                            next(stat.ok() ? std::move(stat) : write_error(stat.status(), options, uri));
                          });
  };
  put_object(gs_reads(connection), key, content, options, context, std::move(put), std::move(done));
}

}  // namespace forebay::storage
