#include "forebay/storage/http/http_store.h"

#include <utility>

#include "forebay/storage/http/http_list.h"
#include "forebay/storage/http/http_read.h"
#include "forebay/storage/http/http_stat.h"

namespace forebay::storage {

HttpStore::HttpStore(HttpStoreOptions options) : site_(std::make_shared<HttpSite>(std::move(options))) {
}

std::string HttpStore::uri_of(std::string_view key) const {
  return site_->uri_of(key);
}

void HttpStore::stat(std::string key, const CallContext& context, StatCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(key)));
    return;
  }
  stat_over_http(site_, std::move(key), context, std::move(done));
}

std::unique_ptr<ListStream> HttpStore::open_list(ListRequest request) {
  return list_over_http(site_, std::move(request));
}

void HttpStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(request.key)));
    return;
  }
  if (request.only_resident) {
    done(unimplemented("{}: a web server's objects cannot be leased", uri_of(request.key)));
    return;
  }
  std::make_shared<HttpRead>(site_, std::move(request), context, std::move(done))->start();
}

Status HttpStore::is_read_only(std::string_view key) const {
  return unimplemented("{}: objects of web servers are read-only", uri_of(key));
}

void HttpStore::write(std::string key, Bytes, WriteOptions, const CallContext& context, StatCallback done) {
  done(is_wanted(context) ? is_read_only(key) : not_wanted(context, uri_of(key)));
}

Result<std::unique_ptr<ObjectWriter>> HttpStore::open_writer(std::string key, WriteOptions) {
  return is_read_only(key);
}

void HttpStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  done(is_wanted(context) ? is_read_only(key) : not_wanted(context, uri_of(key)));
}

}  // namespace forebay::storage
