#include "forebay/storage/az/az_store.h"

#include <algorithm>

#include "forebay/storage/az/az_object.h"
#include "forebay/storage/az/az_upload.h"
#include "forebay/storage/az/az_xml.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/ranged_read.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/remote/token_list.h"

namespace forebay::storage {
namespace {

ServiceRequest az_list_request(const ListRequest& wanted, const std::string& token) {
  const size_t entries = wanted.page_entries == 0 ? kMaxAzEntriesOfPage : wanted.page_entries;
  ServiceRequest request = {.query = {{"restype", "container"},
                                      {"comp", "list"},
                                      {"prefix", wanted.prefix},
                                      {"maxresults", std::to_string(std::min(entries, kMaxAzEntriesOfPage))}},
                            .max_body_bytes = kMaxAzListBytes};
  if (!wanted.delimiter.empty()) {
    request.query.emplace_back("delimiter", wanted.delimiter);
  }
  if (!token.empty()) {
    request.query.emplace_back("marker", token);
  }
  return request;
}

class AzUploadTarget final : public UploadTarget {
 public:
  AzUploadTarget(std::shared_ptr<AzConnection> connection, std::string key)
      : connection_(std::move(connection)), key_(std::move(key)) {}

  std::string uri() const override { return connection_->uri_of(key_); }
  void put(Bytes content, const WriteOptions& options, const CallContext& context,
           StatCallback done) override {
    put_az_blob(connection_, key_, content, options, context, std::move(done));
  }
  std::shared_ptr<PartedUpload> begin() override { return std::make_shared<AzUpload>(connection_, key_); }

 private:
  const std::shared_ptr<AzConnection> connection_;
  const std::string key_;
};

}  // namespace

void AzStore::stat(std::string key, const CallContext& context, StatCallback done) {
  stat_az_blob(connection_, std::move(key), {}, context, std::move(done));
}

std::unique_ptr<ListStream> AzStore::open_list(ListRequest request) {
  std::string uri = uri_of(request.prefix);
  return open_token_list(std::move(uri), std::move(request),
                         [connection = connection_](const ListRequest& wanted, const std::string& token,
                                                    const CallContext& context, auto done) {
                           connection->send(
                               az_list_request(wanted, token), context,
                               [done = std::move(done)](Result<net::HttpResponse> answer) mutable {
                                 done(answer.ok() ? parse_az_list(answer->body) : answer.status());
                               });
                         });
}

void AzStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  read_range(az_reads(connection_), costs_, std::move(request), context, std::move(done));
}

void AzStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                    StatCallback done) {
  if (content.size() <= connection_->options().largest_put_bytes) {
    put_az_blob(connection_, key, content, options, context, std::move(done));
    return;
  }
  write_in_parts(open_writer(std::move(key), std::move(options)), content, context, std::move(done));
}

Status AzStore::check_write(std::string_view key, bool) const {
  return check_az_key(key, uri_of(key));
}

Result<std::unique_ptr<ObjectWriter>> AzStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_RETURN_IF_ERROR(check_az_key(key, uri_of(key)));
  const AzOptions& limits = connection_->options();
  const GatheringOptions gathering = {.part_bytes = limits.part_bytes,
                                      .parts_in_flight = limits.parts_in_flight,
                                      .largest_bytes = limits.largest_put_bytes};
  return std::make_unique<GatheringWriter>(std::make_unique<AzUploadTarget>(connection_, std::move(key)),
                                           gathering, std::move(options));
}

void AzStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  if (key.empty()) {
    done(no_such_object(uri_of(key)));
    return;
  }
  connection_->send_removal({.method = "DELETE", .key = std::move(key)}, context, std::move(done));
}

void AzStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  copy_az_blob(connection_, std::move(request), context, std::move(done));
}

}  // namespace forebay::storage
