// Where the objects of an HTTP store are, and how they are asked for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/net/http_client.h"
#include "forebay/storage/context.h"
#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

struct HttpStoreOptions {
  /// Keys are names below this URL, which ends with "/"; any byte of a name is encoded. Empty: keys are URLs
  /// without their scheme, as users write them, and only what may not stand in a URL is encoded.
  std::string base_url;
  std::string scheme = "https";             // of keys, where there is no base_url
  std::vector<net::HttpHeader> headers;     // sent with each request; may hold secrets
  std::shared_ptr<net::HttpClient> client;  // null: the process's
  uint64_t max_skipped_bytes = 16 << 20;    // that are dropped before a range, if the server knows no ranges
  uint64_t max_unsized_bytes = 256 << 20;   // of an object whose size the server does not tell
  std::shared_ptr<CostModel> costs;         // learns from the answers; may be null
  uint64_t max_listing_bytes = 64 << 20;    // of one folder's index
};

/// Immutable, shared by a store and its calls under way.
class HttpSite {
 public:
  explicit HttpSite(HttpStoreOptions options) : options_(std::move(options)) {}

  std::string url_of(std::string_view key) const;
  /// The URL without secrets.
  std::string uri_of(std::string_view key) const;
  /// A key below `folder`, from a name as the server has it.
  std::string key_of(std::string_view folder, std::string_view name) const;

  net::HttpRequest request(std::string method, std::string_view key, const CallContext& context) const;
  net::HttpClient& client() const;
  const HttpStoreOptions& options() const { return options_; }

 private:
  const HttpStoreOptions options_;
};

}  // namespace forebay::storage
