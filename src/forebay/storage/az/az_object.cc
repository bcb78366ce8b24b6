#include "forebay/storage/az/az_object.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/storage/az/az_xml.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/conditional_put.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/http/service_error.h"

namespace forebay::storage {
namespace {

class AzReadSource final : public RangedReadSource {
 public:
  explicit AzReadSource(const std::shared_ptr<AzConnection>& connection)
      : RangedReadSource(connection), connection_(connection) {}

  void ask_for(const ReadRequest& request, ServiceRequest& get) const override {
    add_az_conditions({.if_version = request.if_version}, get.headers);
  }

  Result<std::string> version_in(const net::HttpResponse& head, std::string_view uri) const override {
    return etag_in(head, uri);
  }

  void stat(std::string key, const std::string& if_version, const CallContext& context,
            StatCallback done) override {
    stat_az_blob(connection_, std::move(key), if_version, context, std::move(done));
  }

 private:
  const std::shared_ptr<AzConnection> connection_;
};

}  // namespace

std::shared_ptr<RangedReadSource> az_reads(const std::shared_ptr<AzConnection>& connection) {
  return std::make_shared<AzReadSource>(connection);
}

void stat_az_blob(const std::shared_ptr<AzConnection>& connection, std::string key,
                  const std::string& if_version, const CallContext& context, StatCallback done) {
  std::string uri = connection->uri_of(key);
  if (key.empty()) {
    done(no_such_object(uri));
    return;
  }
  ServiceRequest request = {.method = "HEAD", .key = key};
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

void put_az_blob(const std::shared_ptr<AzConnection>& connection, const std::string& key, Bytes content,
                 const WriteOptions& options, const CallContext& context, StatCallback done) {
  if (const Status valid = check_az_key(key, connection->uri_of(key)); !valid.ok()) {
    done(valid);
    return;
  }
  auto put = [connection, key, content, options](const CallContext& its_context, StatCallback next) {
    ServiceRequest request = {
        .method = "PUT",
        .key = key,
        .headers = {{"x-ms-blob-type", "BlockBlob"}, {"Content-Type", "application/octet-stream"}},
        .body = content};
    add_az_conditions(options, request.headers);
    connection->send_once(std::move(request), its_context,
                          [connection, stat = ObjectStat{.key = key, .size_bytes = content.size()}, options,
                           next = std::move(next)](const Result<net::HttpResponse>& answer) mutable {
                            const std::string uri = connection->uri_of(stat.key);
                            next(written_in(answer, std::move(stat), options, uri));
                          });
  };
  put_object(az_reads(connection), key, content, options, context, std::move(put), std::move(done));
}

}  // namespace forebay::storage
