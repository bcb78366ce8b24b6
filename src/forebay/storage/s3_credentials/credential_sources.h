// The places where AWS's tools keep keys, in the order in which they are asked: the options of a store, the
// environment (keys, then a role for a token), profile files, the metadata service of a container, that of an
// instance.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/net/client/http_client.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/metadata_client.h"
#include "forebay/storage/s3_credentials/credentials.h"

namespace forebay::storage {

/// Keys that are at hand; null: requests are not signed.
class GivenCredentials final : public CredentialsSource {
 public:
  explicit GivenCredentials(CredentialsRef keys) : keys_(std::move(keys)) {}
  /// Keys that do not expire.
  explicit GivenCredentials(net::AwsCredentials keys)
      : keys_(std::make_shared<const ExpiringCredentials>(ExpiringCredentials{std::move(keys)})) {}
  void fetch(CredentialsCallback done) override { done(keys_); }

 private:
  const CredentialsRef keys_;
};

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
class EnvironmentCredentials final : public CredentialsSource {
 public:
  explicit EnvironmentCredentials(Environment environment) : environment_(std::move(environment)) {}
  void fetch(CredentialsCallback done) override;

 private:
  const Environment environment_;
};

/// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI, with
/// AWS_CONTAINER_AUTHORIZATION_TOKEN or the file of AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE. A full URI has to
/// be https, this host or one of the metadata addresses: keys do not travel in the clear.
class ContainerCredentials final : public CredentialsSource {
 public:
  ContainerCredentials(Environment environment, net::HttpClient& client)
      : environment_(std::move(environment)), client_(client) {}
  void fetch(CredentialsCallback done) override;

 private:
  const Environment environment_;
  net::HttpClient& client_;
};

/// The role of the instance, by version 2 of its metadata service. AWS_EC2_METADATA_DISABLED turns it off,
/// AWS_EC2_METADATA_SERVICE_ENDPOINT says where it is.
class InstanceCredentials final : public CredentialsSource {
 public:
  InstanceCredentials(Environment environment, net::HttpClient& client)
      : environment_(std::move(environment)), client_(client) {}
  void fetch(CredentialsCallback done) override;

 private:
  const Environment environment_;
  net::HttpClient& client_;
};

/// Keys as the metadata services write them. data_loss for anything else, without its text.
Result<CredentialsRef> parse_credentials_json(std::string_view json);

}  // namespace forebay::storage
