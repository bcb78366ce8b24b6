// Inputs from raw bytes, typed contents and shared memory; requested outputs; parameters.
#include "forebay/serving/grpc/request_reader.h"

#include <cmath>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/memory/copy.h"
#include "forebay/serving/grpc/typed_contents.h"
#include "forebay/serving/inference/parameters.h"
#include "forebay/serving/protocol/body_tensor.h"

namespace forebay::serving {
namespace {

using inference::InferParameter;
using WireParameters = google::protobuf::Map<std::string, InferParameter>;
using WireInput = inference::ModelInferRequest::InferInputTensor;

Result<Parameter> to_parameter(const std::string& name, const InferParameter& value) {
  switch (value.parameter_choice_case()) {
    case InferParameter::kBoolParam:
      return Parameter(value.bool_param());
    case InferParameter::kInt64Param:
      return Parameter(static_cast<int64_t>(value.int64_param()));
    case InferParameter::kStringParam:
      return Parameter(value.string_param());
    case InferParameter::kDoubleParam:
      if (!std::isfinite(value.double_param())) {
        return invalid_argument("parameter '{}' is {}, which is no number", name, value.double_param());
      }
      return Parameter(value.double_param());
    case InferParameter::kUint64Param:
      return parameter_of_count(name, value.uint64_param());
    case InferParameter::PARAMETER_CHOICE_NOT_SET:
      break;
  }
  return invalid_argument("parameter '{}' has no value", name);
}

/// An integer of 0 or more; 0 where the parameter is absent.
Result<uint64_t> natural(const WireParameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) {
    return 0;
  }
  FOREBAY_ASSIGN_OR_RETURN(const Parameter parameter, to_parameter(name, found->second));
  const auto* const value = std::get_if<int64_t>(&parameter);
  if (value == nullptr || *value < 0) {
    return invalid_argument("parameter '{}' must be an integer of 0 or more", name);
  }
  return static_cast<uint64_t>(*value);
}

Result<std::optional<SharedPlace>> place_of(const WireParameters& parameters) {
  const auto region = parameters.find("shared_memory_region");
  if (region == parameters.end()) {
    return std::nullopt;
  }
  if (region->second.parameter_choice_case() != InferParameter::kStringParam) {
    return invalid_argument("parameter 'shared_memory_region' must be a string");
  }
  if (!parameters.contains("shared_memory_byte_size")) {
    return invalid_argument("parameter 'shared_memory_region' needs 'shared_memory_byte_size' beside it");
  }
  SharedPlace place;
  place.region = region->second.string_param();
  FOREBAY_ASSIGN_OR_RETURN(place.offset_bytes, natural(parameters, "shared_memory_offset"));
  FOREBAY_ASSIGN_OR_RETURN(place.size_bytes, natural(parameters, "shared_memory_byte_size"));
  return place;
}

bool is_aligned(const memory::Buffer& buffer, Datatype datatype) {
  const size_t alignment = size_of(datatype);
  return alignment == 0 || reinterpret_cast<uintptr_t>(buffer.data()) % alignment == 0;
}

/// `raw`, or a copy of it where the datatype's elements cannot lie at its address.
Status set_buffer(memory::BufferRef raw, NamedTensor& tensor) {
  if (raw == nullptr) {
    return ok_status();
  }
  tensor.size_bytes = raw->size_bytes();
  if (is_aligned(*raw, tensor.datatype)) {
    tensor.buffer = std::move(raw);
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor.buffer, memory::Buffer::allocate(tensor.size_bytes));
  memory::copy(tensor.buffer->data(), raw->data(), tensor.size_bytes);
  return ok_status();
}

/// Gives inputs their memory, one after another, from where the request has it.
class WireInputReader {
 public:
  WireInputReader(const WireRequest& wire, const TensorExtensions& extensions)
      : wire_(wire), extensions_(extensions) {}

  Result<NamedTensor> read(const WireInput& input) {
    NamedTensor tensor;
    tensor.name = input.name();
    tensor.shape.assign(input.shape().begin(), input.shape().end());
    const Result<Datatype> datatype = datatype_of(std::string_view(input.datatype()));
    if (!datatype.ok()) {
      return annotate(datatype.status(), fmt::format("input '{}'", input.name()));
    }
    tensor.datatype = *datatype;
    FOREBAY_RETURN_IF_ERROR(set_memory(input, tensor));
    FOREBAY_RETURN_IF_ERROR(check_size(tensor));
    FOREBAY_RETURN_IF_ERROR(check_bools(tensor));
    return tensor;
  }

  /// That nothing is left over.
  Status end() const {
    if (next_raw_ != wire_.raw.size()) {
      return invalid_argument("the request has {} raw_input_contents, and {} inputs that need one",
                              wire_.raw.size(), next_raw_);
    }
    return ok_status();
  }

 private:
  Status set_memory(const WireInput& input, NamedTensor& tensor) {
    const Result<std::optional<SharedPlace>> place = place_of(input.parameters());
    if (!place.ok()) {
      return annotate(place.status(), fmt::format("input '{}'", input.name()));
    }
    if (place->has_value()) {
      return read_shared(input, **place, tensor);
    }
    if (wire_.raw.empty()) {
      return read_typed_contents(input.contents(), wire_.head, tensor);
    }
    if (input.has_contents()) {
      return invalid_argument(
          "input '{}' has contents, and the request raw_input_contents: only one is allowed", input.name());
    }
    if (next_raw_ == wire_.raw.size()) {
      return invalid_argument("input '{}' has no entry in raw_input_contents, which has {}", input.name(),
                              wire_.raw.size());
    }
    return set_buffer(wire_.raw[next_raw_++], tensor);
  }

  Status read_shared(const WireInput& input, const SharedPlace& place, NamedTensor& tensor) const {
    if (input.has_contents()) {
      return invalid_argument("input '{}' lies in shared memory and has contents: only one is allowed",
                              input.name());
    }
    if (extensions_.read_place == nullptr) {
      return unimplemented("input '{}': shared memory is not offered by this server", input.name());
    }
    const Status status = extensions_.read_place(place, tensor);
    return annotate(status, fmt::format("input '{}'", input.name()));
  }

  const WireRequest& wire_;
  const TensorExtensions& extensions_;
  size_t next_raw_ = 0;
};

Result<RequestedOutput> to_output(const inference::ModelInferRequest::InferRequestedOutputTensor& output) {
  RequestedOutput requested;
  requested.name = output.name();
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t class_count, natural(output.parameters(), "classification"));
  requested.class_count = static_cast<int64_t>(class_count);
  FOREBAY_ASSIGN_OR_RETURN(requested.place, place_of(output.parameters()));
  return requested;
}

/// Takes "timing" out of the parameters.
Result<bool> take_timing(Parameters& parameters) {
  const auto found = parameters.find("timing");
  if (found == parameters.end()) {
    return false;
  }
  const auto* const value = std::get_if<bool>(&found->second);
  if (value == nullptr) {
    return invalid_argument("parameter 'timing' must be true or false");
  }
  const bool has_timing = *value;
  parameters.erase(found);
  return has_timing;
}

}  // namespace

Result<ReadRequest> to_request(const WireRequest& wire, const TensorExtensions& extensions) {
  const inference::ModelInferRequest& head = *wire.head;
  ReadRequest read;
  InferRequest& request = read.request;
  request.model = head.model_name();
  request.version = head.model_version();
  request.id = head.id();
  WireInputReader reader(wire, extensions);
  for (const WireInput& input : head.inputs()) {
    FOREBAY_ASSIGN_OR_RETURN(NamedTensor tensor, reader.read(input));
    request.inputs.push_back(std::move(tensor));
  }
  FOREBAY_RETURN_IF_ERROR(reader.end());
  for (const auto& output : head.outputs()) {
    Result<RequestedOutput> requested = to_output(output);
    if (!requested.ok()) {
      return annotate(requested.status(), fmt::format("output '{}'", output.name()));
    }
    request.outputs.push_back(*std::move(requested));
  }
  for (const auto& [name, value] : head.parameters()) {
    FOREBAY_ASSIGN_OR_RETURN(request.parameters[name], to_parameter(name, value));
  }
  FOREBAY_RETURN_IF_ERROR(take_parameters(request, steady_clock().now_ns()));
  FOREBAY_ASSIGN_OR_RETURN(read.has_timing, take_timing(request.parameters));
  return read;
}

}  // namespace forebay::serving
