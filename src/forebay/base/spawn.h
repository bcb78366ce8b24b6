// Starts programs: posix_spawn(3), which copies no page tables of ours and runs no code of ours.
#pragma once

#include <signal.h>
#include <spawn.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay {

/// As execv(3) takes words; valid as long as they are.
std::vector<char*> pointers_to(const std::vector<std::string>& words);

/// What a program begins with: no signal that is blocked or ignored, and of our descriptors those that are
/// given to it, and the standard ones where they are not given. One thread.
class Spawn {
 public:
  Spawn();
  ~Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  /// These are blocked, and what we ignore is ignored.
  void block(const sigset_t& signals);
  /// Its process group is its own: Ctrl-C at our terminal is not for it.
  void lead_group();

  /// It has the file as descriptor `number`. As open(2); errors are those of run().
  void open(int number, std::string path, int flags, mode_t mode = 0);
  /// It has `descriptor`, which stays the caller's, as `number`, at most 65535; of several with one number
  /// the last.
  Status give(int descriptor, int number);

  /// Starts the program, named by its path or, without a slash, as it is found on PATH, with `words`, of
  /// which the first is its name. `environment`: "NAME=value" each; ours where there is none. The error names
  /// the program.
  Result<pid_t> run(const std::string& program, const std::vector<std::string>& words,
                    const std::optional<std::vector<std::string>>& environment = std::nullopt);

 private:
  /// A descriptor that it has: a copy of ours, or a file that it opens.
  struct Given {
    int number = 0;
    FileDescriptor copy;
    std::string path;
    int flags = 0;
    mode_t mode = 0;
  };

  Status add_to(posix_spawn_file_actions_t* files);

  posix_spawnattr_t attributes_;
  short flags_ = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  std::vector<Given> given_;
};

}  // namespace forebay
