#include "forebay/fuse/mounts/fusermount.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "forebay/fuse/mounts/mount_point.h"

extern char** environ;

namespace forebay::fuse {
namespace {

constexpr int kSocketOfProgram = 3;

/// Commas divide options there.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char each : text) {
    safe += each == ',' || each == '\\' ? std::string("\\") + each : std::string(1, each);
  }
  return safe;
}

/// Starts a program, and gives it a socket if there is one. Its messages are this program's.
Result<pid_t> start(const std::vector<std::string>& words, int socket) {
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  std::string place = "_FUSE_COMMFD=" + std::to_string(kSocketOfProgram);
  std::vector<char*> variables = {place.data()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (socket >= 0) {
    posix_spawn_file_actions_adddup2(&actions, socket, kSocketOfProgram);
  }
  pid_t process = 0;
  const int error =
      ::posix_spawnp(&process, words[0].c_str(), &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT || error == EACCES) {  // the second also where a folder of PATH may not be looked into
    return failed_precondition(
        "only root may mount, and others by the program {}, which is not found: install the package fuse3",
        words[0]);
  }
  if (error != 0) {
    return errno_status(error, words[0]);
  }
  return process;
}

bool has_succeeded(pid_t process) {
  int how = 0;
  while (::waitpid(process, &how, 0) < 0) {
    if (errno != EINTR) {
      return false;
    }
  }
  return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

/// The descriptor that comes over the socket; none if the other end closes it.
FileDescriptor receive_descriptor(int socket) {
  char byte = 0;
  iovec part = {&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) {
    return {};
  }
  int number = -1;
  std::memcpy(&number, CMSG_DATA(header), sizeof(number));
  return FileDescriptor(number);
}

}  // namespace

Result<FileDescriptor> mount_by_program(const MountPointOptions& options, const std::string& program) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno_status(errno, "a socket");
  }
  const FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  const std::string settings = fmt::format("{},nosuid,nodev,default_permissions,subtype=forebay,fsname={}{}",
                                           options.is_read_only ? "ro" : "rw", escaped(options.source),
                                           options.is_for_others ? ",allow_other" : "");
  FOREBAY_ASSIGN_OR_RETURN(const pid_t process,
                           start({program, "-o", settings, "--", options.path}, theirs.get()));
  theirs = FileDescriptor();
  FileDescriptor device = receive_descriptor(ours.get());
  const bool is_mounted = has_succeeded(process);
  if (is_mounted && !device.is_valid()) {
    unmount_by_program(options.path, true, program).IgnoreError();
  }
  if (!is_mounted || !device.is_valid()) {
    return failed_precondition(
        "{}: {} has not mounted it{}", options.path, program,
        options.is_for_others ? "; --allow-other needs user_allow_other in /etc/fuse.conf" : "");
  }
  return device;
}

Status unmount_by_program(const std::string& path, bool at_once, const std::string& program) {
  std::vector<std::string> words = {program, "-u"};
  if (at_once) {
    words.emplace_back("-z");
  }
  words.insert(words.end(), {"--", path});
  FOREBAY_ASSIGN_OR_RETURN(const pid_t process, start(words, -1));
  return has_succeeded(process) ? ok_status()
                                : failed_precondition("{}: {} has not unmounted it", path, program);
}

}  // namespace forebay::fuse
