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

constexpr int kFirstOfOwn = STDERR_FILENO + 1;
constexpr int kLastOfAll = 65'535;  // those below it that are not given are closed one by one

Status checked_action(int error, int number) {
  return error == 0 ? ok_status() : errno_status(error, fmt::format("descriptor {} of a program", number));
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&files_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&files_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &files_; }

 private:
  posix_spawn_file_actions_t files_;
};

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
  posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &all);
}

Spawn::~Spawn() {
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

void Spawn::open(int number, std::string path, int flags, mode_t mode) {
  given_.push_back({.number = number, .copy = {}, .path = std::move(path), .flags = flags, .mode = mode});
}

Status Spawn::give(int descriptor, int number) {
  FileDescriptor copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstOfOwn));
  if (!copy.is_valid()) {
    return errno_status(errno, "a descriptor for another process");
  }
  given_.push_back({.number = number, .copy = std::move(copy)});
  return ok_status();
}

// Copies are first moved behind all numbers that are given: otherwise one that is given earlier could take
// the place of another.
Status Spawn::add_to(posix_spawn_file_actions_t* files) {
  int behind = kFirstOfOwn;
  for (const Given& given : given_) {
    if (given.number < 0 || given.number > kLastOfAll) {
      return invalid_argument("a program can be given descriptors 0 to {}, not {}", kLastOfAll, given.number);
    }
    behind = std::max(behind, given.number + 1);
  }
  std::vector<bool> is_given(static_cast<size_t>(behind));
  for (Given& given : given_) {
    is_given[static_cast<size_t>(given.number)] = true;
    if (!given.copy.is_valid()) {
      FOREBAY_RETURN_IF_ERROR(checked_action(
          posix_spawn_file_actions_addopen(files, given.number, given.path.c_str(), given.flags, given.mode),
          given.number));
      continue;
    }
    if (given.copy.get() < behind) {
      FileDescriptor moved(::fcntl(given.copy.get(), F_DUPFD_CLOEXEC, behind));
      if (!moved.is_valid()) {
        return errno_status(errno, fmt::format("descriptor {} for another process", given.number));
      }
      given.copy = std::move(moved);
    }
    FOREBAY_RETURN_IF_ERROR(checked_action(
        posix_spawn_file_actions_adddup2(files, given.copy.get(), given.number), given.number));
  }
  for (int number = kFirstOfOwn; number < behind; ++number) {
    if (!is_given[static_cast<size_t>(number)]) {
      FOREBAY_RETURN_IF_ERROR(checked_action(posix_spawn_file_actions_addclose(files, number), number));
    }
  }
  return checked_action(posix_spawn_file_actions_addclosefrom_np(files, behind), behind);
}

Result<pid_t> Spawn::run(const std::string& program, const std::vector<std::string>& words,
                         const std::optional<std::vector<std::string>>& environment) {
  FileActions files;
  if (const Status added = add_to(files.get()); !added.ok()) {
    return annotate(added, program);
  }
  posix_spawnattr_setflags(&attributes_, flags_);
  const std::vector<char*> own = environment ? pointers_to(*environment) : std::vector<char*>();
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), files.get(), &attributes_,
                                 pointers_to(words).data(), environment ? own.data() : environ);
  return error == 0 ? Result<pid_t>(child) : errno_status(error, program);
}

}  // namespace forebay
