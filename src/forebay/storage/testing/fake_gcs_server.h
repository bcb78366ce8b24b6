// fake-gcs-server for tests: a server that speaks Google Cloud Storage's interface, with objects in memory.
#pragma once

#include <string>

#include "forebay/storage/testing/server_process.h"

namespace forebay::storage {

class FakeGcsServer {
 public:
  /// Empty if it is not there; see server_file().
  static std::string program() { return server_file("fake-gcs-server"); }

  FakeGcsServer();

  /// One for the whole test program, started at the first call.
  static FakeGcsServer& shared();

  std::string endpoint() const;
  /// A bucket that no other test has.
  std::string make_bucket();

 private:
  const ServerProcess process_;
  const int port_;
  int buckets_ = 0;
};

}  // namespace forebay::storage
