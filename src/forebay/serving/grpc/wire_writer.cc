// Puts messages together from pieces: what protobuf makes, and tensors' memory between the lengths that it
// needs.
#include "forebay/serving/grpc/wire_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/slice.h>

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "forebay/serving/grpc/inference.pb.h"
#include "forebay/serving/grpc/valid_text.h"

namespace forebay::serving {
namespace {

using google::protobuf::internal::WireFormatLite;
using inference::InferParameter;

// Below it a piece of its own costs more than a copy.
constexpr size_t kSmallBytes = 1024;
constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

/// The tag and the length that stand before a field of bytes.
std::string field_head(int number, size_t bytes) {
  std::array<uint8_t, 16> head;
  uint8_t* end =
      WireFormatLite::WriteTagToArray(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED, head.data());
  end = google::protobuf::io::CodedOutputStream::WriteVarint64ToArray(bytes, end);
  return {head.data(), end};
}

/// A slice of the tensor's own memory.
grpc::Slice slice_of(const NamedTensor& tensor) {
  const Bytes bytes = tensor.bytes();
  const auto release = [](void* owner) { delete static_cast<memory::BufferRef*>(owner); };
  // gRPC does not write to it.
  return {const_cast<std::byte*>(bytes.data()), bytes.size(), release, new memory::BufferRef(tensor.buffer)};
}

/// A message as text and slices, in their order.
class MessagePieces {
 public:
  void add(std::string_view text) { text_ += text; }

  void add(const NamedTensor& tensor) {
    const Bytes bytes = tensor.bytes();
    if (bytes.size() < kSmallBytes) {
      text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return;
    }
    end_text();
    size_bytes_ += bytes.size();
    slices_.push_back(slice_of(tensor));
  }

  size_t size_bytes() const { return size_bytes_ + text_.size(); }

  /// With `before` in front of all that was added.
  grpc::ByteBuffer finish(const std::string& before = "") {
    end_text();
    if (!before.empty()) {
      slices_.insert(slices_.begin(), grpc::Slice(before));
    }
    return {slices_.data(), slices_.size()};
  }

 private:
  void end_text() {
    if (!text_.empty()) {
      size_bytes_ += text_.size();
      slices_.emplace_back(text_);
      text_.clear();
    }
  }

  std::string text_;
  std::vector<grpc::Slice> slices_;
  size_t size_bytes_ = 0;
};

void set_parameter(const Parameter& from, InferParameter& to) {
  if (const auto* const flag = std::get_if<bool>(&from)) {
    to.set_bool_param(*flag);
  } else if (const auto* const integer = std::get_if<int64_t>(&from)) {
    to.set_int64_param(*integer);
  } else if (const auto* const number = std::get_if<double>(&from)) {
    to.set_double_param(*number);
  } else {
    to.set_string_param(valid_text(std::get<std::string>(from)));
  }
}

void set_place(const SharedPlace& place, google::protobuf::Map<std::string, InferParameter>& parameters) {
  parameters["shared_memory_region"].set_string_param(valid_text(place.region));
  parameters["shared_memory_byte_size"].set_int64_param(static_cast<int64_t>(place.size_bytes));
  if (place.offset_bytes > 0) {
    parameters["shared_memory_offset"].set_int64_param(static_cast<int64_t>(place.offset_bytes));
  }
}

/// The response without the bytes of its outputs.
inference::ModelInferResponse wire_head(const InferResponse& response,
                                        const std::vector<DeliveredOutput>& outputs) {
  inference::ModelInferResponse head;
  head.set_model_name(valid_text(response.model));
  head.set_model_version(valid_text(response.version));
  head.set_id(valid_text(response.id));
  for (const auto& [name, value] : response.parameters) {
    set_parameter(value, (*head.mutable_parameters())[valid_text(name)]);
  }
  for (const DeliveredOutput& output : outputs) {
    auto& to = *head.add_outputs();
    to.set_name(valid_text(output.tensor.name));
    to.set_datatype(std::string(name_of(output.tensor.datatype)));
    to.mutable_shape()->Add(output.tensor.shape.begin(), output.tensor.shape.end());
    if (output.place.has_value()) {
      set_place(*output.place, *to.mutable_parameters());
    }
  }
  return head;
}

void add_response(const InferResponse& response, const std::vector<DeliveredOutput>& outputs,
                  MessagePieces& pieces) {
  pieces.add(wire_head(response, outputs).SerializeAsString());
  for (const DeliveredOutput& output : outputs) {
    const NamedTensor travelling = output.place.has_value() ? NamedTensor() : output.tensor;
    pieces.add(
        field_head(inference::ModelInferResponse::kRawOutputContentsFieldNumber, travelling.bytes().size()));
    pieces.add(travelling);
  }
}

Status check_message(size_t bytes, const InferResponse& response) {
  if (bytes > kMaxMessageBytes) {
    return resource_exhausted(
        "the answer of model '{}' has {} bytes, and messages of gRPC at most {}; ask for fewer outputs, or "
        "for outputs in shared memory",
        response.model, bytes, kMaxMessageBytes);
  }
  return ok_status();
}

}  // namespace

Result<grpc::ByteBuffer> write_response(const InferResponse& response,
                                        const std::vector<DeliveredOutput>& outputs) {
  MessagePieces pieces;
  add_response(response, outputs, pieces);
  FOREBAY_RETURN_IF_ERROR(check_message(pieces.size_bytes(), response));
  return pieces.finish();
}

Result<grpc::ByteBuffer> write_stream_response(const InferResponse& response,
                                               const std::vector<DeliveredOutput>& outputs) {
  MessagePieces pieces;
  add_response(response, outputs, pieces);
  const std::string before =
      field_head(inference::ModelStreamInferResponse::kInferResponseFieldNumber, pieces.size_bytes());
  FOREBAY_RETURN_IF_ERROR(check_message(before.size() + pieces.size_bytes(), response));
  return pieces.finish(before);
}

grpc::ByteBuffer write_stream_error(const Status& error, const std::string& id, const std::string& model) {
  inference::ModelStreamInferResponse response;
  // Never empty: that would be no error.
  response.set_error_message(error.message().empty() ? error.ToString() : valid_text(message(error)));
  response.mutable_infer_response()->set_id(valid_text(id));
  response.mutable_infer_response()->set_model_name(valid_text(model));
  MessagePieces pieces;
  pieces.add(response.SerializeAsString());
  return pieces.finish();
}

}  // namespace forebay::serving
