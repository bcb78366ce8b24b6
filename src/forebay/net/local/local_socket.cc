#include "forebay/net/local/local_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "forebay/base/system_error.h"

namespace forebay::net {
namespace {

constexpr int kBacklog = 128;

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof address.sun_path || path.find('\0') != std::string::npos) {
    return invalid_argument("'{}' cannot name a socket: {} bytes, and at most {} are possible", path,
                            path.size(), sizeof address.sun_path - 1);
  }
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Result<FileDescriptor> new_socket(LocalKind kind) {
  const int type = kind == LocalKind::kMessages ? SOCK_SEQPACKET : SOCK_STREAM;
  FileDescriptor made(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_valid()) {
    return errno_status(errno, "a socket between processes");
  }
  return made;
}

/// Room for the descriptors of one message, aligned as the kernel wants it.
struct alignas(cmsghdr) Control {
  std::array<char, CMSG_SPACE(kMaxLocalDescriptors * sizeof(int))> bytes{};
};

void attach(std::span<const int> descriptors, Control& control, msghdr& header) {
  if (descriptors.empty()) {
    return;
  }
  header.msg_control = control.bytes.data();
  header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());  // copy: some numbers
}

// They are this process's as soon as the message is received, so they are owned before anything is checked.
std::vector<FileDescriptor> take_descriptors(msghdr& header) {
  std::vector<FileDescriptor> taken;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof number);  // copy: a number
      taken.emplace_back(number);
    }
  }
  return taken;
}

bool is_again(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/// Whether the other end has gone.
bool is_gone(int error) {
  return error == EPIPE || error == ECONNRESET || error == ENOTCONN;
}

Status closed() {
  return cancelled("the process at the other end of the socket has gone");
}

/// Whoever has it may listen at `path`; the kernel gives it back when its holder ends.
Result<FileDescriptor> claim_path(const std::string& path) {
  const std::string name = path + ".lock";
  FileDescriptor claim(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!claim.is_valid()) {
    return errno_status(errno, name);
  }
  if (flock(claim.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK
               ? Result<FileDescriptor>(already_exists("another process listens at {}", path))
               : errno_status(errno, name);
  }
  return claim;
}

/// The socket of a process that was killed. Only for who has the claim.
Status remove_left_socket(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? ok_status() : errno_status(errno, path);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return already_exists("{}: there is something that is not a socket", path);
  }
  return unlink(path.c_str()) == 0 || errno == ENOENT ? ok_status() : errno_status(errno, path);
}

}  // namespace

LocalListener::LocalListener(std::string path, FileDescriptor claim, FileDescriptor socket)
    : path_(std::move(path)), claim_(std::move(claim)), socket_(std::move(socket)) {
}

LocalListener& LocalListener::operator=(LocalListener&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(claim_, other.claim_);
  std::swap(socket_, other.socket_);
  return *this;
}

// The claim is given up by name, since a child that was forked meanwhile has the file open, too.
LocalListener::~LocalListener() {
  if (socket_.is_valid()) {
    unlink(path_.c_str());
    flock(claim_.get(), LOCK_UN);
  }
}

Result<FileDescriptor> connect_locally(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const sockaddr_un address, address_of(path));
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor made, new_socket(LocalKind::kMessages));
  if (connect(made.get(), generic(address), sizeof address) == 0) {
    return made;
  }
  if (errno == ECONNREFUSED) {
    return unavailable("nobody answers at {}", path);
  }
  if (errno == EAGAIN) {
    return resource_exhausted("{}: the process that listens there accepts no connections; it may be stopped",
                              path);
  }
  return errno_status(errno, path);
}

Result<LocalListener> listen_locally(const std::string& path, LocalKind kind) {
  FOREBAY_ASSIGN_OR_RETURN(const sockaddr_un address, address_of(path));
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor claim, claim_path(path));
  FOREBAY_RETURN_IF_ERROR(remove_left_socket(path));
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor made, new_socket(kind));
  // The socket gets the permissions of its descriptor, so nobody else can connect at any time.
  if (fchmod(made.get(), S_IRUSR | S_IWUSR) != 0 || bind(made.get(), generic(address), sizeof address) != 0) {
    return errno_status(errno, path);
  }
  LocalListener listener(path, std::move(claim), std::move(made));
  if (listen(listener.socket(), kBacklog) != 0) {
    return errno_status(errno, path);
  }
  return listener;
}

Result<FileDescriptor> accept_locally(int listening) {
  FileDescriptor taken(accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (taken.is_valid()) {
    return taken;
  }
  if (is_again(errno) || errno == ECONNABORTED) {
    return unavailable("no connection is waiting");
  }
  return errno_status(errno, "a connection between processes");
}

Result<LocalPeer> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return errno_status(errno, "the process at the other end of a socket");
  }
  return LocalPeer{.pid = peer.pid, .uid = peer.uid, .gid = peer.gid};
}

Result<bool> send_locally(int socket, Bytes bytes, std::span<const int> descriptors) {
  if (bytes.empty() || bytes.size() > kMaxLocalBytes || descriptors.size() > kMaxLocalDescriptors) {
    return invalid_argument(
        "a message of {} bytes with {} descriptors; 1 to {} bytes and {} descriptors are possible",
        bytes.size(), descriptors.size(), kMaxLocalBytes, kMaxLocalDescriptors);
  }
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  Control control;
  attach(descriptors, control, header);
  if (sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
    return true;
  }
  // ETOOMANYREFS: as many descriptors are under way as this user may have open.
  if (is_again(errno) || errno == ENOBUFS || errno == ETOOMANYREFS) {
    return false;
  }
  return is_gone(errno) ? closed() : errno_status(errno, "a message to another process");
}

Result<bool> receive_locally(int socket, LocalMessage* message) {
  message->bytes.resize(kMaxLocalBytes);
  iovec part{message->bytes.data(), message->bytes.size()};
  Control control;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  const ssize_t size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (size < 0) {
    message->bytes.clear();
    if (is_again(errno)) {
      return false;
    }
    return is_gone(errno) ? closed() : errno_status(errno, "a message from another process");
  }
  message->descriptors = take_descriptors(header);
  message->bytes.resize(static_cast<size_t>(size));
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    message->descriptors.clear();
    return invalid_argument("a message with more than {} bytes or {} descriptors", kMaxLocalBytes,
                            kMaxLocalDescriptors);
  }
  if (size == 0) {
    return closed();
  }
  return true;
}

}  // namespace forebay::net
