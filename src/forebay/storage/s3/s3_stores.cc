#include "forebay/storage/s3/s3_stores.h"

#include <array>
#include <map>
#include <span>
#include <utility>

#include "fmt/format.h"
#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/s3/s3_state_mutex.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3_credentials/credential_sources.h"

namespace forebay::storage {
namespace {

constexpr std::array kVariables = {"AWS_ACCESS_KEY_ID",
                                   "AWS_SECRET_ACCESS_KEY",
                                   "AWS_SESSION_TOKEN",
                                   "AWS_REGION",
                                   "AWS_DEFAULT_REGION",
                                   "AWS_ENDPOINT_URL",
                                   "AWS_ENDPOINT_URL_S3",
                                   "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
                                   "AWS_PROFILE",
                                   "AWS_CONFIG_FILE",
                                   "AWS_SHARED_CREDENTIALS_FILE",
                                   "HOME",
                                   "FOREBAY_S3_ADDRESSING",
                                   "FOREBAY_S3_ANONYMOUS"};

using Stores = std::map<std::string, std::shared_ptr<ObjectStore>, std::less<>>;

/// Guarded by s3_state_mutex(). Never destroyed, because threads use it at exit.
Stores& process_stores() {
  static auto* const stores = new Stores;
  return *stores;
}

/// A digest, since the variables hold secrets.
std::string identity_of(const std::string& bucket, const StoreOptions& options) {
  std::string text = bucket;
  for (const auto& [name, value] : options) {
    text += fmt::format("{}{}={}", '\0', name, value);
  }
  for (const char* const name : kVariables) {
    text += '\0';
    text += process_environment(name).value_or("");
  }
  return net::sha256_hex(std::as_bytes(std::span(text)));
}

std::shared_ptr<ObjectStore> find_store(const std::string& identity) {
  const MutexLock lock(s3_state_mutex());
  const auto found = process_stores().find(identity);
  return found == process_stores().end() ? nullptr : found->second;
}

/// Two threads may open one store at a time; both get the first.
std::shared_ptr<ObjectStore> keep_store(const std::string& identity, std::shared_ptr<ObjectStore> opened) {
  const MutexLock lock(s3_state_mutex());
  return process_stores().try_emplace(identity, std::move(opened)).first->second;
}

}  // namespace

Result<std::shared_ptr<ObjectStore>> open_s3_store(const std::string& bucket, const S3Options& options,
                                                   const Environment& environment) {
  FOREBAY_RETURN_IF_ERROR(check_bucket_name(bucket));
  FOREBAY_ASSIGN_OR_RETURN(const Profile profile, read_profile(options.profile, environment));
  FOREBAY_ASSIGN_OR_RETURN(S3Configuration configuration, configure_s3(options, environment, profile));
  auto connection = std::make_shared<S3Connection>(bucket, options, std::move(configuration),
                                                   credentials_of(options, environment, metadata_client()),
                                                   net::process_http_client());
  auto costs = std::make_shared<CostModel>();
  RemoteOptions remote = {.retries = options.retries};
  if (options.limits.any()) {
    remote.limiter = std::make_shared<RateLimiter>(options.limits);
  }
  return remote_store(std::make_shared<S3Store>(std::move(connection), costs), costs, std::move(remote));
}

std::vector<StoreOptionSpec> s3_option_specs() {
  std::vector<StoreOptionSpec> specs = {
      {"endpoint", "URL of the server, where it is not AWS's own"},
      {"region", "region of the bucket"},
      {"addressing", "where requests name the bucket: path, or virtual (host name)"},
      {"profile", "profile in AWS's files"},
      {"anonymous", "true: requests are not signed, for public buckets"},
      {"access_key_id", "key's id"},
      {"secret_access_key", "key", true},
      {"session_token", "token of temporary keys", true}};
  const std::vector<StoreOptionSpec> rates = rate_option_specs();
  specs.insert(specs.end(), rates.begin(), rates.end());
  return specs;
}

StoreRegistry::Factory s3_factory() {
  return [](const Uri& uri, const StoreOptions& given) -> Result<ObjectAddress> {
    const std::string identity = identity_of(uri.authority, given);
    std::shared_ptr<ObjectStore> store = find_store(identity);
    if (store == nullptr) {
      FOREBAY_ASSIGN_OR_RETURN(const S3Options options, parse_s3_options(given));
      Result<std::shared_ptr<ObjectStore>> opened = open_s3_store(uri.authority, options);
      FOREBAY_RETURN_IF_ERROR(annotate(opened.status(), uri_for_message(uri.to_string())));
      store = keep_store(identity, *std::move(opened));
    }
    return ObjectAddress{std::move(store), uri.path.empty() ? "" : uri.path.substr(1)};
  };
}

}  // namespace forebay::storage
