#include "forebay/storage/testing/server_process.h"

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
#include <iterator>
#include <set>
#include <sstream>

#include "forebay/base/check.h"

namespace forebay::storage {
namespace {

constexpr int kMsBetweenLooks = 5;

/// As execve() wants it; valid as long as `texts`.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

pid_t start_server(const std::vector<std::string>& words, const std::vector<std::string>& settings) {
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(settings);
  const pid_t starter = ::getpid();
  const pid_t process = ::fork();
  FOREBAY_CHECK(process >= 0);
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const bool is_ready = ::getppid() == starter && ::dup2(nowhere, 0) == 0 && ::dup2(nowhere, 1) == 1 &&
                          ::dup2(nowhere, 2) == 2;
    if (!is_ready) {
      ::_exit(126);
    }
    ::execve(arguments[0], arguments.data(), environment.data());
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

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string server_file(const std::string& name) {
  if (const char* const folder = std::getenv("FOREBAY_TEST_SERVERS")) {
    const std::string path = fmt::format("{}/{}", folder, name);
    return ::access(path.c_str(), R_OK) == 0 ? path : "";
  }
  // Test programs lie some folders below build/.
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    const std::filesystem::path path = folder / "servers" / name;
    if (::access(path.c_str(), R_OK) == 0) {
      return path.string();
    }
  }
  return {};
}

std::string program_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = fmt::format("{}/{}", folder, name);
    if (::access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return {};
}

ServerProcess::ServerProcess(const std::vector<std::string>& words, const std::vector<std::string>& settings)
    : process_(start_server(words, settings)),
      ended_(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0))) {
}

ServerProcess::~ServerProcess() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  ::close(ended_);
}

bool ServerProcess::has_ended() const {
  pollfd ended = {ended_, POLLIN, 0};
  return ::poll(&ended, 1, kMsBetweenLooks) != 0;
}

int ServerProcess::wait_for_port() const {
  int port = 0;
  while ((port = listening_port(process_)) == 0) {
    FOREBAY_CHECK(!has_ended());
  }
  return port;
}

void ServerProcess::wait_for_text(const std::string& file, const std::string& text) const {
  while (!text_of_file(file).ends_with(text)) {
    FOREBAY_CHECK(!has_ended());
  }
}

}  // namespace forebay::storage
