// A request of the kernel, decoded. Nothing that it says is believed before it is checked: sizes, counts and
// names lie within the message.
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/fuse/protocol/protocol.h"

namespace forebay::fuse {

struct Init {
  uint32_t major = 0;
  uint32_t minor = 0;
  uint32_t max_readahead = 0;
  uint64_t flags = 0;  // both halves
};

/// Names are not empty, hold neither NUL nor a slash, and may be any bytes else.
struct Lookup {
  std::string_view name;
};

struct Forget {
  std::vector<ForgetOne> nodes;
};

struct GetAttributes {};

struct Open {
  uint32_t flags = 0;
};
/// By the flags of open(2).
inline bool wants_to_write(uint32_t flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
}
struct OpenDirectory {};

struct Read {
  uint64_t handle = 0;
  uint64_t offset = 0;
  uint32_t size = 0;
};
struct ReadDirectory {
  uint64_t handle = 0;
  uint64_t offset = 0;
  uint32_t size = 0;
  bool with_attributes = false;
};

struct Release {
  uint64_t handle = 0;
};
struct ReleaseDirectory {
  uint64_t handle = 0;
};

struct StatFileSystem {};

/// A `size` of 0 asks how large the value is.
struct GetXattr {
  std::string_view name;
  uint32_t size = 0;
};
struct ListXattr {
  uint32_t size = 0;
};

struct Access {
  uint32_t mask = 0;
};
struct Interrupt {
  uint64_t unique = 0;  // of the request that nobody waits for any more
};
struct Destroy {};

struct Create {
  std::string_view name;
  uint32_t flags = 0;
};
struct MakeNode {
  std::string_view name;
  uint32_t mode = 0;
};
struct MakeDirectory {
  std::string_view name;
};
struct Unlink {
  std::string_view name;
};
struct RemoveDirectory {
  std::string_view name;
};
struct Rename {
  std::string_view name;
  uint64_t new_folder = 0;
  std::string_view new_name;
  uint32_t flags = 0;  // as of renameat2(2)
};

/// Borrows its bytes.
struct Write {
  uint64_t handle = 0;
  uint64_t offset = 0;
  Bytes bytes;
  uint64_t owner = 0;  // who writes
};
/// A descriptor was closed; there may be others of the same file.
struct Flush {
  uint64_t handle = 0;
  uint64_t owner = 0;  // who had it
};
struct Sync {
  uint64_t handle = 0;
};
struct SyncDirectory {};

struct SetAttributes {
  uint32_t valid = 0;  // of SetFlag
  uint64_t handle = 0;
  uint64_t size = 0;
  uint32_t mode = 0;
};

/// What would change something that no object has; answered by its kind.
struct Change {};
/// What is known to nobody here.
struct Unknown {};

using Operation = std::variant<Init, Lookup, Forget, GetAttributes, Open, OpenDirectory, Read, ReadDirectory,
                               Release, ReleaseDirectory, StatFileSystem, GetXattr, ListXattr, Access,
                               Interrupt, Destroy, Create, MakeNode, MakeDirectory, Unlink, RemoveDirectory,
                               Rename, Write, Flush, Sync, SyncDirectory, SetAttributes, Change, Unknown>;

/// Borrows names and bytes from the message.
struct Request {
  InHeader header{};
  Operation operation;
};

/// The header alone, to which an error can be answered. data_loss for a message that is shorter than a
/// header, or not as long as it says.
Result<InHeader> decode_header(Bytes message);

/// data_loss, with the opcode, for what is too short, too long, or has a name that is none.
Result<Request> decode_request(Bytes message);

}  // namespace forebay::fuse
