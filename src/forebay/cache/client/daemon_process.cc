#include "forebay/cache/client/daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/spawn.h"
#include "forebay/base/system_error.h"
#include "forebay/cache/client/host_connector.h"
#include "forebay/net/local/local_socket.h"
#include "forebay/storage/home/forebay_home.h"

namespace forebay::cache {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(10);

bool is_served(const std::string& socket) {
  return net::connect_locally(socket).ok();
}

/// Looks again and again until `is_done` or the time is over.
template <class IsDone>
bool wait_until(int64_t deadline_ns, const IsDone& is_done) {
  while (!is_done()) {
    if (steady_clock().now_ns() >= deadline_ns) {
      return false;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

Status too_slow(const DaemonStart& start) {
  return make_status(StatusCode::kDeadlineExceeded,
                     "the cache's daemon was not ready after {} s; its log is {}",
                     start.patience_ns / 1'000'000'000, daemon_log(start.home));
}

/// Who has it starts the daemon. It is unlocked by name, since a child that was forked meanwhile has the file
/// open, too; and by the kernel when its holder is killed.
class StartLock {
 public:
  static Result<StartLock> open(const std::string& path) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.is_valid()) {
      return errno_status(errno, path);
    }
    return StartLock(std::move(file));
  }
  StartLock(StartLock&&) = default;
  StartLock& operator=(StartLock&&) = delete;
  ~StartLock() {
    if (file_.is_valid()) {
      flock(file_.get(), LOCK_UN);
    }
  }

  bool take() const { return flock(file_.get(), LOCK_EX | LOCK_NB) == 0; }

 private:
  explicit StartLock(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
};

/// Its standard descriptors lead nowhere or into the log.
Result<pid_t> spawn_daemon(const std::string& program, const std::string& log) {
  Spawn spawn;
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.open(STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  spawn.open(STDERR_FILENO, log, O_WRONLY | O_APPEND);
  return spawn.run(program, {program, "daemon", "--on-demand"});
}

/// Runs the program, whose first process ends once the daemon serves, or cannot.
Status run_program(const DaemonStart& start, const std::string& program, int64_t deadline_ns) {
  FOREBAY_ASSIGN_OR_RETURN(const pid_t child, spawn_daemon(program, daemon_log(start.home)));
  // Where the process ignores or reaps the ends of its children, waitpid() tells nothing; the socket does.
  if (!wait_until(deadline_ns, [child] { return waitpid(child, nullptr, WNOHANG) != 0; })) {
    return too_slow(start);
  }
  return is_served(start.socket)
             ? ok_status()
             : unavailable("the cache's daemon could not be started: {} says why", daemon_log(start.home));
}

std::string name_of_daemon(pid_t pid) {
  return fmt::format("the cache's daemon, process {}", pid);
}

/// The one that serves at a socket.
struct RunningDaemon {
  pid_t pid = 0;
  FileDescriptor process;  // its number could be another's by the time it is used
  FileDescriptor connection;

  /// False if it has ended.
  Result<bool> send(int signal) const {
    if (syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0) {
      return true;
    }
    return errno == ESRCH ? Result<bool>(false) : errno_status(errno, name_of_daemon(pid));
  }
};

/// Nothing if there is none.
Result<std::optional<RunningDaemon>> find_daemon(const std::string& socket) {
  Result<FileDescriptor> connection = net::connect_locally(socket);
  if (says_absent(connection.status())) {
    return std::optional<RunningDaemon>();
  }
  FOREBAY_RETURN_IF_ERROR(connection.status());
  FOREBAY_ASSIGN_OR_RETURN(const net::LocalPeer daemon, net::peer_of(connection->get()));
  FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, daemon.pid, 0)));
  if (!process.is_valid()) {
    return errno == ESRCH ? Result<std::optional<RunningDaemon>>(std::nullopt)
                          : errno_status(errno, name_of_daemon(daemon.pid));
  }
  return std::optional<RunningDaemon>({daemon.pid, std::move(process), *std::move(connection)});
}

/// Whether a descriptor can be read, or has nothing more to read, before the time is over.
bool is_readable(const FileDescriptor& file, int64_t patience_ns) {
  pollfd look = {.fd = file.get(), .events = POLLIN, .revents = 0};
  return poll(&look, 1, static_cast<int>(patience_ns / 1'000'000)) == 1;
}

}  // namespace

std::string daemon_log(const std::string& home) {
  return home + "/daemon.log";
}

std::string find_program(const std::vector<std::string>& programs) {
  for (const std::string& program : programs) {
    if (access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string program = folder + "/forebay";
    if (folder.starts_with('/') && access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return {};
}

Result<bool> start_daemon(const DaemonStart& start) {
  const std::string program = find_program(start.programs);
  if (program.empty()) {
    return not_found(
        "there is no program `forebay` to start the cache's daemon with; in a checkout `make build` builds "
        "it");
  }
  const int64_t deadline_ns = steady_clock().now_ns() + start.patience_ns;
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(start.home));
  FOREBAY_ASSIGN_OR_RETURN(StartLock lock, StartLock::open(start.home + "/daemon.lock"));
  if (!wait_until(deadline_ns, [&] { return lock.take() || is_served(start.socket); })) {
    return too_slow(start);
  }
  if (is_served(start.socket)) {
    return false;
  }
  FOREBAY_RETURN_IF_ERROR(run_program(start, program, deadline_ns));
  return true;
}

Result<bool> stop_daemon(const std::string& socket, int64_t patience_ns) {
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<RunningDaemon> daemon, find_daemon(socket));
  if (!daemon) {
    return false;
  }
  FOREBAY_ASSIGN_OR_RETURN(const bool was_there, daemon->send(SIGTERM));
  if (was_there && !is_readable(daemon->process, patience_ns)) {
    return make_status(StatusCode::kDeadlineExceeded, "{}, has not ended yet", name_of_daemon(daemon->pid));
  }
  return true;
}

Result<bool> reload_daemon(const std::string& socket, int64_t patience_ns) {
  const int64_t deadline_ns = steady_clock().now_ns() + patience_ns;
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<RunningDaemon> daemon, find_daemon(socket));
  if (!daemon) {
    return false;
  }
  FOREBAY_ASSIGN_OR_RETURN(const bool was_there, daemon->send(SIGUSR2));
  const auto has_ended = [&daemon] { return is_readable(daemon->process, 0); };
  // Its end of the connection goes with what it was.
  const auto serves_again = [&] { return is_readable(daemon->connection, 0) && is_served(socket); };
  const bool is_over = wait_until(deadline_ns, [&] { return has_ended() || serves_again(); });
  if (!was_there || has_ended()) {
    return unavailable("{}, has ended; its messages say why", name_of_daemon(daemon->pid));
  }
  if (!is_over) {
    return make_status(StatusCode::kDeadlineExceeded, "{}, does not serve again yet",
                       name_of_daemon(daemon->pid));
  }
  return true;
}

}  // namespace forebay::cache
