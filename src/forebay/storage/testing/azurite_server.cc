#include "forebay/storage/testing/azurite_server.h"

#include <fmt/format.h>

#include "absl/strings/escaping.h"
#include "forebay/base/check.h"
#include "forebay/net/client/http_client.h"
#include "forebay/storage/az/az_signature.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {
namespace {

constexpr char kAzuriteHost[] = "127.0.0.1";

}  // namespace

std::string AzuriteServer::program() {
  const std::string folder = server_file("azurite");
  return folder.empty() || program_in_path("node").empty()
             ? ""
             : folder + "/node_modules/azurite/dist/src/blob/main.js";
}

AzuriteServer::AzuriteServer()
    : process_({program_in_path("node"), program(), "--blobHost", kAzuriteHost, "--blobPort", "0",
                "--location", folder_.path(), "--silent", "--disableTelemetry"},
               {"HOME=" + folder_.path()}),
      port_(process_.wait_for_port()) {
}

AzuriteServer& AzuriteServer::shared() {
  static AzuriteServer server;
  return server;
}

std::string AzuriteServer::endpoint() const {
  return fmt::format("http://{}:{}/{}", kAzuriteHost, port_, kAccount);
}

std::string AzuriteServer::make_container() {
  std::string name = fmt::format("container{}", containers_++);
  AzSignedRequest request = {
      .method = "PUT",
      .path = fmt::format("/{}/{}", kAccount, name),
      .query = {{"restype", "container"}},
      .headers = {{"x-ms-date", http_date(wall_clock_seconds())}, {"x-ms-version", "2021-12-02"}}};
  std::string key;
  FOREBAY_CHECK(absl::Base64Unescape(kKey, &key));
  net::HttpRequest http = {.method = "PUT", .url = endpoint() + "/" + name + "?restype=container"};
  for (const auto& [field, value] : request.headers) {
    http.headers.push_back({field, value});
  }
  http.headers.push_back({"Authorization", az_authorization(request, kAccount, key)});
  net::HttpClient client({.uses_proxy = false});
  const Result<net::HttpResponse> answer = net::send_now(client, std::move(http));
  FOREBAY_CHECK(answer.ok() && answer->is_success());
  return name;
}

}  // namespace forebay::storage
