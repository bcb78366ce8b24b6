#include "forebay/storage/gs/gs_store.h"

#include <algorithm>

#include "forebay/storage/errors.h"
#include "forebay/storage/gs/gs_object.h"
#include "forebay/storage/gs/gs_writer.h"
#include "forebay/storage/http/ranged_read.h"
#include "forebay/storage/remote/token_list.h"

namespace forebay::storage {
namespace {

constexpr char kGsListFields[] = "kind,items(name,size,generation,updated),prefixes,nextPageToken";

GsRequest gs_list_request(const GsConnection& connection, const ListRequest& wanted,
                          const std::string& token) {
  const size_t entries = wanted.page_entries == 0 ? kMostGsEntriesOfPage : wanted.page_entries;
  GsRequest request = {.key = wanted.prefix,
                       .path = connection.objects_path(),
                       .query = {{"prefix", wanted.prefix},
                                 {"maxResults", std::to_string(std::min(entries, kMostGsEntriesOfPage))},
                                 {"fields", kGsListFields}},
                       .max_body_bytes = kMostGsListBytes};
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

class GsReadSource final : public RangedReadSource {
 public:
  explicit GsReadSource(std::shared_ptr<GsConnection> connection) : connection_(std::move(connection)) {}

  std::string uri_of(std::string_view key) const override { return connection_->uri_of(key); }

  void get(const ReadRequest& request, std::string range, net::BodyTargetOf target,
           const CallContext& context, HttpCallback done) override {
    // What was stored compressed comes as it was stored; else the server would unpack it, in other lengths.
    GsRequest get = {.key = request.key,
                     .path = connection_->object_path(request.key),
                     .query = {{"alt", "media"}},
                     .headers = {{"Accept-Encoding", "gzip"}},
                     .body_target = std::move(target)};
    if (is_gs_generation(request.if_version)) {
      get.query.emplace_back("ifGenerationMatch", request.if_version);
    }
    if (!range.empty()) {
      get.headers.emplace_back("Range", std::move(range));
    }
    connection_->send(std::move(get), context, std::move(done));
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
  read_range(std::make_shared<GsReadSource>(connection_), costs_, std::move(request), context,
             std::move(done));
}

void GsStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                    StatCallback done) {
  put_gs_object(connection_, std::move(key), content, options, context, std::move(done));
}

Result<std::unique_ptr<ObjectWriter>> GsStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_RETURN_IF_ERROR(check_gs_key(key, uri_of(key)));
  return std::make_unique<GsWriter>(connection_, std::move(key), std::move(options));
}

void GsStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  if (key.empty()) {
    done(no_such_object(uri_of(key)));
    return;
  }
  GsRequest request = {.method = "DELETE", .key = key, .path = connection_->object_path(key)};
  connection_->send(
      std::move(request), context,
      [done = std::move(done)](const Result<net::HttpResponse>& answer) mutable { done(answer.status()); });
}

void GsStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  copy_gs_object(connection_, std::move(request), context, std::move(done));
}

}  // namespace forebay::storage
