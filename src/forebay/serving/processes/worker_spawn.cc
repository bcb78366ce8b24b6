// Starts the process of a model.
#include "forebay/serving/processes/worker_spawn.h"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "forebay/base/spawn.h"

extern char** environ;

namespace forebay::serving {
namespace {

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

}  // namespace

Result<pid_t> spawn_worker(const WorkerCommand& command, int socket, int output) {
  if (command.words.empty()) {
    return invalid_argument("a model's process has no program");
  }
  Spawn spawn;
  spawn.lead_group();  // Ctrl-C is for us, who then end the workers in order
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  FOREBAY_RETURN_IF_ERROR(spawn.give(output, STDOUT_FILENO));
  FOREBAY_RETURN_IF_ERROR(spawn.give(output, STDERR_FILENO));
  FOREBAY_RETURN_IF_ERROR(spawn.give(socket, kWorkerSocket));
  const Result<pid_t> child = spawn.run(command.words.front(), command.words, worker_environment(command));
  return child.ok() ? child : annotate(child.status(), "a model's process cannot be started");
}

}  // namespace forebay::serving
