// The kernel's side, played by a test: requests as it writes them, and answers as it reads them.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/protocol/protocol.h"
#include "forebay/fuse/protocol/replies.h"

namespace forebay::fuse {

template <class Value>
std::string bytes_of_value(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <class Value>
Value value_of_bytes(std::string_view bytes) {
  Value value{};
  if (bytes.size() >= sizeof(value)) {
    std::memcpy(&value, bytes.data(), sizeof(value));
  }
  return value;
}

inline std::string request_bytes(Opcode opcode, uint64_t node, std::string_view body, uint64_t unique = 2) {
  const InHeader header = {.bytes = static_cast<uint32_t>(sizeof(InHeader) + body.size()),
                           .opcode = static_cast<uint32_t>(opcode),
                           .unique = unique,
                           .node = node};
  return bytes_of_value(header) + std::string(body);
}

inline std::string with_nul(std::string_view name) {
  return std::string(name) + '\0';
}

inline std::string init_body(uint32_t major = kMajor, uint32_t minor = 45) {
  return bytes_of_value(InitIn{.major = major, .minor = minor, .max_readahead = 131072, .flags = ~0u}) +
         std::string(48, '\0');
}

inline std::string read_body(uint64_t handle, uint64_t offset, uint32_t size) {
  return bytes_of_value(ReadIn{.handle = handle, .offset = offset, .size = size});
}

struct KernelAnswer {
  int error = 0;
  std::string bytes;
};

/// Takes answers, or hears none of them, as the kernel does where nobody waits any more.
class KeptReplies final : public Replies {
 public:
  bool send(uint64_t unique, int error, std::span<const Bytes> parts) override {
    if (!is_heard) {
      return false;
    }
    KernelAnswer answer = {.error = error};
    for (const Bytes part : parts) {
      answer.bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
      ++parts_sent;
    }
    answers[unique] = std::move(answer);
    return true;
  }

  bool is_heard = true;
  int parts_sent = 0;
  std::map<uint64_t, KernelAnswer> answers;
};

/// One entry of a directory, as readdir and readdirplus give it.
struct SeenEntry {
  std::string name;
  DirectoryEntry listed{};
  EntryOut entry{};
};

inline std::vector<SeenEntry> seen_entries(std::string_view bytes, bool with_attributes) {
  std::vector<SeenEntry> seen;
  while (!bytes.empty()) {
    SeenEntry each;
    if (with_attributes) {
      each.entry = value_of_bytes<EntryOut>(bytes);
      bytes.remove_prefix(sizeof(EntryOut));
    }
    each.listed = value_of_bytes<DirectoryEntry>(bytes);
    bytes.remove_prefix(sizeof(DirectoryEntry));
    each.name = std::string(bytes.substr(0, each.listed.name_bytes));
    bytes.remove_prefix((each.listed.name_bytes + 7) / 8 * 8);
    seen.push_back(std::move(each));
  }
  return seen;
}

/// /dev/fuse without a kernel: a socket that keeps messages whole.
class SocketKernel {
 public:
  SocketKernel() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0) {
      ours_ = FileDescriptor(ends[0]);
      theirs_ = FileDescriptor(ends[1]);
    }
  }

  FileDescriptor take_device() { return std::move(theirs_); }
  void ask(const std::string& message) const {
    if (::send(ours_.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0) {
      ours_failed = true;
    }
  }
  /// The next answer, whichever it is.
  std::pair<OutHeader, std::string> next() const {
    std::string bytes(size_t{2} << 20, '\0');
    const ssize_t got = ::recv(ours_.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
    const auto header = value_of_bytes<OutHeader>(bytes);
    return {header, bytes.size() < sizeof(header) ? std::string() : bytes.substr(sizeof(header))};
  }
  void unmount() { ours_ = FileDescriptor(); }

  mutable bool ours_failed = false;

 private:
  FileDescriptor ours_;
  FileDescriptor theirs_;
};

}  // namespace forebay::fuse
