// A program started by a test, its output read line by line.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace forebay::end_to_end {

class ChildProcess {
 public:
  /// Starts `arguments[0]`. Standard error goes with standard output.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The next line without its end; nothing when the output has ended.
  std::optional<std::string> read_line();
  /// SIGKILL; returns when the process is gone.
  void kill();
  /// Waits for its end; the exit code, or minus the signal that ended it.
  int wait();

 private:
  pid_t pid_ = -1;
  std::FILE* output_ = nullptr;
};

/// All lines of a program that ends by itself; `exit_code` as ChildProcess::wait() gives it.
struct ProgramOutput {
  std::vector<std::string> lines;
  int exit_code = 0;
};
ProgramOutput output_of(const std::vector<std::string>& arguments);

}  // namespace forebay::end_to_end
