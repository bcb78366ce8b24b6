// The two processes of a mount, to each other: the supervisor, which holds what must not go, and the server,
// which answers the kernel. Each notices the other's end, and starts another one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::fuse {

enum class Word : char {
  kReady = 'r',   // the server: the mount answers
  kGo = 'g',      // the supervisor: who started it hears that; from now on it outlives either process
  kEnding = 'e',  // the server: it has been told to end the mount
  kEnded = 'x',   // the server: it ends now, with the text of an error or none
  kStop = 's',    // the supervisor: the mount is to end
};

struct SaidWord {
  Word word = Word::kReady;
  std::string text;
};

/// The other process, as one of them has it.
class Peer {
 public:
  /// Of a process that has been started with the other end of this socket.
  Peer(pid_t pid, FileDescriptor socket);
  /// Of the process that has started this one with this socket.
  static Peer starter(FileDescriptor socket);

  int socket() const { return socket_.get(); }
  /// False if nobody hears it.
  bool say(Word word, std::string_view text = {}) const;
  /// What it says next; nothing once it has ended, however that came. Waits.
  std::optional<SaidWord> hear() const;
  void kill() const;
  /// How it has ended, for the log, if it was this process's child: "signal 9", "status 1"; else empty. To
  /// be called after its end was heard; waits until it has gone.
  std::string collect() const;

 private:
  pid_t pid_;
  FileDescriptor process_;  // its number could be another's by the time it is used
  FileDescriptor socket_;
};

/// What a process of a mount is started with, by these numbers.
inline constexpr int kDeviceNumber = 3;
inline constexpr int kStateNumber = 4;
inline constexpr int kPeerNumber = 5;

struct InheritedDescriptors {
  FileDescriptor device;
  FileDescriptor state;
  FileDescriptor peer;
};
/// Takes them, once; no process that this one starts has them. failed_precondition if they are not there.
Result<InheritedDescriptors> take_inherited();
/// One of them alone.
Result<FileDescriptor> take_inherited(int number);

/// Starts this very program, also where its file was replaced, with these words, the first of which is its
/// name, and with the device, the state and a way to this process. Signals that ask it to end wait until it
/// takes them.
Result<Peer> start_peer(const std::vector<std::string>& words, int device, int state);

/// Runs this very program in place of what this process does, with a descriptor as kDeviceNumber, if there is
/// one. Returns only if that fails.
Status become(const std::vector<std::string>& words, int descriptor);

}  // namespace forebay::fuse
