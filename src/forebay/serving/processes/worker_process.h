// The process that a model runs in, as its parent sees it: started, watched, ended.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/serving/processes/last_lines.h"
#include "forebay/serving/processes/worker_command.h"

namespace forebay::serving {

/// Not thread safe. The worker ends with the thread that has started it (PR_SET_PDEATHSIG), so that thread
/// must outlive it. Its standard output and error are one pipe, read by read_output().
class WorkerProcess {
 public:
  /// `who` names the model in the log. `memory_limit_bytes` above 0 bounds what the process may allocate for
  /// itself (RLIMIT_DATA; shared memory does not count).
  static Result<WorkerProcess> start(const WorkerCommand& command, std::string who,
                                     uint64_t memory_limit_bytes);

  WorkerProcess(WorkerProcess&&) = default;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  /// Kills it if it still runs, and what it has started, and waits for that, for some seconds at most.
  ~WorkerProcess();

  pid_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }    // does not wait
  int process() const { return process_.get(); }  // a pidfd: readable once it has ended
  int output() const { return output_.get(); }

  /// Takes what is in the pipe now.
  void read_output();
  /// Whether there is nothing more to read from output(), ever.
  bool has_output_ended() const { return has_output_ended_; }

  /// Says that no more requests come: a worker that waits for the next ends itself.
  void say_goodbye() const;
  /// With all that it has started (its process group).
  void kill() const;
  /// Whether it has ended, or does before `patience_ns` are over. Reads its output meanwhile.
  bool ends_within(int64_t patience_ns);
  /// How it has ended, "was killed by signal 11 (Segmentation fault)", and its last lines. Once it has.
  std::string obituary();
  /// Its exit code, once it has ended; nothing where a signal ended it, or it is not known.
  std::optional<int> exit_code();
  std::string last_lines() const { return lines_.text(); }

 private:
  WorkerProcess(pid_t pid, FileDescriptor process, FileDescriptor socket, FileDescriptor output,
                std::string who);
  /// Ends what it has started, and collects it.
  std::string how_it_ended();
  void kill_group() const;

  pid_t pid_;
  FileDescriptor process_;
  FileDescriptor socket_;
  FileDescriptor output_;
  std::string who_;
  LastLines lines_;
  bool has_output_ended_ = false;
  std::optional<std::string> end_;
  std::optional<int> exit_code_;
};

}  // namespace forebay::serving
