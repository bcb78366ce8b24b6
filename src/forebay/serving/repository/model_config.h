// The configuration of a model: Triton's `config.pbtxt`, read where there is one, and completed by what the
// model itself says.
// Source: Triton's model configuration (model_config.proto).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/serving/batching/batching_options.h"
#include "forebay/serving/ensembles/ensemble_step.h"
#include "forebay/serving/inference/inference.h"

namespace inference {
class ModelConfig;  // the message
}

namespace forebay::serving {

/// An input or output as the configuration describes it.
struct ConfigTensor {
  std::string name;
  std::optional<Datatype> datatype;  // not given: the model's, if it knows it
  std::vector<int64_t> dims;         // -1: any extent. Without the extent of the batch
  /// What the model itself takes or gives in place of `dims`, of as many elements.
  std::optional<std::vector<int64_t>> reshape;
  bool is_optional = false;
  bool takes_any = false;  // TensorMetadata::takes_any of the model
  std::string label_file;  // of an output: a file in the model's folder with the names of its classes

  friend bool operator==(const ConfigTensor&, const ConfigTensor&) = default;
};

/// Which of a model's versions are served.
struct VersionPolicy {
  enum class Kind : int8_t { kLatest, kAll, kSpecific };

  Kind kind = Kind::kLatest;
  uint64_t latest_count = 1;
  std::vector<int64_t> specific;

  friend bool operator==(const VersionPolicy&, const VersionPolicy&) = default;
};

struct ModelConfig {
  std::string where;  // the file it was read from; empty: there is none
  std::string name;
  std::string platform;
  std::string backend;
  std::string model_file;      // `default_model_filename`
  int64_t max_batch_size = 0;  // 0: tensors have no extent of the batch, or nothing was said
  std::vector<ConfigTensor> inputs;
  std::vector<ConfigTensor> outputs;
  VersionPolicy version_policy;
  int64_t instance_count = 1;               // of all groups together
  std::optional<BatchingOptions> batching;  // `dynamic_batching`
  std::vector<EnsembleStep> steps;          // `ensemble_scheduling`
  std::map<std::string, std::string> parameters;

  /// All that was read, also what has no field above; null where nothing was.
  std::shared_ptr<const ::inference::ModelConfig> message;
};

/// Reads the text of a `config.pbtxt`; `where` is its path, which errors name with line and column. Unknown
/// fields are passed over with a warning in the log; what is known and not offered is unimplemented.
Result<ModelConfig> parse_model_config(std::string_view text, const std::string& where);

/// Reads a file. not_found where there is none.
Result<ModelConfig> read_model_config(const std::string& path);

/// `config` with what it leaves open taken from the model's `metadata`. invalid_argument, naming both, where
/// they disagree: in the names of tensors, in datatypes, in extents, in the size of batches.
Result<ModelConfig> filled_from(ModelConfig config, const ModelMetadata& metadata);

/// What `config` says of the model, with shapes as clients see them: for models that say nothing themselves.
ModelMetadata metadata_of(const ModelConfig& config);

/// `dims`, behind the extent of the batch where `max_batch_size` is above 0.
std::vector<int64_t> with_batch(const std::vector<int64_t>& dims, int64_t max_batch_size);

/// With the keys of Triton's message, all of them, also those with default values; numbers as numbers.
std::string to_json(const ModelConfig& config);

}  // namespace forebay::serving
