// What is known of server and models, as JSON: metadata, statistics, the index of the repository.
// Source: KServe's Open Inference Protocol V2; Triton's extensions for statistics and the model repository.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/serving/inference/model.h"

namespace forebay::serving {

/// What the server offers beyond the protocol itself, by Triton's names.
std::vector<std::string> server_extensions();

/// {"name", "version", "extensions"}.
std::string server_metadata_json(std::string_view name, std::string_view version,
                                 const std::vector<std::string>& extensions);

/// {"name", "versions", "platform", "inputs", "outputs"}, tensors as {"name", "datatype", "shape"}.
std::string model_metadata_json(const ModelMetadata& metadata);

/// {"model_stats": [...]} in Triton's shape, times in nanoseconds. Times of stages are counted for successful
/// requests.
std::string statistics_json(const std::vector<ModelStatistics>& models);

/// An array of {"name", "version", "state", "reason"}; what is empty is left out, but for the name.
std::string index_json(const std::vector<ModelIndexEntry>& entries);

/// Of a request for the index: its `ready`, false where it is not given. `body` may be empty.
Result<bool> parse_index_request(std::string_view body);

/// A request to load a model. unimplemented where it brings a configuration or files of its own, which
/// Triton's `parameters` "config" and "file:..." do: a model is loaded as its folder says.
Status check_load_request(std::string_view body);

/// Of a request to unload a model: its parameter `unload_dependents`.
Result<bool> parse_unload_request(std::string_view body);

}  // namespace forebay::serving
