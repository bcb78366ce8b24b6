// versitygw for tests: a real S3 server over a temporary directory.
#pragma once

#include <string>

#include "forebay/storage/testing/server_process.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {

class VersitygwServer {
 public:
  static constexpr char kAccessKeyId[] = "forebay-test";
  static constexpr char kSecretAccessKey[] = "only/for+tests";

  /// Empty if it is not there; see server_file().
  static std::string program();

  VersitygwServer();

  /// One for the whole test program, started at the first call.
  static VersitygwServer& shared();

  /// Its URL.
  std::string endpoint() const;
  /// The same where buckets are parts of the host name.
  std::string domain_endpoint() const;
  /// A bucket that no other test has.
  std::string make_bucket();

 private:
  TemporaryDirectory directory_;
  const ServerProcess process_;
  const int port_;
  int buckets_ = 0;
};

}  // namespace forebay::storage
