// How a process starts the daemon, with shell scripts as the program; python/tests/cache/test_daemon_start.py
// has the real one.
#include "forebay/cache/client/daemon_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/net/local/local_loop.h"

namespace forebay::cache {
namespace {

class DaemonProcessTest : public ::testing::Test {
 protected:
  /// A program that does what a line of shell says.
  std::string program(const std::string& line) {
    std::string path = directory_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << line << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  DaemonStart start_of(std::string program) const {
    return {.home = directory_ / "home", .socket = directory_ / "home/daemon.sock", .programs = {program}};
  }

  const TemporaryDirectory directory_;
};

TEST_F(DaemonProcessTest, AProgramThatFailsIsAnErrorThatNamesItsLog) {
  const DaemonStart start = start_of(program("echo \"$@: no\" >&2; exit 1"));
  const Status status = start_daemon(start).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_NE(message(status).find(daemon_log(start.home)), std::string_view::npos) << status;
  std::string line;
  std::ifstream log(daemon_log(start.home));
  std::getline(log, line);
  EXPECT_EQ(line, "daemon --on-demand: no");
}

TEST_F(DaemonProcessTest, OneThatTakesTooLongIsNotWaitedFor) {
  DaemonStart start = start_of(program("exec cat " + (directory_ / "pipe")));
  ASSERT_EQ(mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  start.patience_ns = 50'000'000;
  EXPECT_EQ(start_daemon(start).status().code(), StatusCode::kDeadlineExceeded);
  std::ofstream(directory_ / "pipe") << "go";  // it ends
}

TEST_F(DaemonProcessTest, ProgramsAreLookedForInOrder) {
  const std::string here = program("exit 0");
  EXPECT_EQ(find_program({directory_ / "none", here}), here);
  std::filesystem::create_directory(directory_ / "bin");
  std::filesystem::copy(here, directory_ / "bin/forebay");
  const std::string path = std::getenv("PATH");
  setenv("PATH", ("relative:" + (directory_ / "bin")).c_str(), 1);
  EXPECT_EQ(find_program({directory_ / "none"}), directory_ / "bin/forebay");
  setenv("PATH", path.c_str(), 1);
}

TEST_F(DaemonProcessTest, WithoutAProgramItSaysSo) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", directory_.path().c_str(), 1);
  EXPECT_EQ(start_daemon(start_of(directory_ / "none")).status().code(), StatusCode::kNotFound);
  setenv("PATH", path.c_str(), 1);
}

TEST_F(DaemonProcessTest, OneThatServesIsNotStarted) {
  const DaemonStart start = start_of(program("exit 1"));
  std::filesystem::create_directory(start.home);
  const auto server = net::LocalLoop::start("test");
  ASSERT_TRUE(server.ok()) << server.status();
  const net::LocalHandler silent = {.on_message = [](auto&&...) { return ok_status(); },
                                    .on_closed = [](auto&&...) {}};
  ASSERT_TRUE((*server)->listen(start.socket, [silent](auto&&...) { return silent; }).ok());
  const Result<bool> is_started = start_daemon(start);
  ASSERT_TRUE(is_started.ok()) << is_started.status();
  EXPECT_FALSE(*is_started);
}

TEST_F(DaemonProcessTest, NoneIsThereToStop) {
  EXPECT_FALSE(*stop_daemon(directory_ / "daemon.sock", 1'000'000'000));
}

}  // namespace
}  // namespace forebay::cache
