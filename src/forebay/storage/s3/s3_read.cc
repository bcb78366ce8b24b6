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
  explicit S3ReadSource(const std::shared_ptr<S3Connection>& connection)
      : RangedReadSource(connection), connection_(connection) {}

  void ask_for(const ReadRequest& request, ServiceRequest& get) const override {
    add_version("If-Match", request.if_version, get.headers);
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

std::shared_ptr<RangedReadSource> s3_reads(const std::shared_ptr<S3Connection>& connection) {
  return std::make_shared<S3ReadSource>(connection);
}

void S3Store::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  read_range(s3_reads(connection_), costs_, std::move(request), context, std::move(done));
}

}  // namespace forebay::storage
