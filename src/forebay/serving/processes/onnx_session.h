// An ONNX model, loaded into ONNX Runtime.
#pragma once

#include <string>
#include <vector>

#include "forebay/serving/processes/onnx_library.h"
#include "forebay/serving/processes/onnx_values.h"
#include "forebay/serving/processes/worker_side.h"

namespace forebay::serving {

struct OnnxOptions {
  std::string model;  // a file; what it refers to lies beside it
  OnnxPlaces places;
  int intra_op_threads = 1;    // of one operator
  int64_t max_batch_size = 0;  // above 0: the first extent of all inputs and outputs is that of the batch
};

/// What the worker of an ONNX model computes.
class OnnxSession final : public WorkerProgram {
 public:
  explicit OnnxSession(OnnxOptions options) : options_(std::move(options)) {}

  /// Outputs that are no tensors (sequences, maps) are left out; such inputs are unimplemented.
  Result<ReadyMessage> load() override;
  Result<std::vector<NamedTensor>> run(WorkerRequest request) override;

 private:
  Status open_model();
  /// Inputs or outputs, by the entries that count, name and describe them.
  Result<std::vector<TensorMetadata>> tensors(OrtEntry count, OrtEntry name, OrtEntry info, bool may_skip);
  Result<std::string> name_of_tensor(OrtEntry entry, size_t index);
  Status check_inputs(const WorkerRequest& request) const;
  Status check_batches(const ReadyMessage& ready) const;

  const OnnxOptions options_;
  std::unique_ptr<OnnxLibrary> library_;
  OrtEnvRef env_;
  OrtMemoryInfoRef memory_;
  OrtSessionRef session_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
};

}  // namespace forebay::serving
