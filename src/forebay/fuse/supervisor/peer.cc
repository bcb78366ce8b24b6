#include "forebay/fuse/supervisor/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <span>
#include <utility>

#include "forebay/base/spawn.h"
#include "forebay/fuse/supervisor/stop_signals.h"

namespace forebay::fuse {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr size_t kMaxWordBytes = 4096;

FileDescriptor open_process(pid_t pid) {
  return FileDescriptor(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1);
}

}  // namespace

Peer::Peer(pid_t pid, FileDescriptor socket)
    : pid_(pid), process_(open_process(pid)), socket_(std::move(socket)) {
}

// While the socket has no end, its number is that of the process that has made it.
Peer Peer::starter(FileDescriptor socket) {
  ucred made{};
  socklen_t bytes = sizeof(made);
  ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &made, &bytes);
  Peer peer(made.pid, std::move(socket));
  pollfd look = {.fd = peer.socket(), .events = 0, .revents = 0};
  if (::poll(&look, 1, 0) != 0) {
    peer.process_ = FileDescriptor();
  }
  return peer;
}

bool Peer::say(Word word, std::string_view text) const {
  const std::string bytes = static_cast<char>(word) + std::string(text.substr(0, kMaxWordBytes - 1));
  return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes);
}

// One that has ended without having read all is an error first, and then what it had said.
std::optional<SaidWord> Peer::hear() const {
  std::array<char, kMaxWordBytes> bytes{};
  ssize_t got = 0;
  do {
    got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got <= 0) {
    return std::nullopt;
  }
  return SaidWord{static_cast<Word>(bytes[0]), std::string(&bytes[1], static_cast<size_t>(got) - 1)};
}

void Peer::kill() const {
  if (process_.is_valid()) {
    ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  }
}

std::string Peer::collect() const {
  int how = 0;
  pid_t collected = -1;
  do {
    collected = pid_ > 0 ? ::waitpid(pid_, &how, 0) : 0;
  } while (collected < 0 && errno == EINTR);
  if (collected <= 0) {
    return {};
  }
  return WIFSIGNALED(how) ? fmt::format("signal {}", WTERMSIG(how))
                          : fmt::format("status {}", WEXITSTATUS(how));
}

Result<FileDescriptor> take_inherited(int number) {
  if (::fcntl(number, F_SETFD, FD_CLOEXEC) != 0) {
    return failed_precondition("descriptor {} is not there: Forebay itself starts a process of a mount",
                               number);
  }
  return FileDescriptor(number);
}

Result<InheritedDescriptors> take_inherited() {
  InheritedDescriptors taken;
  FOREBAY_ASSIGN_OR_RETURN(taken.device, take_inherited(kDeviceNumber));
  FOREBAY_ASSIGN_OR_RETURN(taken.state, take_inherited(kStateNumber));
  FOREBAY_ASSIGN_OR_RETURN(taken.peer, take_inherited(kPeerNumber));
  return taken;
}

Result<Peer> start_peer(const std::vector<std::string>& words, int device, int state) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno_status(errno, "a socket");
  }
  FileDescriptor ours(ends[0]);
  const FileDescriptor theirs(ends[1]);
  Spawn peer;
  peer.block(stop_signal_set());
  FOREBAY_RETURN_IF_ERROR(peer.give(device, kDeviceNumber));
  FOREBAY_RETURN_IF_ERROR(peer.give(state, kStateNumber));
  FOREBAY_RETURN_IF_ERROR(peer.give(theirs.get(), kPeerNumber));
  FOREBAY_ASSIGN_OR_RETURN(const pid_t child, peer.run(kThisProgram, words));
  return Peer(child, std::move(ours));
}

Status become(const std::vector<std::string>& words, int descriptor) {
  if (descriptor == kDeviceNumber) {
    ::fcntl(descriptor, F_SETFD, 0);
  } else if (descriptor >= 0 && ::dup2(descriptor, kDeviceNumber) < 0) {
    return errno_status(errno, "a descriptor");
  }
  std::fflush(nullptr);
  ::execv(kThisProgram, pointers_to(words).data());
  return errno_status(errno, kThisProgram);
}

}  // namespace forebay::fuse
