#include "forebay/fuse/protocol/request.h"

#include <cstring>
#include <utility>

namespace forebay::fuse {
namespace {

/// Takes a request apart from its beginning on. After an error nothing more is taken.
class BodyReader {
 public:
  explicit BodyReader(Bytes body) : rest_(body) {}

  template <class Argument>
  Argument take() {
    Argument argument{};
    if (rest_.size() < sizeof(argument)) {
      is_sound_ = false;
      return argument;
    }
    std::memcpy(&argument, rest_.data(), sizeof(argument));
    rest_ = rest_.subspan(sizeof(argument));
    return argument;
  }

  /// Up to the NUL with which the request ends.
  std::string_view take_name() {
    const std::string_view name = take_first_name();
    if (!rest_.empty()) {
      is_sound_ = false;
      return {};
    }
    return name;
  }

  /// Up to a NUL, behind which another name follows.
  std::string_view take_first_name() {
    const std::string_view text(reinterpret_cast<const char*>(rest_.data()), rest_.size());
    const size_t end = text.find('\0');
    const std::string_view name = text.substr(0, end);
    if (end == std::string_view::npos || name.empty() || name.find('/') != std::string_view::npos) {
      is_sound_ = false;
      return {};
    }
    rest_ = rest_.subspan(end + 1);
    return name;
  }

  /// All that is left, which has to be so many.
  Bytes take_bytes(size_t count) {
    if (rest_.size() != count) {
      is_sound_ = false;
      return {};
    }
    return std::exchange(rest_, {});
  }

  /// Newer kernels say more of some requests.
  void ignore_rest() { rest_ = {}; }

  void refuse() { is_sound_ = false; }

  size_t rest_bytes() const { return rest_.size(); }
  bool is_sound() const { return is_sound_ && rest_.empty(); }

 private:
  Bytes rest_;
  bool is_sound_ = true;
};

Init init_of(BodyReader& body) {
  const auto in = body.take<InitIn>();
  uint64_t flags = in.flags;
  if ((flags & kInitExtended) != 0 && body.rest_bytes() >= sizeof(InitInExtension)) {
    flags |= uint64_t{body.take<InitInExtension>().flags2} << 32;
  }
  body.ignore_rest();
  return {in.major, in.minor, in.max_readahead, flags};
}

Forget forget_of(const InHeader& header, BodyReader& body) {
  return {{{header.node, body.take<ForgetIn>().lookups}}};
}

// The count has to be that of the entries that are there before anything is made for them.
Forget batch_forget_of(BodyReader& body) {
  const auto in = body.take<BatchForgetIn>();
  Forget forget;
  if (body.rest_bytes() / sizeof(ForgetOne) != in.count) {
    body.refuse();
    return forget;
  }
  forget.nodes.reserve(in.count);
  for (uint32_t i = 0; i < in.count; ++i) {
    forget.nodes.push_back(body.take<ForgetOne>());
  }
  return forget;
}

ReadDirectory read_directory_of(BodyReader& body, bool with_attributes) {
  const auto in = body.take<ReadIn>();
  return {in.handle, in.offset, in.size, with_attributes};
}

Read read_of(BodyReader& body) {
  const auto in = body.take<ReadIn>();
  return {in.handle, in.offset, in.size};
}

GetXattr get_xattr_of(BodyReader& body) {
  const auto in = body.take<GetXattrIn>();
  return {body.take_name(), in.size};
}

Open open_of(BodyReader& body) {
  return {body.take<OpenIn>().flags};
}

Create create_of(BodyReader& body) {
  const auto in = body.take<CreateIn>();
  return {body.take_name(), in.flags};
}

MakeNode make_node_of(BodyReader& body) {
  const auto in = body.take<MakeNodeIn>();
  return {body.take_name(), in.mode};
}

MakeDirectory make_directory_of(BodyReader& body) {
  body.take<MakeDirectoryIn>();
  return {body.take_name()};
}

template <class In>
Rename rename_of(BodyReader& body) {
  const auto in = body.take<In>();
  Rename rename = {.name = body.take_first_name(), .new_folder = in.new_folder};
  rename.new_name = body.take_name();
  if constexpr (requires { in.flags; }) {
    rename.flags = in.flags;
  }
  return rename;
}

Write write_of(BodyReader& body) {
  const auto in = body.take<WriteIn>();
  return {in.handle, in.offset, body.take_bytes(in.size), in.lock_owner};
}

Flush flush_of(BodyReader& body) {
  const auto in = body.take<FlushIn>();
  return {in.handle, in.lock_owner};
}

SetAttributes set_attributes_of(BodyReader& body) {
  const auto in = body.take<SetAttributesIn>();
  return {in.valid, in.handle, in.size, in.mode};
}

template <class Ignored, class Made>
Made having(BodyReader& body, Made made) {
  body.take<Ignored>();
  return made;
}

/// Of what is answered alike whatever it says.
template <class Made>
Made whatever(BodyReader& body, Made made) {
  body.ignore_rest();
  return made;
}

Operation operation_of(const InHeader& header, BodyReader& body) {
  switch (static_cast<Opcode>(header.opcode)) {
    case Opcode::kInit:
      return init_of(body);
    case Opcode::kLookup:
      return Lookup{body.take_name()};
    case Opcode::kForget:
      return forget_of(header, body);
    case Opcode::kBatchForget:
      return batch_forget_of(body);
    case Opcode::kGetAttributes:
      return whatever(body, GetAttributes{});
    case Opcode::kOpen:
      return open_of(body);
    case Opcode::kOpenDirectory:
      return having<OpenIn>(body, OpenDirectory{});
    case Opcode::kRead:
      return read_of(body);
    case Opcode::kReadDirectory:
      return read_directory_of(body, false);
    case Opcode::kReadDirectoryPlus:
      return read_directory_of(body, true);
    case Opcode::kRelease:
      return Release{body.take<ReleaseIn>().handle};
    case Opcode::kReleaseDirectory:
      return ReleaseDirectory{body.take<ReleaseIn>().handle};
    case Opcode::kStatFileSystem:
      return whatever(body, StatFileSystem{});
    case Opcode::kGetXattr:
      return get_xattr_of(body);
    case Opcode::kListXattr:
      return ListXattr{body.take<GetXattrIn>().size};
    case Opcode::kAccess:
      return Access{body.take<AccessIn>().mask};
    case Opcode::kInterrupt:
      return Interrupt{body.take<InterruptIn>().unique};
    case Opcode::kDestroy:
      return whatever(body, Destroy{});
    case Opcode::kCreate:
      return create_of(body);
    case Opcode::kMakeNode:
      return make_node_of(body);
    case Opcode::kMakeDirectory:
      return make_directory_of(body);
    case Opcode::kUnlink:
      return Unlink{body.take_name()};
    case Opcode::kRemoveDirectory:
      return RemoveDirectory{body.take_name()};
    case Opcode::kRename:
      return rename_of<RenameIn>(body);
    case Opcode::kRename2:
      return rename_of<Rename2In>(body);
    case Opcode::kWrite:
      return write_of(body);
    case Opcode::kFlush:
      return flush_of(body);
    case Opcode::kSync:
      return Sync{body.take<SyncIn>().handle};
    case Opcode::kSyncDirectory:
      return having<SyncIn>(body, SyncDirectory{});
    case Opcode::kSetAttributes:
      return set_attributes_of(body);
    case Opcode::kSymlink:
    case Opcode::kLink:
    case Opcode::kSetXattr:
    case Opcode::kRemoveXattr:
    case Opcode::kAllocate:
    case Opcode::kCopyFileRange:
    case Opcode::kTemporaryFile:
      return whatever(body, Change{});
    default:
      return whatever(body, Unknown{});
  }
}

}  // namespace

Result<InHeader> decode_header(Bytes message) {
  InHeader header{};
  if (message.size() < sizeof(header)) {
    return data_loss("/dev/fuse: a request of {} bytes, less than its header", message.size());
  }
  std::memcpy(&header, message.data(), sizeof(header));
  const size_t extension_bytes = size_t{header.extension_words} * 8;
  if (header.bytes != message.size() || extension_bytes > message.size() - sizeof(header)) {
    return data_loss("/dev/fuse: a request of {} bytes says that it has {}, with {} of extensions",
                     message.size(), header.bytes, extension_bytes);
  }
  return header;
}

Result<Request> decode_request(Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const InHeader header, decode_header(message));
  const size_t body_bytes = message.size() - sizeof(header) - size_t{header.extension_words} * 8;
  BodyReader body(message.subspan(sizeof(header), body_bytes));
  Request request = {header, operation_of(header, body)};
  if (!body.is_sound()) {
    return data_loss("/dev/fuse: a request of kind {} whose {} bytes are not as that kind is said",
                     header.opcode, body_bytes);
  }
  return request;
}

}  // namespace forebay::fuse
