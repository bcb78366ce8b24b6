#include "forebay/storage/testing/versitygw_server.h"

#include <fmt/format.h>

#include <filesystem>

namespace forebay::storage {
namespace {

constexpr char kVersitygwHost[] = "127.0.0.1";

std::vector<std::string> versitygw_words(const std::string& folder) {
  return {VersitygwServer::program(),
          "--port",
          fmt::format("{}:0", kVersitygwHost),
          "--keep-alive",
          "--virtual-domain",
          "localhost",
          "--quiet",
          "posix",
          folder};
}

std::vector<std::string> versitygw_settings() {
  return {fmt::format("ROOT_ACCESS_KEY={}", VersitygwServer::kAccessKeyId),
          fmt::format("ROOT_SECRET_KEY={}", VersitygwServer::kSecretAccessKey)};
}

}  // namespace

std::string VersitygwServer::program() {
  return server_file("versitygw");
}

VersitygwServer::VersitygwServer()
    : process_(versitygw_words(directory_.path()), versitygw_settings()), port_(process_.wait_for_port()) {
}

VersitygwServer& VersitygwServer::shared() {
  static VersitygwServer server;
  return server;
}

std::string VersitygwServer::endpoint() const {
  return fmt::format("http://{}:{}", kVersitygwHost, port_);
}

std::string VersitygwServer::domain_endpoint() const {
  return fmt::format("http://localhost:{}", port_);
}

std::string VersitygwServer::make_bucket() {
  const std::string name = fmt::format("bucket{}", buckets_++);
  std::filesystem::create_directory(directory_ / name);
  return name;
}

}  // namespace forebay::storage
