// A model that answers requests, and the server of models that the doors (HTTP, gRPC) stand before.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// One version of a model, loaded: a pipeline, an ONNX or Python model, an ensemble. Thread safe.
class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelMetadata& metadata() const = 0;

  /// Answers `request`, whose inputs check_size() found right and whose names, datatypes and shapes fit
  /// metadata(). Returns at once; refusals go to the answer too: resource_exhausted where too much is under
  /// way, deadline_exceeded, unavailable after close().
  virtual void infer(InferRequest request, InferAnswer answer) = 0;

  /// Takes no more requests, waits until those under way have their answers or `deadline_ns` (steady_clock())
  /// has passed, and answers what is left with unavailable. May be called twice.
  virtual void close(int64_t deadline_ns) = 0;

  /// OK while requests may be answered; otherwise why they cannot be: its processes have ended, a member of
  /// an ensemble is not ready. Does not wait.
  virtual Status status() const { return ok_status(); }

  /// How often the model ran, where a run may answer several requests. nullopt: once for each request.
  virtual std::optional<uint64_t> execution_count() const { return std::nullopt; }
};

/// Counts of a model since it was loaded, as /v2/models/NAME/stats and the metrics give them.
struct ModelStatistics {
  std::string name;
  std::string version;
  uint64_t success_count = 0;
  uint64_t failure_count = 0;
  uint64_t inference_count = 0;   // samples: rows of batches
  uint64_t execution_count = 0;   // runs of the model
  int64_t last_inference_ms = 0;  // since 1970
  int64_t success_ns = 0;         // from the request's arrival to its answer
  int64_t failure_ns = 0;
  Timing total;  // of successful requests, summed
};

struct ModelIndexEntry {
  std::string name;
  std::string version;
  std::string state;   // "READY", "LOADING", "UNLOADING", "UNAVAILABLE", or empty: never loaded
  std::string reason;  // why it is not there
};

/// What the doors stand before. Thread safe.
class ModelServer {
 public:
  virtual ~ModelServer() = default;

  /// As Model::infer(), of the model that the request names: not_found for one that is unknown, unavailable
  /// where it is not ready. Inputs, outputs, datatypes and shapes are checked here; doors check sizes only.
  virtual void infer(InferRequest request, InferAnswer answer) = 0;

  virtual bool is_live() const = 0;
  virtual bool is_ready() const = 0;  // every model that was to be loaded at the start is
  /// Of an empty `version` the newest that is ready.
  virtual bool is_model_ready(const std::string& name, const std::string& version) const = 0;
  virtual Result<ModelMetadata> metadata(const std::string& name, const std::string& version) const = 0;
  /// The configuration as JSON, with the keys of Triton's ModelConfig.
  virtual Result<std::string> config_json(const std::string& name, const std::string& version) const = 0;
  /// Of all models where `name` is empty.
  virtual Result<std::vector<ModelStatistics>> statistics(const std::string& name,
                                                          const std::string& version) const = 0;
  virtual std::vector<ModelIndexEntry> index(bool only_ready) const = 0;

  /// Load (again) and unload while serving: requests under way end on what was loaded. `done` is called once,
  /// on any thread.
  virtual void load(const std::string& name, absl::AnyInvocable<void(Status)> done) = 0;
  virtual void unload(const std::string& name, absl::AnyInvocable<void(Status)> done) = 0;
};

}  // namespace forebay::serving
