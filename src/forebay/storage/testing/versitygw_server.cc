#include "forebay/storage/testing/versitygw_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "forebay/base/check.h"

namespace forebay::storage {
namespace {

constexpr char kHost[] = "127.0.0.1";
constexpr int kMsBetweenLooks = 5;

pid_t start_versitygw(const std::string& program, const std::string& folder) {
  const std::string id = fmt::format("ROOT_ACCESS_KEY={}", VersitygwServer::kAccessKeyId);
  const std::string secret = fmt::format("ROOT_SECRET_KEY={}", VersitygwServer::kSecretAccessKey);
  const std::string address = fmt::format("{}:0", kHost);
  const char* const words[] = {program.c_str(),    "--port",    address.c_str(), "--keep-alive",
                               "--virtual-domain", "localhost", "--quiet",       "posix",
                               folder.c_str(),     nullptr};
  const char* const settings[] = {id.c_str(), secret.c_str(), nullptr};
  const pid_t starter = ::getpid();
  const pid_t process = ::fork();
  FOREBAY_CHECK(process >= 0);
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (::getppid() != starter || ::dup2(nowhere, 0) < 0 || ::dup2(nowhere, 1) < 0) {
      ::_exit(126);
    }
    ::execve(program.c_str(), const_cast<char**>(words), const_cast<char**>(settings));
    ::_exit(127);
  }
  return process;
}

/// The sockets that a process has open, by their numbers in /proc.
std::set<std::string> sockets_of(pid_t process) {
  std::set<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", process), error)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (target.starts_with("socket:[")) {
      found.insert(target.substr(8, target.size() - 9));
    }
  }
  return found;
}

/// The port on which a process listens; 0: it does not yet.
int listening_port(pid_t process) {
  constexpr char kListening[] = "0A";
  const std::set<std::string> sockets = sockets_of(process);
  std::ifstream table("/proc/net/tcp");
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream columns(line);
    std::string slot, local, remote, state, queues, timer, retransmits, user, timeout, socket;
    columns >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >>
        socket;
    if (state == kListening && sockets.contains(socket)) {
      return std::stoi(local.substr(local.find(':') + 1), nullptr, 16);
    }
  }
  return 0;
}

/// Looks until the server listens, or has ended.
int wait_for_port(pid_t process) {
  pollfd ended = {static_cast<int>(::syscall(SYS_pidfd_open, process, 0)), POLLIN, 0};
  int port = 0;
  while ((port = listening_port(process)) == 0 && ::poll(&ended, 1, kMsBetweenLooks) == 0) {
  }
  ::close(ended.fd);
  return port;
}

}  // namespace

std::string VersitygwServer::program() {
  if (const char* const folder = std::getenv("FOREBAY_TEST_SERVERS")) {
    const std::string path = fmt::format("{}/versitygw", folder);
    return ::access(path.c_str(), X_OK) == 0 ? path : "";
  }
  // Test programs lie some folders below build/.
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    const std::filesystem::path path = folder / "servers" / "versitygw";
    if (::access(path.c_str(), X_OK) == 0) {
      return path.string();
    }
  }
  return {};
}

VersitygwServer::VersitygwServer() {
  process_ = start_versitygw(program(), directory_.path());
  port_ = wait_for_port(process_);
  FOREBAY_CHECK(port_ > 0);
}

VersitygwServer::~VersitygwServer() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

VersitygwServer& VersitygwServer::shared() {
  static VersitygwServer server;
  return server;
}

std::string VersitygwServer::endpoint() const {
  return fmt::format("http://{}:{}", kHost, port_);
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
