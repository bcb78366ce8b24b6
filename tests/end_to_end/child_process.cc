#include "child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "forebay/base/check.h"
#include "forebay/base/testing/wait_for_child.h"

extern char** environ;

namespace forebay::end_to_end {

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends;
  FOREBAY_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  FOREBAY_CHECK(::posix_spawn(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ::fdopen(ends[0], "r");
}

ChildProcess::~ChildProcess() {
  kill();
  std::fclose(output_);
}

std::optional<std::string> ChildProcess::read_line() {
  std::string line;
  for (int character = std::fgetc(output_); character != EOF; character = std::fgetc(output_)) {
    if (character == '\n') {
      return line;
    }
    line.push_back(static_cast<char>(character));
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

void ChildProcess::kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait();
  }
}

int ChildProcess::wait() {
  int status = 0;
  wait_for_child(pid_, &status);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

ProgramOutput output_of(const std::vector<std::string>& arguments) {
  ProgramOutput output;
  ChildProcess child(arguments);
  while (auto line = child.read_line()) {
    output.lines.push_back(*std::move(line));
  }
  output.exit_code = child.wait();
  return output;
}

}  // namespace forebay::end_to_end
