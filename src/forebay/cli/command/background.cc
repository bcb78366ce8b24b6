#include "forebay/cli/command/background.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace forebay::cli {
namespace {

constexpr off_t kLongLogBytes = 1 << 20;
constexpr char kReady = '+';
constexpr char kFailed = '-';

Result<FileDescriptor> open_log(const std::string& log) {
  struct stat status {};
  if (stat(log.c_str(), &status) == 0 && status.st_size > kLongLogBytes) {
    std::rename(log.c_str(), (log + ".old").c_str());  // if it fails, the log only grows
  }
  FileDescriptor opened(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!opened.is_valid()) {
    return errno_status(errno, log);
  }
  return opened;
}

/// The process belongs to nobody's terminal, folder or set of processors any more.
void leave_starter(const FileDescriptor& log) {
  setsid();
  umask(077);
  [[maybe_unused]] const int moved = chdir("/");
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  dup2(log.get(), STDOUT_FILENO);
  dup2(log.get(), STDERR_FILENO);
  cpu_set_t all;
  CPU_ZERO(&all);
  for (size_t i = 0; i < CPU_SETSIZE; ++i) {
    CPU_SET(i, &all);
  }
  sched_setaffinity(0, sizeof all, &all);  // of those, the kernel allows what the control group has
}

}  // namespace

Result<Background> Background::enter(const std::string& log) {
  FOREBAY_ASSIGN_OR_RETURN(const FileDescriptor opened, open_log(log));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return errno_status(errno, "a pipe");
  }
  FileDescriptor to_read(ends[0]);
  FileDescriptor to_write(ends[1]);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    return errno_status(errno, "fork");
  }
  if (child > 0) {
    return Background(true, std::move(to_read));
  }
  leave_starter(opened);
  return Background(false, std::move(to_write));
}

Status Background::wait() const {
  std::string said;
  std::array<char, 512> part{};
  for (;;) {
    const ssize_t got = read(pipe_.get(), part.data(), part.size());
    if (got > 0) {
      said.append(part.data(), static_cast<size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      break;
    }
  }
  if (said.empty()) {
    return unavailable("it ended before it was ready");
  }
  return said.front() == kReady ? ok_status() : failed_precondition("{}", said.substr(1));
}

bool Background::tell(const Status& status) {
  const std::string text = status.ok() ? std::string(1, kReady) : kFailed + std::string(message(status));
  const ssize_t written = write(pipe_.get(), text.data(), text.size());
  pipe_ = FileDescriptor();
  return written == static_cast<ssize_t>(text.size());
}

}  // namespace forebay::cli
