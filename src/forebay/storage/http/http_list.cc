#include "forebay/storage/http/http_list.h"

#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/http/http_index.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/remote/folder_list.h"

namespace forebay::storage {
namespace {

constexpr char kAdvice[] =
    "name the files instead, or let the server give indexes in JSON (nginx: autoindex on; autoindex_format "
    "json;)";

Result<FolderEntries> entries_of(const HttpSite& site, const std::string& folder,
                                 const Result<net::HttpResponse>& response) {
  const std::string uri = site.uri_of(folder);
  if (!response.ok()) {
    return response.status();
  }
  FolderEntries entries;
  if (response->status == 404) {
    return entries;
  }
  if (!response->is_success()) {
    const Status status = status_of_http(*response, uri);
    return status.code() == StatusCode::kPermissionDenied
               ? permission_denied("{}: the server does not list this folder; {}", uri, kAdvice)
               : status;
  }
  const Result<std::vector<HttpIndexEntry>> index = parse_http_index(response->body);
  if (!index.ok()) {
    return unimplemented("{}: the server gives no index of this folder that can be read; {}", uri, kAdvice);
  }
  for (const HttpIndexEntry& entry : *index) {
    entries.push_back({.key = site.key_of(folder, entry.name),
                       .size_bytes = entry.size_bytes,
                       .modified_ns = entry.modified_ns});
  }
  return entries;
}

}  // namespace

std::unique_ptr<ListStream> list_over_http(std::shared_ptr<HttpSite> site, ListRequest request) {
  std::string uri = site->uri_of(request.prefix);
  return open_folder_list(
      uri, std::move(request),
      [site = std::move(site), uri](const std::string& folder, const CallContext& context, auto done) {
        if (site->options().base_url.empty() && folder.empty()) {
          done(invalid_argument("{}: a listing needs a host and a folder", uri));
          return;
        }
        site->send({.key = folder, .max_body_bytes = site->options().max_listing_bytes}, context,
                   [site, folder, done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                     done(entries_of(*site, folder, answer));
                   });
      });
}

}  // namespace forebay::storage
