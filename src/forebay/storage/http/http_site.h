// Where the objects of an HTTP store are, and how they are asked for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/net/client/http_client.h"
#include "forebay/storage/http/service_connection.h"
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
  RateLimits limits;                        // of one store
  RetryOptions retries;
  uint64_t max_listing_bytes = 64 << 20;  // of one folder's index
};

/// Shared by a store and its calls under way. What a server answers is a success here, also a refusal, for
/// those who asked to make of it what it means; what may be better later is none.
class HttpSite final : public ServiceConnection {
 public:
  explicit HttpSite(HttpStoreOptions options);

  std::string url_of(std::string_view key) const;
  /// The URL without secrets.
  std::string uri_of(std::string_view key) const override;
  std::string service() const override { return {}; }
  /// A key below `folder`, from a name as the server has it.
  std::string key_of(std::string_view folder, std::string_view name) const;

  /// The name that a part of a key stands for: percent-encoded where keys are URLs.
  std::string name_of(std::string_view key_part) const;

  const HttpStoreOptions& options() const { return options_; }

 protected:
  std::unique_ptr<ServiceCall> call_of(ServiceCall::RequestRef request) override;

 private:
  const HttpStoreOptions options_;
};

}  // namespace forebay::storage
