// ListObjectsV2, a page at a time.

#include <algorithm>
#include <string>
#include <utility>

#include "forebay/storage/remote/token_list.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3/s3_xml.h"

namespace forebay::storage {
namespace {

ServiceRequest s3_list_request(const ListRequest& wanted, const std::string& token) {
  const size_t entries = wanted.page_entries == 0 ? kMaxEntriesOfPage : wanted.page_entries;
  ServiceRequest request = {.query = {{"list-type", "2"},
                                      {"encoding-type", "url"},
                                      {"max-keys", std::to_string(std::min(entries, kMaxEntriesOfPage))},
                                      {"prefix", wanted.prefix}},
                            .max_body_bytes = kMaxListBytes};
  if (!wanted.delimiter.empty()) {
    request.query.emplace_back("delimiter", wanted.delimiter);
  }
  if (!wanted.start_after.empty()) {
    request.query.emplace_back("start-after", wanted.start_after);
  }
  if (!token.empty()) {
    request.query.emplace_back("continuation-token", token);
  }
  return request;
}

}  // namespace

std::unique_ptr<ListStream> S3Store::open_list(ListRequest request) {
  std::string uri = uri_of(request.prefix);
  return open_token_list(std::move(uri), std::move(request),
                         [connection = connection_](const ListRequest& wanted, const std::string& token,
                                                    const CallContext& context, auto done) {
                           connection->send(
                               s3_list_request(wanted, token), context,
                               [done = std::move(done)](Result<net::HttpResponse> answer) mutable {
                                 done(answer.ok() ? parse_s3_list(answer->body) : answer.status());
                               });
                         });
}

}  // namespace forebay::storage
