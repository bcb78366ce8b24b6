// The body of an inference request over HTTP, read: where the bytes of each input lie, and whether they are
// right.
#include "forebay/serving/protocol/parse_request.h"

#include <set>
#include <utility>

#include "forebay/serving/protocol/body_tensor.h"
#include "forebay/serving/protocol/json_values.h"
#include "forebay/serving/protocol/raw_request.h"
#include "forebay/serving/protocol/request_parameters.h"

namespace forebay::serving {
namespace {

using nlohmann::json;

constexpr uint64_t kBodyAlignmentBytes = 64;

// The bytes behind the JSON, which inputs take one after another.
class BinaryRest {
 public:
  BinaryRest(const RequestBody& body, size_t header_length) : body_(body), next_(header_length) {}

  size_t left() const { return body_.size_bytes - next_; }

  Status take(uint64_t size_bytes, const std::string& label, NamedTensor& tensor) {
    if (size_bytes > left()) {
      return invalid_argument("{}: 'binary_data_size' is {}, and {} bytes are left behind the JSON", label,
                              size_bytes, left());
    }
    FOREBAY_RETURN_IF_ERROR(set_from_body(body_, next_, size_bytes, tensor));
    next_ += size_bytes;
    return ok_status();
  }

 private:
  const RequestBody& body_;
  size_t next_;
};

Status read_shared(const SharedPlace& place, const SharedRegions* regions, const std::string& label,
                   NamedTensor& tensor) {
  if (regions == nullptr) {
    return unimplemented("{}: this server takes no tensors in shared memory", label);
  }
  return annotate(regions->read(place, tensor), label);
}

// The name, datatype and shape of an input.
Result<NamedTensor> described(const json& input, size_t place) {
  const json* const name = member_of(input, "name");
  if (name == nullptr) {
    return invalid_argument("inputs[{}] has no 'name'", place);
  }
  FOREBAY_ASSIGN_OR_RETURN(TensorHead head, input_head(place, input));
  NamedTensor tensor;
  FOREBAY_ASSIGN_OR_RETURN(tensor.name, text_from_json(*name, head.label + ": 'name'"));
  tensor.datatype = head.datatype;
  tensor.shape = std::move(head.shape);
  return tensor;
}

// Reads one input after another, in the order in which their bytes lie.
class InputReader {
 public:
  InputReader(RequestJson& read, BinaryRest& rest, const SharedRegions* regions)
      : read_(read), rest_(rest), regions_(regions) {}

  Result<NamedTensor> next(const json& input, size_t place) {
    FOREBAY_ASSIGN_OR_RETURN(NamedTensor tensor, described(input, place));
    if (!names_.insert(tensor.name).second) {
      return invalid_argument("input '{}' is given twice", tensor.name);
    }
    const std::string label = input_label(place, input);
    InputPlace at;
    if (const json* const parameters = member_of(input, "parameters")) {
      FOREBAY_ASSIGN_OR_RETURN(at, input_place_of(*parameters, label));
    }
    const auto data = read_.data.find(place);
    const bool has_data = data != read_.data.end();
    if ((has_data ? 1 : 0) + (at.binary_bytes ? 1 : 0) + (at.shared ? 1 : 0) != 1) {
      return invalid_argument(
          "{} needs one of 'data', the parameter 'binary_data_size', and parameters of shared memory", label);
    }
    if (has_data) {
      data->second.name = tensor.name;
      return std::move(data->second);
    }
    FOREBAY_RETURN_IF_ERROR(at.shared ? read_shared(*at.shared, regions_, label, tensor)
                                      : rest_.take(*at.binary_bytes, label, tensor));
    FOREBAY_RETURN_IF_ERROR(check_size(tensor));
    FOREBAY_RETURN_IF_ERROR(check_bools(tensor));
    return tensor;
  }

 private:
  RequestJson& read_;
  BinaryRest& rest_;
  const SharedRegions* regions_;
  std::set<std::string> names_;
};

// A member that is an array of at most so many entries; null where it may be left out.
Result<const json*> entries_of(const json& head, const char* member, size_t max_count) {
  const json* const entries = member_of(head, member);
  if (entries == nullptr) {
    return nullptr;
  }
  if (!entries->is_array()) {
    return invalid_argument("'{}' of the request must be an array", member);
  }
  if (entries->size() > max_count) {
    return invalid_argument("'{}' of the request has {} entries; at most {} are taken", member,
                            entries->size(), max_count);
  }
  return entries;
}

Status read_inputs(RequestJson& read, BinaryRest& rest, const ParseOptions& options, InferRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const json* const inputs,
                           entries_of(read.head, "inputs", options.limits.max_inputs));
  if (inputs == nullptr) {
    return invalid_argument("the request has no 'inputs'");
  }
  InputReader reader(read, rest, options.regions);
  for (size_t i = 0; i < inputs->size(); ++i) {
    FOREBAY_ASSIGN_OR_RETURN(NamedTensor tensor, reader.next((*inputs)[i], i));
    request.inputs.push_back(std::move(tensor));
  }
  if (rest.left() > 0) {
    return invalid_argument("{} bytes are left behind the JSON and the binary data of all inputs",
                            rest.left());
  }
  return ok_status();
}

Status read_outputs(const json& head, const ParseOptions& options, AnswerForm& form) {
  FOREBAY_ASSIGN_OR_RETURN(const json* const outputs, entries_of(head, "outputs", options.limits.max_inputs));
  if (outputs == nullptr) {
    return ok_status();
  }
  std::set<std::string> names;
  for (const json& output : *outputs) {
    FOREBAY_ASSIGN_OR_RETURN(RequestedOutput requested, requested_output_of(output, form.is_binary));
    if (!names.insert(requested.name).second) {
      return invalid_argument("output '{}' is asked for twice", requested.name);
    }
    if (requested.place) {
      const std::string label = fmt::format("output '{}'", requested.name);
      if (options.regions == nullptr) {
        return unimplemented("{}: this server puts no tensors into shared memory", label);
      }
      FOREBAY_RETURN_IF_ERROR(annotate(options.regions->check(*requested.place), label));
    }
    form.outputs.push_back(std::move(requested));
  }
  return ok_status();
}

Result<std::string_view> json_of(const RequestBody& body, std::optional<uint64_t> header_length) {
  const uint64_t length = header_length.value_or(body.size_bytes);
  if (length > body.size_bytes) {
    return invalid_argument("Inference-Header-Content-Length is {}, and the body has {} bytes", length,
                            body.size_bytes);
  }
  if (length == 0) {
    return invalid_argument("the request has no JSON");
  }
  return std::string_view(reinterpret_cast<const char*>(body.bytes().data()), length);
}

}  // namespace

size_t bytes_before_body(uint64_t header_length) {
  return kBodyAlignmentBytes - header_length % kBodyAlignmentBytes;
}

Result<ParsedRequest> parse_request(const RequestBody& body, std::optional<uint64_t> header_length,
                                    const ParseOptions& options) {
  if (header_length == 0 && options.metadata != nullptr) {
    return raw_request(body, *options.metadata, options);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string_view text, json_of(body, header_length));
  FOREBAY_ASSIGN_OR_RETURN(RequestJson read, read_request_json(text, options.limits, options.stop));
  ParsedRequest parsed;
  InferRequest& request = parsed.request;
  request.model = options.model;
  request.version = options.version;
  if (const json* const id = member_of(read.head, "id")) {
    FOREBAY_ASSIGN_OR_RETURN(request.id, text_from_json(*id, "'id' of the request"));
  }
  if (const json* const parameters = member_of(read.head, "parameters")) {
    FOREBAY_RETURN_IF_ERROR(take_request_parameters(*parameters, options.now_ns, parsed));
  }
  BinaryRest rest(body, text.size());
  FOREBAY_RETURN_IF_ERROR(read_inputs(read, rest, options, request));
  FOREBAY_RETURN_IF_ERROR(read_outputs(read.head, options, parsed.form));
  request.outputs = parsed.form.outputs;
  return parsed;
}

}  // namespace forebay::serving
