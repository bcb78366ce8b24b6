#include "forebay/storage/testing/hdfs_server.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "forebay/base/check.h"

namespace forebay::storage {
namespace {

constexpr char kReadySettings[] = "settings.xml";  // which the cluster writes once it serves

std::vector<std::string> hdfs_words(const std::string& folder) {
  return {program_in_path("java"),
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Djava.net.preferIPv4Stack=true",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          fmt::format("-Djava.io.tmpdir={}", folder),
          fmt::format("-Dtest.build.data={}/data", folder),
          "-cp",
          fmt::format("{}/*", HdfsServer::program()),
          "org.apache.hadoop.test.MiniDFSClusterManager",
          "-format",
          "-datanodes",
          "1",
          "-nnport",
          "0",
          "-httpport",
          "0",
          "-D",
          "dfs.permissions.enabled=false",
          "-D",
          "dfs.ls.limit=7",  // so that listings come in many parts
          "-writeConfig",
          fmt::format("{}/{}", folder, kReadySettings)};
}

/// The value of one of Hadoop's settings.
std::string setting_in(const std::string& file, const std::string& name) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::string before = fmt::format("<name>{}</name><value>", name);
  const size_t at = text.find(before);
  FOREBAY_CHECK(at != std::string::npos);
  const size_t begin = at + before.size();
  return text.substr(begin, text.find('<', begin) - begin);
}

std::string ready_authority(const ServerProcess& process, const std::string& folder) {
  const std::string settings = fmt::format("{}/{}", folder, kReadySettings);
  process.wait_for_text(settings, "</configuration>");
  return setting_in(settings, "dfs.namenode.http-address");
}

}  // namespace

std::string HdfsServer::program() {
  return program_in_path("java").empty() ? "" : server_file("hadoop");
}

HdfsServer::HdfsServer()
    : process_(hdfs_words(folder_.path()), {"HOME=" + folder_.path()}),
      authority_(ready_authority(process_, folder_.path())) {
}

HdfsServer& HdfsServer::shared() {
  static HdfsServer server;
  return server;
}

std::string HdfsServer::make_root() {
  return fmt::format("/test{}", roots_++);
}

}  // namespace forebay::storage
