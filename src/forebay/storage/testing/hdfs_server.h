// A real HDFS for tests: Hadoop's own small cluster, a namenode and a datanode in one Java process, with
// blocks in a temporary folder.
#pragma once

#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/storage/testing/server_process.h"

namespace forebay::storage {

class HdfsServer {
 public:
  static constexpr char kUser[] = "tester";

  /// The folder of its Java archives; empty if that is not there, or Java is not. See server_file().
  static std::string program();

  HdfsServer();

  /// One for the whole test program, started at the first call.
  static HdfsServer& shared();

  /// "host:port" of the namenode.
  std::string authority() const { return authority_; }
  /// A path that begins with "/" and that no other test has. There is nothing of that name.
  std::string make_root();

 private:
  const TemporaryDirectory folder_;
  const ServerProcess process_;
  const std::string authority_;
  int roots_ = 0;
};

}  // namespace forebay::storage
