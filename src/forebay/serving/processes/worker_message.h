// What a model's process and ours say to each other: JSON objects, one a message of a Unix socket
// (net/local/local_socket.h). Tensors do not travel in them; messages say where in shared memory they lie.
//
//   we say      infer: the inputs, in the one slab that we write; which slabs of the worker are free again
//   worker says ready: what the model is; failed: why it could not be loaded
//               answer: the outputs, in one of its slabs, or an error
//
// A slab comes as the one descriptor of the first message that uses it, which then says its size. The
// worker's code is not ours: everything it says is checked here for form, and by WorkerLink for sense.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// A tensor in a slab.
struct PlacedTensor {
  std::string name;
  Datatype datatype = Datatype::kFp32;
  std::vector<int64_t> shape;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

struct InferMessage {
  uint64_t number = 0;  // given back in the answer
  /// Not sent. What is wrong with the request's own fields, which the answer is to say; the rest is right.
  Status problem;
  std::string id;  // the request's own
  std::vector<PlacedTensor> inputs;
  std::vector<std::string> outputs;  // empty: all
  Parameters parameters;
  uint64_t slab_bytes = 0;      // above 0: our slab is the one that comes with this message
  std::vector<uint64_t> freed;  // slabs of the worker that it may use again
};

struct ReadyMessage {
  std::string platform;
  std::vector<TensorMetadata> inputs;
  std::vector<TensorMetadata> outputs;
  int64_t max_batch_size = 0;
};

struct FailedMessage {
  Status status;  // never OK
};

struct AnswerMessage {
  uint64_t number = 0;
  Status status;
  std::vector<PlacedTensor> outputs;
  uint64_t slab = 0;              // the worker's number of it; 0: there is none, as all outputs are empty
  uint64_t slab_bytes = 0;        // above 0: it comes with this message
  std::vector<uint64_t> dropped;  // free slabs that the worker has given up
  Timing timing;                  // queue_ns stays 0
};

using WorkerMessage = std::variant<ReadyMessage, FailedMessage, AnswerMessage>;

std::string to_json(const InferMessage& message);
std::string to_json(const ReadyMessage& message);
std::string to_json(const FailedMessage& message);
std::string to_json(const AnswerMessage& message);

/// invalid_argument, with the field, for what is no such message. Unknown fields are ignored.
Result<WorkerMessage> parse_worker_message(std::string_view json);
/// An error only where `number`, `slab_bytes` or `freed` are wrong; what else is goes to
/// InferMessage::problem.
Result<InferMessage> parse_infer_message(std::string_view json);

/// invalid_argument, with the name, for a number that JSON has no word for: infinity, or none (NaN).
Status check_finite(const Parameters& parameters);

}  // namespace forebay::serving
