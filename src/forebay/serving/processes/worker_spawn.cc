// Starts the process of a model: posix_spawn(3), which copies no page tables of ours and runs no code of
// ours.
#include "forebay/serving/processes/worker_spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "forebay/base/file_descriptor.h"

extern char** environ;

namespace forebay::serving {
namespace {

constexpr int kBehindWorkerSocket = 16;  // numbers that the worker's own descriptors do not have

std::vector<char*> spawn_words(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// Our environment with `own`, which come first: of a name that is there twice the first counts.
std::vector<std::string> worker_environment(const WorkerCommand& command) {
  std::vector<std::string> all = command.environment;
  all.push_back(fmt::format("{}={}", kWorkerParent, ::getpid()));
  const auto is_given = [&all, own = all.size()](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    for (size_t i = 0; i < own; ++i) {
      if (all[i].starts_with(name)) {
        return true;
      }
    }
    return false;
  };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_given(*variable)) {
      all.emplace_back(*variable);
    }
  }
  return all;
}

class WorkerSpawn {
 public:
  WorkerSpawn() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);  // Ctrl-C is for us, who then end the workers in order
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~WorkerSpawn() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  WorkerSpawn(const WorkerSpawn&) = delete;
  WorkerSpawn& operator=(const WorkerSpawn&) = delete;

  void set_descriptors(int socket, int output) {
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files_, socket, kWorkerSocket);
    posix_spawn_file_actions_addclosefrom_np(&files_, kWorkerSocket + 1);
  }

  Result<pid_t> run(const WorkerCommand& command) const {
    const std::vector<std::string> environment = worker_environment(command);
    const std::string& program = command.words.front();
    pid_t child = 0;
    const int error = posix_spawnp(&child, program.c_str(), &files_, &attributes_,
                                   spawn_words(command.words).data(), spawn_words(environment).data());
    return error == 0 ? Result<pid_t>(child)
                      : annotate(errno_status(error, program), "a model's process cannot be started");
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Result<pid_t> spawn_worker(const WorkerCommand& command, int socket, int output) {
  if (command.words.empty()) {
    return invalid_argument("a model's process has no program");
  }
  const FileDescriptor high_socket(::fcntl(socket, F_DUPFD_CLOEXEC, kBehindWorkerSocket));
  const FileDescriptor high_output(::fcntl(output, F_DUPFD_CLOEXEC, kBehindWorkerSocket));
  if (!high_socket.is_valid() || !high_output.is_valid()) {
    return errno_status(errno, "a descriptor for a model's process");
  }
  WorkerSpawn spawn;
  spawn.set_descriptors(high_socket.get(), high_output.get());
  return spawn.run(command);
}

}  // namespace forebay::serving
