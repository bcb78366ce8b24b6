#include "forebay/base/spawn.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "forebay/base/system_error.h"

extern char** environ;

namespace forebay {
namespace {

constexpr int kOutOfTheWay = 64;  // numbers that nobody gives descriptors as

}  // namespace

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

Spawn::Spawn() {
  posix_spawn_file_actions_init(&files_);
  posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &all);
}

Spawn::~Spawn() {
  posix_spawn_file_actions_destroy(&files_);
  posix_spawnattr_destroy(&attributes_);
}

void Spawn::block(const sigset_t& signals) {
  posix_spawnattr_setsigmask(&attributes_, &signals);
  flags_ = static_cast<short>(flags_ & ~POSIX_SPAWN_SETSIGDEF);
}

void Spawn::lead_group() {
  posix_spawnattr_setpgroup(&attributes_, 0);
  flags_ = static_cast<short>(flags_ | POSIX_SPAWN_SETPGROUP);
}

void Spawn::open(int number, const std::string& path, int flags, mode_t mode) {
  posix_spawn_file_actions_addopen(&files_, number, path.c_str(), flags, mode);
  behind_ = std::max(behind_, number + 1);
}

// By way of a number that is given to nothing: otherwise one that is given first could take its place.
Status Spawn::give(int descriptor, int number) {
  FileDescriptor out_of_the_way(::fcntl(descriptor, F_DUPFD_CLOEXEC, kOutOfTheWay));
  if (!out_of_the_way.is_valid()) {
    return errno_status(errno, "a descriptor for another process");
  }
  posix_spawn_file_actions_adddup2(&files_, out_of_the_way.get(), number);
  behind_ = std::max(behind_, number + 1);
  kept_.push_back(std::move(out_of_the_way));
  return ok_status();
}

Result<pid_t> Spawn::run(const std::string& program, const std::vector<std::string>& words,
                         const std::optional<std::vector<std::string>>& environment) {
  posix_spawn_file_actions_addclosefrom_np(&files_, behind_);
  posix_spawnattr_setflags(&attributes_, flags_);
  const std::vector<char*> own = environment ? pointers_to(*environment) : std::vector<char*>();
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &files_, &attributes_, pointers_to(words).data(),
                                 environment ? own.data() : environ);
  return error == 0 ? Result<pid_t>(child) : errno_status(error, program);
}

}  // namespace forebay
