// versitygw for tests: a real S3 server over a temporary directory.
#pragma once

#include <sys/types.h>

#include <string>

#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {

/// Listens on the loopback interface, on a port that the kernel chose, and ends with the thread that started
/// it. Aborts if it is there but does not start.
class VersitygwServer {
 public:
  static constexpr char kAccessKeyId[] = "forebay-test";
  static constexpr char kSecretAccessKey[] = "only/for+tests";

  /// The program: in the folder of $FOREBAY_TEST_SERVERS, else in the `servers` beside this program's build
  /// (tools/servers.sh makes it). Empty if there is none; tests skip themselves by name then.
  static std::string program();

  VersitygwServer();
  ~VersitygwServer();
  VersitygwServer(const VersitygwServer&) = delete;
  VersitygwServer& operator=(const VersitygwServer&) = delete;

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
  pid_t process_ = -1;
  int port_ = 0;
  int buckets_ = 0;
};

}  // namespace forebay::storage
