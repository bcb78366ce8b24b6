// What every door of the server speaks: requests with named tensors, answers, and what is known of a model.
// Source of the terms: KServe's Open Inference Protocol V2 and Triton's extensions of it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/memory/buffer.h"
#include "forebay/serving/inference/datatype.h"

namespace forebay::serving {

/// A value of the protocol's `parameters`.
using Parameter = std::variant<bool, int64_t, double, std::string>;
using Parameters = std::map<std::string, Parameter>;

inline constexpr int64_t kNoDeadlineNs = std::numeric_limits<int64_t>::max();

/// A range of a region of shared memory that a client registered.
struct SharedPlace {
  std::string region;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

/// A tensor with a name. Dense, row-major, little-endian; shares ownership of its memory, so copying one
/// copies no bytes.
struct NamedTensor {
  std::string name;
  Datatype datatype = Datatype::kFp32;
  std::vector<int64_t> shape;
  /// The elements: of kBytes each as a 4-byte little-endian length and its bytes, else plain. Null if empty.
  memory::BufferRef buffer;
  size_t offset_bytes = 0;
  size_t size_bytes = 0;

  Bytes bytes() const {
    return buffer == nullptr ? Bytes() : buffer->bytes().subspan(offset_bytes, size_bytes);
  }
};

/// The product of `shape`. invalid_argument for negative extents and products above 2^63 - 1.
Result<int64_t> volume_of(const std::vector<int64_t>& shape);

/// That `tensor` has as many bytes as its shape and datatype need; of kBytes, that its lengths add up to
/// them. The error names the tensor. Every door calls it for what comes from outside.
Status check_size(const NamedTensor& tensor);

/// The elements of a tensor of kBytes, which check_size() found right; borrowed from it.
std::vector<Bytes> elements_of(const NamedTensor& tensor);

/// A tensor of kBytes of these elements (copied). The shape has one extent.
Result<NamedTensor> bytes_tensor(std::string name, const std::vector<std::string>& elements);

struct RequestedOutput {
  std::string name;
  /// Above 0: not the tensor, but its so many highest values as "value:index[:label]", of each row.
  int64_t class_count = 0;
  bool is_binary = false;  // HTTP: as bytes behind the JSON
  std::optional<SharedPlace> place;
};

struct InferRequest {
  std::string model;
  std::string version;  // empty: the newest that is ready
  std::string id;       // given back
  std::vector<NamedTensor> inputs;
  std::vector<RequestedOutput> outputs;  // empty: all
  Parameters parameters;                 // those that are not read into fields below
  int64_t deadline_ns = kNoDeadlineNs;   // on steady_clock(); "timeout", in microseconds
  uint64_t priority = 0;                 // 1 is the highest; 0: the model's default
  std::optional<int64_t> key;            // "key": whose random numbers; without it 0
  int64_t epoch = 0;                     // "epoch"
  /// Asked to stop when nobody waits for the answer any more: the model may then leave the work out, and
  /// answer with cancelled.
  std::stop_token cancel;
};

/// Whether the answer is to hold the output of that name.
bool is_wanted(const InferRequest& request, std::string_view output);

/// The memory that a request holds, about: whatever of it a client may make large, and what each has besides.
uint64_t held_bytes(const InferRequest& request);

/// Whether the error says that a request was not run, or ended from outside: too much is under way, nobody is
/// there to run it, its time is over, nobody waits for it. Its inputs have no part in that.
bool is_refusal(const Status& error);

/// Where the time of a request went, in nanoseconds of steady_clock().
struct Timing {
  int64_t queue_ns = 0;    // waiting to be run
  int64_t input_ns = 0;    // bringing inputs to where they are computed
  int64_t compute_ns = 0;  // running pipeline or model
  int64_t output_ns = 0;   // taking outputs from there
};

struct InferResponse {
  std::string model;
  std::string version;
  std::string id;
  Parameters parameters;
  std::vector<NamedTensor> outputs;
  Timing timing;
  /// Of ensembles: the time of each model that took part, in the order of the steps.
  std::vector<std::pair<std::string, Timing>> steps;
};

/// Receives the response or the error. Called exactly once, on any thread, also within the call that took it,
/// with no lock held. Must not throw, and must not wait.
using InferAnswer = absl::AnyInvocable<void(Result<InferResponse>)>;

/// "[3, -1]", for messages.
std::string shape_text(const std::vector<int64_t>& shape);

struct TensorMetadata {
  std::string name;
  Datatype datatype = Datatype::kFp32;
  std::vector<int64_t> shape;       // -1: any extent. With the extent of the batch, where the model has one
  std::vector<std::string> labels;  // of an output: the names of its classes, where they are known
  bool is_optional = false;         // of an input: a request may leave it out
  bool takes_any = false;     // of an input: other datatypes and ranks do too; of an output: only a guess
  bool is_type_known = true;  // of an output: otherwise `datatype` says nothing
};

/// What clients are told: "FP32", and "<invalid>" of a type that is not known, as Triton says it of one that
/// is none.
std::string_view datatype_name(const TensorMetadata& tensor);

struct ModelMetadata {
  std::string name;
  std::vector<std::string> versions;
  std::string platform;  // "forebay_pipeline", "onnxruntime_onnx", "python", "ensemble"
  std::vector<TensorMetadata> inputs;
  std::vector<TensorMetadata> outputs;
  int64_t max_batch_size = 0;  // 0: requests have no extent of the batch
};

}  // namespace forebay::serving
