#include "forebay/storage/gs/gs_store.h"

#include <algorithm>
#include <limits>

#include "forebay/storage/errors.h"
#include "forebay/storage/gs/gs_json.h"
#include "forebay/storage/gs/gs_object.h"
#include "forebay/storage/gs/gs_upload.h"
#include "forebay/storage/http/ranged_read.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/remote/token_list.h"

namespace forebay::storage {
namespace {

constexpr char kGsListFields[] = "kind,items(name,size,generation,updated),prefixes,nextPageToken";

ServiceRequest gs_list_request(const GsConnection& connection, const ListRequest& wanted,
                               const std::string& token) {
  const size_t entries = wanted.page_entries == 0 ? kMaxGsEntriesOfPage : wanted.page_entries;
  ServiceRequest request = {.key = wanted.prefix,
                            .path = connection.objects_path(),
                            .query = {{"prefix", wanted.prefix},
                                      {"maxResults", std::to_string(std::min(entries, kMaxGsEntriesOfPage))},
                                      {"fields", kGsListFields}},
                            .max_body_bytes = kMaxGsListBytes};
  if (!wanted.delimiter.empty()) {
    request.query.emplace_back("delimiter", wanted.delimiter);
  }
  if (!wanted.start_after.empty()) {
    request.query.emplace_back("startOffset", wanted.start_after);
  }
  if (!token.empty()) {
    request.query.emplace_back("pageToken", token);
  }
  return request;
}

}  // namespace

void GsStore::stat(std::string key, const CallContext& context, StatCallback done) {
  stat_gs_object(connection_, std::move(key), {}, context, std::move(done));
}

std::unique_ptr<ListStream> GsStore::open_list(ListRequest request) {
  std::string uri = uri_of(request.prefix);
  return open_token_list(std::move(uri), std::move(request),
                         [connection = connection_](const ListRequest& wanted, const std::string& token,
                                                    const CallContext& context, auto done) {
                           connection->send(
                               gs_list_request(*connection, wanted, token), context,
                               [done = std::move(done)](Result<net::HttpResponse> answer) mutable {
                                 done(answer.ok() ? parse_gs_list(answer->body) : answer.status());
                               });
                         });
}

void GsStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  read_range(gs_reads(connection_), costs_, std::move(request), context, std::move(done));
}

void GsStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                    StatCallback done) {
  put_gs_object(connection_, key, content, options, context, std::move(done));
}

Status GsStore::check_write(std::string_view key, bool) const {
  return check_gs_key(key, uri_of(key));
}

Result<std::unique_ptr<ObjectWriter>> GsStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_RETURN_IF_ERROR(check_gs_key(key, uri_of(key)));
  const uint64_t chunk_bytes = connection_->options().chunk_bytes;
  const GatheringOptions gathering = {.part_bytes = chunk_bytes,
                                      .parts_grow = false,
                                      .parts_in_flight = 1,
                                      .largest_bytes = std::numeric_limits<uint64_t>::max(),
                                      .part_unit_bytes = kGsChunkUnit};
  return std::make_unique<GatheringWriter>(
      std::make_unique<GsUploadTarget>(connection_, std::move(key), options), gathering, options);
}

void GsStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  if (key.empty()) {
    done(no_such_object(uri_of(key)));
    return;
  }
  ServiceRequest request = {.method = "DELETE", .key = key, .path = connection_->object_path(key)};
  connection_->send_removal(std::move(request), context, std::move(done));
}

void GsStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  copy_gs_object(connection_, std::move(request), context, std::move(done));
}

}  // namespace forebay::storage
