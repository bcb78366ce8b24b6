// The conversation with one process of a model: requests to it, answers from it, tensors in shared memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/net/local/local_socket.h"
#include "forebay/serving/processes/process_options.h"
#include "forebay/serving/processes/shared_slab.h"
#include "forebay/serving/processes/worker_message.h"
#include "forebay/serving/processes/worker_process.h"
#include "forebay/serving/processes/worker_slabs.h"

namespace forebay::serving {

/// What a worker said, and the descriptor that came with it, if one did.
struct HeardMessage {
  WorkerMessage message;
  FileDescriptor descriptor;
};

/// Not thread safe. Nothing here waits.
class WorkerLink {
 public:
  static Result<std::unique_ptr<WorkerLink>> start(const ProcessModelOptions& options, std::string who);

  WorkerProcess& process() { return process_; }

  /// Copies the inputs into our slab, and writes the message. An error is the request's: too large.
  Status prepare(const InferRequest& request);
  /// Sends what was prepared.
  Status send();

  /// What the worker has said, if it did. cancelled once it has closed its end; invalid_argument if it does
  /// not speak as it should, and the link is of no use any more.
  Result<std::optional<HeardMessage>> hear();
  /// The outputs in an answer to what was sent, or the request's error. What is returned is the link's, as of
  /// hear().
  Status read(AnswerMessage& answer, FileDescriptor descriptor, const ModelMetadata& metadata,
              Result<std::vector<NamedTensor>>* outputs);

 private:
  WorkerLink(const ProcessModelOptions& options, WorkerProcess process);

  Status make_room(uint64_t bytes);
  std::vector<PlacedTensor> copy_inputs(const InferRequest& request);
  Result<memory::BufferRef> slab_of(const AnswerMessage& answer, FileDescriptor descriptor);
  Result<std::vector<NamedTensor>> outputs_of(AnswerMessage& answer, const memory::BufferRef& slab,
                                              const ModelMetadata& metadata);
  Result<NamedTensor> output_of(PlacedTensor& placed, const memory::BufferRef& slab);

  const uint64_t most_shared_bytes_;
  WorkerProcess process_;
  SharedSlab inputs_;
  bool is_slab_sent_ = false;
  const std::shared_ptr<WorkerSlabs> outputs_;
  std::vector<uint64_t> freed_;  // which the worker was not told yet
  uint64_t number_ = 0;
  std::vector<std::string> asked_;  // outputs of what was prepared
  std::string prepared_;
};

}  // namespace forebay::serving
