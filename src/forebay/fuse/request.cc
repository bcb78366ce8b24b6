#include "forebay/fuse/request.h"

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
    const std::string_view text(reinterpret_cast<const char*>(rest_.data()), rest_.size());
    const size_t end = text.find('\0');
    const std::string_view name = text.substr(0, end);
    if (end == std::string_view::npos || end + 1 != text.size() || name.empty() ||
        name.find('/') != std::string_view::npos) {
      is_sound_ = false;
      return {};
    }
    rest_ = {};
    return name;
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
  InitIn2 more{};
  if ((in.flags & kInitExt) != 0 && body.rest_bytes() >= sizeof(more)) {
    more = body.take<InitIn2>();
  }
  body.ignore_rest();
  return {in.major, in.minor, in.max_readahead, in.flags, more.flags2};
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
    case Opcode::kSetAttributes:
    case Opcode::kSymlink:
    case Opcode::kMakeNode:
    case Opcode::kMakeDirectory:
    case Opcode::kUnlink:
    case Opcode::kRemoveDirectory:
    case Opcode::kRename:
    case Opcode::kRename2:
    case Opcode::kLink:
    case Opcode::kWrite:
    case Opcode::kSetXattr:
    case Opcode::kRemoveXattr:
    case Opcode::kCreate:
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
