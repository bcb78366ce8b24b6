#include "forebay/cli/caching/metrics_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <semaphore>
#include <thread>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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

class MetricsServerTest : public ::testing::Test {
 protected:
  const TemporaryDirectory directory_;
  const std::string path_ = directory_ / "metrics.sock";
};

TEST_F(MetricsServerTest, MetricsAreGot) {
  const auto served =
      *MetricsServer::start(path_, [](const auto&) { return "forebay_cache_hits_total 3\n"; });
  for (const char* head : {"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
    const std::string answer = talk(path_, head);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 27\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nforebay_cache_hits_total 3\n"));
  }
  EXPECT_THAT(talk(path_, "PUT /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(talk(path_, "GET /other HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(talk(path_, "GET /metrics\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(MetricsServerTest, ServesOneAfterTheOtherAndEnds) {
  int asked = 0;
  const std::string body(3'000'000, 'x');  // more than a socket holds
  {
    const auto served = *MetricsServer::start(path_, [&](const auto&) {
      ++asked;
      return body;
    });
    EXPECT_EQ(std::filesystem::status(path_).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    EXPECT_EQ(MetricsServer::start(path_, [](const auto&) { return ""; }).status().code(),
              StatusCode::kAlreadyExists);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_THAT(talk(path_, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), EndsWith("\r\n\r\n" + body));
      EXPECT_EQ(asked, i);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(MetricsServerTest, AForkedChildLeavesItAlone) {
  std::binary_semaphore is_asked(0);
  std::binary_semaphore go_on(0);
  pid_t owner = ::getpid();
  auto served = *MetricsServer::start(path_, [&](const std::stop_token& stop) {
    const std::stop_callback told(stop, [owner] {
      if (::getpid() != owner) {
        ::_exit(1);  // what waits is the parent's
      }
    });
    is_asked.release();
    EXPECT_TRUE(go_on.try_acquire_for(std::chrono::minutes(1)));
    return "forebay_x 1\n";
  });
  std::string answer;
  std::jthread client([&] { answer = talk(path_, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"); });
  ASSERT_TRUE(is_asked.try_acquire_for(std::chrono::minutes(1)));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    served.reset();
    ::_exit(0);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(path_));
  go_on.release();
  client.join();
  EXPECT_THAT(answer, EndsWith("\r\n\r\nforebay_x 1\n"));
}

}  // namespace
}  // namespace forebay::cli
