// The process of a model: posix_spawn(3) with a clean mask of signals, watched by its pidfd.
#include "forebay/serving/processes/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/units.h"
#include "forebay/serving/processes/worker_spawn.h"

namespace forebay::serving {
namespace {

constexpr int64_t kKillPatienceNs = 5 * kSecond;
/// At most so much of what waits in the pipe is taken in one go, so that one who writes without end is no
/// endless loop here.
constexpr size_t kMaxOutputAtOnce = size_t{1} << 20;

struct DescriptorPair {
  FileDescriptor ours;
  FileDescriptor theirs;
};

Result<DescriptorPair> worker_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno_status(errno, "a socket to a model's process");
  }
  return DescriptorPair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<DescriptorPair> worker_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return errno_status(errno, "a pipe from a model's process");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return DescriptorPair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Status limit_memory(pid_t pid, uint64_t bytes) {
  const rlimit limit = {bytes, bytes};
  if (bytes > 0 && ::prlimit(pid, RLIMIT_DATA, &limit, nullptr) != 0 && errno != ESRCH) {
    return errno_status(errno, fmt::format("limiting the memory of process {}", pid));
  }
  return ok_status();
}

/// Of a child that cannot be watched.
void kill_and_collect(pid_t pid) {
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  const int64_t until_ns = steady_clock().now_ns() + kKillPatienceNs;
  while (::waitpid(pid, nullptr, WNOHANG) == 0 && steady_clock().now_ns() < until_ns) {
    ::poll(nullptr, 0, 1);
  }
}

std::string end_of(const siginfo_t& facts) {
  if (facts.si_code == CLD_EXITED) {
    return fmt::format("ended with exit code {}", facts.si_status);
  }
  std::string text = fmt::format("was killed by signal {} ({})", facts.si_status, strsignal(facts.si_status));
  if (facts.si_status == SIGKILL) {
    text += ", as the kernel does when memory runs out";
  }
  return text;
}

}  // namespace

WorkerProcess::WorkerProcess(pid_t pid, FileDescriptor process, FileDescriptor socket, FileDescriptor output,
                             std::string who)
    : pid_(pid),
      process_(std::move(process)),
      socket_(std::move(socket)),
      output_(std::move(output)),
      who_(std::move(who)) {
}

Result<WorkerProcess> WorkerProcess::start(const WorkerCommand& command, std::string who,
                                           uint64_t memory_limit_bytes) {
  FOREBAY_ASSIGN_OR_RETURN(DescriptorPair sockets, worker_sockets());
  FOREBAY_ASSIGN_OR_RETURN(DescriptorPair pipe, worker_pipe());
  FOREBAY_ASSIGN_OR_RETURN(const pid_t pid, spawn_worker(command, sockets.theirs.get(), pipe.theirs.get()));
  FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.is_valid()) {
    const Status error = errno_status(errno, fmt::format("process {}", pid));
    kill_and_collect(pid);
    return error;
  }
  WorkerProcess worker(pid, std::move(process), std::move(sockets.ours), std::move(pipe.ours),
                       std::move(who));
  FOREBAY_RETURN_IF_ERROR(limit_memory(pid, memory_limit_bytes));
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (!process_.is_valid() || end_) {
    return;
  }
  kill();
  if (ends_within(kKillPatienceNs)) {
    how_it_ended();
  } else {
    log_warning("{}: process {} was killed and has not ended yet", who_, pid_);
  }
}

void WorkerProcess::read_output() {
  std::array<char, 4096> piece;
  for (size_t taken = 0; taken < kMaxOutputAtOnce && !has_output_ended_;) {
    const ssize_t got = ::read(output_.get(), piece.data(), piece.size());
    if (got > 0) {
      taken += static_cast<size_t>(got);
      lines_.add({piece.data(), static_cast<size_t>(got)}, who_);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      has_output_ended_ = got == 0 || errno != EAGAIN;
      return;
    }
  }
}

void WorkerProcess::say_goodbye() const {
  ::shutdown(socket_.get(), SHUT_RDWR);
}

// Its number is that of its group, and nobody else's until it is collected.
void WorkerProcess::kill_group() const {
  siginfo_t facts{};
  if (::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &facts, WEXITED | WNOHANG | WNOWAIT) == 0) {
    ::kill(-pid_, SIGKILL);
  }
}

void WorkerProcess::kill() const {
  kill_group();
  ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
}

bool WorkerProcess::ends_within(int64_t patience_ns) {
  const int64_t until_ns = steady_clock().now_ns() + patience_ns;
  for (;;) {
    const int64_t left_ns = std::max<int64_t>(0, until_ns - steady_clock().now_ns());
    std::array<pollfd, 2> watched = {pollfd{process_.get(), POLLIN, 0},
                                     pollfd{has_output_ended_ ? -1 : output_.get(), POLLIN, 0}};
    const auto left_ms = static_cast<int>(std::min<int64_t>(left_ns / kMillisecond + 1, 60'000));
    ::poll(watched.data(), watched.size(), left_ns == 0 ? 0 : left_ms);
    if (watched[1].revents != 0) {
      read_output();
    }
    if (watched[0].revents != 0) {
      return true;
    }
    if (left_ns == 0) {
      return false;
    }
  }
}

// Where this process ignores or reaps the ends of its children, nothing is known of how this one has ended.
std::string WorkerProcess::how_it_ended() {
  if (!end_) {
    kill_group();
    siginfo_t facts{};
    const int result = ::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &facts, WEXITED | WNOHANG);
    const bool is_known = result == 0 && facts.si_pid != 0;
    end_ = is_known ? end_of(facts) : "has ended";
    if (is_known && facts.si_code == CLD_EXITED) {
      exit_code_ = facts.si_status;
    }
  }
  return *end_;
}

std::optional<int> WorkerProcess::exit_code() {
  how_it_ended();
  return exit_code_;
}

std::string WorkerProcess::obituary() {
  read_output();
  const std::string lines = lines_.text();
  return fmt::format("process {} {}{}{}", pid_, how_it_ended(),
                     lines.empty() ? ", and wrote nothing" : "; it wrote last:\n", lines);
}

}  // namespace forebay::serving
