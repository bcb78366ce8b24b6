// Objects of web servers, read-only. A read is one request, with If-Match where a version is asked for, and
// its answer is held against the range, the size and the version before any byte is taken.
//
// A version is the strong entity tag; else the weak one, or the time of modification (in seconds, as HTTP
// has it), each with the size. Folders are listed where the server gives indexes in JSON (nginx:
// `autoindex_format json`); such listings tell no versions.
//
// Sources: RFC 9110 (HTTP semantics: 13 conditional requests, 14 ranges), RFC 3986 (URLs).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "forebay/storage/basic_store.h"
#include "forebay/storage/http/http_site.h"

namespace forebay::storage {

class HttpStore final : public BasicStore {
 public:
  explicit HttpStore(HttpStoreOptions options);

  std::string uri_of(std::string_view key) const override;
  StoreFeatures features() const override { return {.can_remove = false}; }
  std::string name_of(std::string_view key_part) const override { return site_->name_of(key_part); }
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  Status check_write(std::string_view key, bool) const override { return is_read_only(key); }
  /// All that write are unimplemented.
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;

 private:
  Status is_read_only(std::string_view key) const;

  const std::shared_ptr<HttpSite> site_;
};

}  // namespace forebay::storage
