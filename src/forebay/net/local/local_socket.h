// Messages between processes of one host, over a Unix socket: bytes, and file descriptors beside them. The
// kernel keeps the bounds of messages (SOCK_SEQPACKET), so one is received whole or not at all, and
// descriptors stay with the message that they were sent with.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::net {

/// Larger messages are refused, by the sender and by the receiver.
inline constexpr size_t kMaxLocalBytes = size_t{64} << 10;
inline constexpr size_t kMaxLocalDescriptors = 16;

struct LocalMessage {
  std::vector<std::byte> bytes;
  std::vector<FileDescriptor> descriptors;  // close-on-exec
};

/// Who is at the other end, as the kernel knows it.
struct LocalPeer {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// A socket that is listened at. While it lives no other process can listen there, also if this one is
/// stopped or does not accept; the socket's file goes with it. Not usable in a forked child.
class LocalListener {
 public:
  LocalListener() = default;
  LocalListener(std::string path, FileDescriptor claim, FileDescriptor socket);
  LocalListener(LocalListener&&) = default;
  LocalListener& operator=(LocalListener&&) noexcept;
  ~LocalListener();

  int socket() const { return socket_.get(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  FileDescriptor claim_;  // a lock on the file `path`.lock
  FileDescriptor socket_;
};

/// What a socket carries: the messages of this file, or plain bytes.
enum class LocalKind { kMessages, kBytes };

/// Listens at `path`, which only this user may connect to. A socket that nobody listens at any more is
/// replaced; already_exists if somebody does, or if what is there is not a socket. invalid_argument for a
/// path that is too long for a socket (107 bytes).
Result<LocalListener> listen_locally(const std::string& path, LocalKind kind = LocalKind::kMessages);

/// Takes the next connection; not waiting, `unavailable` if there is none.
Result<FileDescriptor> accept_locally(int listening);

/// not_found if there is no socket at `path`, unavailable if nobody listens at it; resource_exhausted if
/// somebody does and so many connections wait to be accepted that no more may, as those of a process that is
/// stopped.
Result<FileDescriptor> connect_locally(const std::string& path);

Result<LocalPeer> peer_of(int socket);

/// Sends one message without waiting. False if the other end has to read first.
Result<bool> send_locally(int socket, Bytes bytes, std::span<const int> descriptors = {});

/// Receives one message without waiting; nothing if there is none yet. cancelled once the other end has
/// closed; invalid_argument for a message beyond the limits, which is lost.
Result<bool> receive_locally(int socket, LocalMessage* message);

}  // namespace forebay::net
