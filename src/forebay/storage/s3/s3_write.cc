// HEAD, PUT, DELETE, and uploads in parts.

#include <utility>

#include "forebay/storage/http/conditional_put.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/remote/gathering_writer.h"
#include "forebay/storage/s3/s3_copy.h"
#include "forebay/storage/s3/s3_object.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3/s3_upload.h"
#include "forebay/storage/s3/s3_version.h"

namespace forebay::storage {
namespace {

void put_s3_object(const std::shared_ptr<S3Connection>& connection, const std::string& key, Bytes content,
                   const WriteOptions& options, const CallContext& context, StatCallback done) {
  if (const Status valid = check_key(*connection, key); !valid.ok()) {
    done(valid);
    return;
  }
  auto put = [connection, key, content, options, body_hash = net::sha256_hex(content)](
                 const CallContext& its_context, StatCallback next) {
    ServiceRequest request = {.method = "PUT", .key = key, .body = content, .body_hash = body_hash};
    add_conditions(options, request.headers);
    connection->send_once(std::move(request), its_context,
                          [connection, stat = ObjectStat{.key = key, .size_bytes = content.size()}, options,
                           next = std::move(next)](const Result<net::HttpResponse>& answer) mutable {
                            const std::string uri = connection->uri_of(stat.key);
                            next(written_in(answer, std::move(stat), options, uri));
                          });
  };
  put_object(s3_reads(connection), key, content, options, context, std::move(put), std::move(done));
}

class S3UploadTarget final : public UploadTarget {
 public:
  S3UploadTarget(std::shared_ptr<S3Connection> connection, std::string key)
      : connection_(std::move(connection)), key_(std::move(key)) {}

  std::string uri() const override { return connection_->uri_of(key_); }
  void put(Bytes content, const WriteOptions& options, const CallContext& context,
           StatCallback done) override {
    put_s3_object(connection_, key_, content, options, context, std::move(done));
  }
  std::shared_ptr<PartedUpload> begin() override { return std::make_shared<S3Upload>(connection_, key_); }

 private:
  const std::shared_ptr<S3Connection> connection_;
  const std::string key_;
};

}  // namespace

void S3Store::stat(std::string key, const CallContext& context, StatCallback done) {
  stat_object(connection_, std::move(key), {}, context, std::move(done));
}

void S3Store::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                    StatCallback done) {
  if (Status writable = check_writable(options, uri_of(key)); !writable.ok()) {
    done(std::move(writable));
    return;
  }
  if (content.size() <= connection_->options().largest_put_bytes) {
    put_s3_object(connection_, key, content, options, context, std::move(done));
    return;
  }
  write_in_parts(open_writer(std::move(key), std::move(options)), content, context, std::move(done));
}

Status S3Store::check_write(std::string_view key, bool) const {
  return check_key(*connection_, std::string(key));
}

Result<std::unique_ptr<ObjectWriter>> S3Store::open_writer(std::string key, WriteOptions options) {
  FOREBAY_RETURN_IF_ERROR(check_key(*connection_, key));
  FOREBAY_RETURN_IF_ERROR(check_writable(options, uri_of(key)));
  const S3Options& limits = connection_->options();
  const GatheringOptions gathering = {.part_bytes = limits.part_bytes,
                                      .parts_in_flight = limits.parts_in_flight,
                                      .largest_bytes = limits.largest_put_bytes};
  return std::make_unique<GatheringWriter>(std::make_unique<S3UploadTarget>(connection_, std::move(key)),
                                           gathering, std::move(options));
}

void S3Store::remove(std::string key, const CallContext& context, StatusCallback done) {
  stat_object(
      connection_, key, {}, context,
      [connection = connection_, key, context, done = std::move(done)](Result<ObjectStat> stat) mutable {
        if (!stat.ok()) {
          done(stat.status());
          return;
        }
        connection->send_removal({.method = "DELETE", .key = std::move(key)}, context, std::move(done));
      });
}

void S3Store::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  copy_object(connection_, std::move(request), context, std::move(done));
}

}  // namespace forebay::storage
