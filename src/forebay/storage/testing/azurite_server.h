// Azurite for tests: Microsoft's emulator of Azure's storage, with blobs in a temporary folder.
#pragma once

#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/storage/testing/server_process.h"

namespace forebay::storage {

class AzuriteServer {
 public:
  static constexpr char kAccount[] = "devstoreaccount1";
  /// The one that every emulator has; no secret.
  static constexpr char kKey[] =
      "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

  /// Its script; empty if that is not there, or Node is not. See server_file().
  static std::string program();

  AzuriteServer();

  /// One for the whole test program, started at the first call.
  static AzuriteServer& shared();

  /// With the account's name, as options take it.
  std::string endpoint() const;
  /// A container that no other test has.
  std::string make_container();

 private:
  const TemporaryDirectory folder_;
  const ServerProcess process_;
  const int port_;
  int containers_ = 0;
};

}  // namespace forebay::storage
