// Walks over the fields of a ModelInferRequest: raw_input_contents become buffers, the rest is parsed.
#include "forebay/serving/grpc/wire_reader.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <utility>

#include "forebay/memory/copy.h"

namespace forebay::serving {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t kRawTag = WireFormatLite::MakeTag(
    inference::ModelInferRequest::kRawInputContentsFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);

Status broken_message() {
  return invalid_argument("the message is no ModelInferRequest: its bytes are broken or cut off");
}

/// Copies the next `length` bytes, which lie in several pieces.
Result<memory::BufferRef> gather(CodedInputStream& input, size_t length) {
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(length));
  for (size_t at = 0; at < length;) {
    const void* piece = nullptr;
    int available = 0;
    if (!input.GetDirectBufferPointer(&piece, &available)) {
      return broken_message();
    }
    const size_t count = std::min(static_cast<size_t>(available), length - at);
    memory::copy(buffer->mutable_bytes().data() + at, piece, count);
    input.Skip(static_cast<int>(count));
    at += count;
  }
  return buffer;
}

Result<memory::BufferRef> read_raw(CodedInputStream& input,
                                   const std::shared_ptr<grpc::ByteBuffer>& message) {
  uint32_t length = 0;
  // Before anything is allocated: what the message says may be more than it has.
  if (!input.ReadVarint32(&length) ||
      length > message->Length() - static_cast<size_t>(input.CurrentPosition())) {
    return broken_message();
  }
  if (length == 0) {
    return memory::BufferRef();
  }
  const void* piece = nullptr;
  int available = 0;
  if (!input.GetDirectBufferPointer(&piece, &available)) {
    return broken_message();
  }
  if (static_cast<size_t>(available) < length) {
    return gather(input, length);
  }
  input.Skip(static_cast<int>(length));
  return memory::Buffer::wrap_read_only(piece, length, memory::MemoryKind::kHost, [message] {});
}

/// The fields but raw_input_contents, as they stand in the message, go to `rest`.
Status walk(CodedInputStream& input, const std::shared_ptr<grpc::ByteBuffer>& message, WireRequest& request,
            std::string& rest) {
  google::protobuf::io::StringOutputStream stream(&rest);
  google::protobuf::io::CodedOutputStream output(&stream);
  while (const uint32_t tag = input.ReadTag()) {
    if (tag == kRawTag) {
      FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef raw, read_raw(input, message));
      request.raw.push_back(std::move(raw));
    } else if (!WireFormatLite::SkipField(&input, tag, &output)) {
      return broken_message();
    }
  }
  return input.ConsumedEntireMessage() ? ok_status() : broken_message();
}

}  // namespace

Result<WireRequest> read_wire_request(const grpc::ByteBuffer& message) {
  const auto owner = std::make_shared<grpc::ByteBuffer>(message);
  WireRequest request;
  std::string rest;
  if (owner->Length() > 0) {
    grpc::ProtoBufferReader reader(owner.get());
    if (!reader.status().ok()) {
      return broken_message();
    }
    CodedInputStream input(&reader);
    FOREBAY_RETURN_IF_ERROR(walk(input, owner, request, rest));
  }
  request.head = std::make_shared<inference::ModelInferRequest>();
  if (!request.head->ParseFromString(rest)) {
    return broken_message();
  }
  return request;
}

}  // namespace forebay::serving
