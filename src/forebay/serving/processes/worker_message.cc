// The messages between a model's process and ours, written as JSON and read back.
#include "forebay/serving/processes/worker_message.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "forebay/serving/processes/message_fields.h"

namespace forebay::serving {
namespace {

using MessageJson = nlohmann::json;

/// Longer texts of errors are cut, so that the message fits also where JSON takes six bytes for one (\u0001).
constexpr size_t kMaxErrorBytes = 8 << 10;

std::string dumped(const MessageJson& json) {
  return json.dump(-1, ' ', false, MessageJson::error_handler_t::replace);
}

void put_error(MessageJson& json, const Status& status) {
  json["code"] = absl::StatusCodeToString(status.code());
  json["message"] = std::string(message(status).substr(0, kMaxErrorBytes));
}

MessageJson placed_to_json(const std::vector<PlacedTensor>& tensors) {
  MessageJson all = MessageJson::array();
  for (const PlacedTensor& tensor : tensors) {
    all.push_back({{"name", tensor.name},
                   {"datatype", name_of(tensor.datatype)},
                   {"shape", tensor.shape},
                   {"offset", tensor.offset_bytes},
                   {"size", tensor.size_bytes}});
  }
  return all;
}

MessageJson metadata_to_json(const std::vector<TensorMetadata>& tensors) {
  MessageJson all = MessageJson::array();
  for (const TensorMetadata& tensor : tensors) {
    MessageJson one = {
        {"name", tensor.name}, {"datatype", name_of(tensor.datatype)}, {"shape", tensor.shape}};
    if (!tensor.labels.empty()) {
      one["labels"] = tensor.labels;
    }
    all.push_back(std::move(one));
  }
  return all;
}

MessageJson parameters_to_json(const Parameters& parameters) {
  MessageJson all = MessageJson::object();
  for (const auto& [name, value] : parameters) {
    std::visit([&all, &name = name](const auto& each) { all[name] = each; }, value);
  }
  return all;
}

Result<PlacedTensor> read_placed(const MessageFields& from) {
  PlacedTensor tensor;
  FOREBAY_ASSIGN_OR_RETURN(tensor.name, from.text("name"));
  FOREBAY_ASSIGN_OR_RETURN(tensor.datatype, from.datatype("datatype"));
  FOREBAY_ASSIGN_OR_RETURN(tensor.shape, from.numbers<int64_t>("shape"));
  FOREBAY_ASSIGN_OR_RETURN(tensor.offset_bytes, from.number<uint64_t>("offset"));
  FOREBAY_ASSIGN_OR_RETURN(tensor.size_bytes, from.number<uint64_t>("size"));
  return tensor;
}

Result<TensorMetadata> read_metadata(const MessageFields& from) {
  TensorMetadata tensor;
  FOREBAY_ASSIGN_OR_RETURN(tensor.name, from.text("name"));
  FOREBAY_ASSIGN_OR_RETURN(tensor.datatype, from.datatype("datatype"));
  FOREBAY_ASSIGN_OR_RETURN(tensor.shape, from.numbers<int64_t>("shape"));
  FOREBAY_ASSIGN_OR_RETURN(tensor.labels, from.texts("labels"));
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t extent) { return extent < -1; })) {
    return invalid_argument("tensor '{}' has an extent below -1", tensor.name);
  }
  return tensor;
}

Result<Status> read_status(const MessageFields& from) {
  if (!from.has("code")) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string code, from.text("code"));
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, from.text("message"));
  constexpr int kCodes = 16;
  for (int number = 1; number <= kCodes; ++number) {
    const auto known = static_cast<StatusCode>(number);
    if (absl::StatusCodeToString(known) == code) {
      return Status(known, text);
    }
  }
  return internal_error("{}", text);
}

Result<WorkerMessage> read_ready(const MessageFields& from) {
  ReadyMessage ready;
  FOREBAY_ASSIGN_OR_RETURN(ready.platform, from.text("platform"));
  FOREBAY_ASSIGN_OR_RETURN(ready.inputs, from.each<TensorMetadata>("inputs", read_metadata));
  FOREBAY_ASSIGN_OR_RETURN(ready.outputs, from.each<TensorMetadata>("outputs", read_metadata));
  FOREBAY_ASSIGN_OR_RETURN(ready.max_batch_size, from.number<int64_t>("max_batch_size"));
  if (ready.max_batch_size < 0) {
    return invalid_argument("max_batch_size is {}", ready.max_batch_size);
  }
  return ready;
}

Result<WorkerMessage> read_failed(const MessageFields& from) {
  FOREBAY_ASSIGN_OR_RETURN(Status status, read_status(from));
  if (status.ok()) {
    return invalid_argument("the failure has no 'code'");
  }
  return FailedMessage{std::move(status)};
}

Result<WorkerMessage> read_answer(const MessageFields& from) {
  AnswerMessage answer;
  FOREBAY_ASSIGN_OR_RETURN(answer.number, from.number<uint64_t>("number"));
  FOREBAY_ASSIGN_OR_RETURN(answer.status, read_status(from));
  FOREBAY_ASSIGN_OR_RETURN(answer.outputs, from.each<PlacedTensor>("outputs", read_placed));
  FOREBAY_ASSIGN_OR_RETURN(answer.slab, from.number<uint64_t>("slab", 0));
  FOREBAY_ASSIGN_OR_RETURN(answer.slab_bytes, from.number<uint64_t>("slab_bytes", 0));
  FOREBAY_ASSIGN_OR_RETURN(answer.dropped, from.numbers<uint64_t>("dropped"));
  FOREBAY_ASSIGN_OR_RETURN(answer.timing.input_ns, from.number<int64_t>("input_ns", 0));
  FOREBAY_ASSIGN_OR_RETURN(answer.timing.compute_ns, from.number<int64_t>("compute_ns", 0));
  FOREBAY_ASSIGN_OR_RETURN(answer.timing.output_ns, from.number<int64_t>("output_ns", 0));
  return answer;
}

Status read_request(const MessageFields& from, InferMessage* infer) {
  FOREBAY_ASSIGN_OR_RETURN(infer->id, from.text("id"));
  FOREBAY_ASSIGN_OR_RETURN(infer->inputs, from.each<PlacedTensor>("inputs", read_placed));
  FOREBAY_ASSIGN_OR_RETURN(infer->outputs, from.texts("outputs"));
  FOREBAY_ASSIGN_OR_RETURN(infer->parameters, from.parameters("parameters"));
  return ok_status();
}

}  // namespace

Status check_finite(const Parameters& parameters) {
  for (const auto& [name, value] : parameters) {
    const auto* const number = std::get_if<double>(&value);
    if (number != nullptr && !std::isfinite(*number)) {
      return invalid_argument("parameter '{}' is {}; a model in a process of its own takes finite numbers",
                              name, *number);
    }
  }
  return ok_status();
}

std::string to_json(const InferMessage& message) {
  MessageJson json = {{"kind", "infer"},
                      {"number", message.number},
                      {"id", message.id},
                      {"inputs", placed_to_json(message.inputs)},
                      {"outputs", message.outputs},
                      {"parameters", parameters_to_json(message.parameters)},
                      {"freed", message.freed}};
  if (message.slab_bytes > 0) {
    json["slab_bytes"] = message.slab_bytes;
  }
  return dumped(json);
}

std::string to_json(const ReadyMessage& message) {
  return dumped({{"kind", "ready"},
                 {"platform", message.platform},
                 {"inputs", metadata_to_json(message.inputs)},
                 {"outputs", metadata_to_json(message.outputs)},
                 {"max_batch_size", message.max_batch_size}});
}

std::string to_json(const FailedMessage& message) {
  MessageJson json = {{"kind", "failed"}};
  put_error(json, message.status);
  return dumped(json);
}

std::string to_json(const AnswerMessage& message) {
  MessageJson json = {{"kind", "answer"},
                      {"number", message.number},
                      {"outputs", placed_to_json(message.outputs)},
                      {"slab", message.slab},
                      {"slab_bytes", message.slab_bytes},
                      {"dropped", message.dropped},
                      {"input_ns", message.timing.input_ns},
                      {"compute_ns", message.timing.compute_ns},
                      {"output_ns", message.timing.output_ns}};
  if (!message.status.ok()) {
    put_error(json, message.status);
  }
  return dumped(json);
}

Result<WorkerMessage> parse_worker_message(std::string_view json) {
  FOREBAY_ASSIGN_OR_RETURN(const ParsedMessage parsed, ParsedMessage::parse(json));
  const MessageFields from = parsed.fields();
  FOREBAY_ASSIGN_OR_RETURN(const std::string kind, from.text("kind"));
  if (kind == "ready") {
    return read_ready(from);
  }
  if (kind == "failed") {
    return read_failed(from);
  }
  if (kind == "answer") {
    return read_answer(from);
  }
  return invalid_argument("a message of the kind '{}'", kind.substr(0, 100));
}

Result<InferMessage> parse_infer_message(std::string_view json) {
  FOREBAY_ASSIGN_OR_RETURN(const ParsedMessage parsed, ParsedMessage::parse(json));
  const MessageFields from = parsed.fields();
  InferMessage infer;
  FOREBAY_ASSIGN_OR_RETURN(infer.number, from.number<uint64_t>("number"));
  FOREBAY_ASSIGN_OR_RETURN(infer.slab_bytes, from.number<uint64_t>("slab_bytes", 0));
  FOREBAY_ASSIGN_OR_RETURN(infer.freed, from.numbers<uint64_t>("freed"));
  infer.problem = read_request(from, &infer);
  return infer;
}

}  // namespace forebay::serving
