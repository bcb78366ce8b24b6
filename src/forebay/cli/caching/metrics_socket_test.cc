#include "forebay/cli/caching/metrics_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string answer(std::string_view head) {
  return answer_to(head, [] { return std::string("forebay_cache_hits_total 3\n"); });
}

TEST(MetricsSocket, MetricsAreGot) {
  for (const char* head : {"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
    EXPECT_THAT(answer(head), StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer(head), HasSubstr("\r\nContent-Length: 27\r\n"));
    EXPECT_THAT(answer(head), EndsWith("\r\n\r\nforebay_cache_hits_total 3\n"));
  }
}

TEST(MetricsSocket, OtherRequestsAreRefused) {
  EXPECT_THAT(answer("POST /metrics HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(answer("GET /other HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(answer("GET /a b HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  for (const std::string_view head :
       {"", "\r\n\r\n", " \r\n\r\n", "GET\r\n\r\n", "GET /metrics\r\n\r\n", "GET /metrics HTTP/2\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nHost: x\r\n", "GET /metrics HTTP/1.1 \r\n\r\n", "\0\xff\r\n\r\n"}) {
    EXPECT_THAT(answer(head), StartsWith("HTTP/1.1 400 ")) << head;
  }
}

/// What comes for what is sent, until the other end closes.
std::string talk(const std::string& path, std::string_view sent) {
  const FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::send(client.get(), sent.data(), sent.size(), MSG_NOSIGNAL), std::ssize(sent));
  ::shutdown(client.get(), SHUT_WR);
  std::string come;
  char part[4096];
  for (ssize_t got = 0; (got = ::recv(client.get(), part, sizeof(part), 0)) > 0;) {
    come.append(part, static_cast<size_t>(got));
  }
  return come;
}

TEST(MetricsSocket, ServesOneAfterTheOtherAndEnds) {
  const TemporaryDirectory directory;
  const std::string path = directory / "metrics.sock";
  int asked = 0;
  const std::string body(3'000'000, 'x');  // more than a socket holds
  {
    const auto served = *MetricsSocket::open(path, [&] {
      ++asked;
      return body;
    });
    EXPECT_EQ(MetricsSocket::open(path, [] { return std::string(); }).status().code(),
              StatusCode::kAlreadyExists);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_THAT(talk(path, "GET /metrics HTTP/1.1\r\n\r\n"), EndsWith("\r\n\r\n" + body));
      EXPECT_EQ(asked, i);
      EXPECT_THAT(talk(path, "GET /met"), StartsWith("HTTP/1.1 400 "));
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace forebay::cli
