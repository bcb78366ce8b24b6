// Whole objects: HEAD, PUT, DELETE.

#include <utility>

#include "forebay/storage/s3/s3_copy.h"
#include "forebay/storage/s3/s3_object.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3/s3_writer.h"

namespace forebay::storage {

void put_object(const std::shared_ptr<S3Connection>& connection, std::string key, Bytes content,
                const WriteOptions& options, const CallContext& context, StatCallback done) {
  if (const Status valid = check_key(*connection, key); !valid.ok()) {
    done(valid);
    return;
  }
  S3Request put = {.method = "PUT", .key = key, .body = content};
  add_conditions(options, put.headers);
  std::string uri = connection->uri_of(key);
  ObjectStat stat = {.key = std::move(key), .size_bytes = content.size()};
  connection->send(std::move(put), context,
                   [stat = std::move(stat), uri = std::move(uri), options,
                    done = std::move(done)](Result<net::HttpResponse> answer) mutable {
                     if (!answer.ok()) {
                       done(write_error(answer.status(), options, uri));
                       return;
                     }
                     Result<std::string> etag = etag_of(*answer, uri);
                     if (!etag.ok()) {
                       done(etag.status());
                       return;
                     }
                     stat.version = *std::move(etag);
                     done(std::move(stat));
                   });
}

void S3Store::stat(std::string key, const CallContext& context, StatCallback done) {
  stat_object(connection_, std::move(key), {}, context, std::move(done));
}

void S3Store::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                    StatCallback done) {
  put_object(connection_, std::move(key), content, options, context, std::move(done));
}

Result<std::unique_ptr<ObjectWriter>> S3Store::open_writer(std::string key, WriteOptions options) {
  FOREBAY_RETURN_IF_ERROR(check_key(*connection_, key));
  return std::make_unique<S3Writer>(connection_, std::move(key), std::move(options));
}

void S3Store::remove(std::string key, const CallContext& context, StatusCallback done) {
  stat_object(
      connection_, key, {}, context,
      [connection = connection_, key, context, done = std::move(done)](Result<ObjectStat> stat) mutable {
        if (!stat.ok()) {
          done(stat.status());
          return;
        }
        connection->send(
            {.method = "DELETE", .key = std::move(key)}, context,
            [done = std::move(done)](Result<net::HttpResponse> answer) mutable { done(answer.status()); });
      });
}

void S3Store::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  copy_object(connection_, std::move(request), context, std::move(done));
}

}  // namespace forebay::storage
