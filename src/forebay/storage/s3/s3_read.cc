// How S3 is asked for a range.

#include <utility>

#include "forebay/storage/http/ranged_read.h"
#include "forebay/storage/s3/s3_object.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3/s3_version.h"

namespace forebay::storage {
namespace {

class S3ReadSource final : public RangedReadSource {
 public:
  explicit S3ReadSource(std::shared_ptr<S3Connection> connection) : connection_(std::move(connection)) {}

  std::string uri_of(std::string_view key) const override { return connection_->uri_of(key); }

  void get(const ReadRequest& request, std::string range, net::BodyTargetOf target,
           const CallContext& context, HttpCallback done) override {
    S3Request get = {.key = request.key, .body_target = std::move(target)};
    add_version("If-Match", request.if_version, get.headers);
    if (!range.empty()) {
      get.headers.emplace_back("Range", std::move(range));
    }
    connection_->send(std::move(get), context, std::move(done));
  }

  Result<std::string> version_in(const net::HttpResponse& head, std::string_view uri) const override {
    return s3_version_in(head, uri);
  }
  bool is_weak(std::string_view version) const override { return is_time_version(version); }

  void stat(std::string key, const std::string& if_version, const CallContext& context,
            StatCallback done) override {
    stat_object(connection_, std::move(key), if_version, context, std::move(done));
  }

 private:
  const std::shared_ptr<S3Connection> connection_;
};

}  // namespace

void S3Store::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  read_range(std::make_shared<S3ReadSource>(connection_), costs_, std::move(request), context,
             std::move(done));
}

}  // namespace forebay::storage
