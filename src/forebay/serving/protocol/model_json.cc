// What is known of server and models, as JSON: metadata, statistics, the index of the repository.
#include "forebay/serving/protocol/model_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {
namespace {

using nlohmann::json;
using ordered = nlohmann::ordered_json;

std::string ordered_text(const ordered& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, ordered::error_handler_t::replace);
}

ordered tensors_json(const std::vector<TensorMetadata>& tensors) {
  ordered array = ordered::array();
  for (const TensorMetadata& tensor : tensors) {
    array.push_back({{"name", tensor.name}, {"datatype", datatype_name(tensor)}, {"shape", tensor.shape}});
  }
  return array;
}

ordered duration_json(uint64_t count, int64_t ns) {
  return {{"count", count}, {"ns", ns}};
}

ordered model_statistics_json(const ModelStatistics& model) {
  const uint64_t successes = model.success_count;
  return {{"name", model.name},
          {"version", model.version},
          {"last_inference", model.last_inference_ms},
          {"inference_count", model.inference_count},
          {"execution_count", model.execution_count},
          {"inference_stats",
           {{"success", duration_json(successes, model.success_ns)},
            {"fail", duration_json(model.failure_count, model.failure_ns)},
            {"queue", duration_json(successes, model.total.queue_ns)},
            {"compute_input", duration_json(successes, model.total.input_ns)},
            {"compute_infer", duration_json(successes, model.total.compute_ns)},
            {"compute_output", duration_json(successes, model.total.output_ns)},
            {"cache_hit", duration_json(0, 0)},
            {"cache_miss", duration_json(0, 0)}}},
          {"batch_stats", ordered::array()}};
}

// The object `parameters` of a body, empty where it has none.
Result<json> parameters_of_body(std::string_view body, std::string_view what) {
  FOREBAY_ASSIGN_OR_RETURN(const json request, object_from_body(body, what));
  const json* const parameters = member_of(request, "parameters");
  if (parameters == nullptr) {
    return json::object();
  }
  if (!parameters->is_object()) {
    return invalid_argument("{}: 'parameters' must be an object", what);
  }
  return *parameters;
}

}  // namespace

std::vector<std::string> server_extensions() {
  return {"classification", "model_configuration", "model_repository", "schedule_policy",
          "statistics",     "binary_tensor_data",  "parameters",       "system_shared_memory"};
}

std::string server_metadata_json(std::string_view name, std::string_view version,
                                 const std::vector<std::string>& extensions) {
  return ordered_text({{"name", name}, {"version", version}, {"extensions", extensions}});
}

std::string model_metadata_json(const ModelMetadata& metadata) {
  return ordered_text({{"name", metadata.name},
                       {"versions", metadata.versions},
                       {"platform", metadata.platform},
                       {"inputs", tensors_json(metadata.inputs)},
                       {"outputs", tensors_json(metadata.outputs)}});
}

std::string statistics_json(const std::vector<ModelStatistics>& models) {
  ordered array = ordered::array();
  for (const ModelStatistics& model : models) {
    array.push_back(model_statistics_json(model));
  }
  ordered body;
  body["model_stats"] = std::move(array);
  return ordered_text(body);
}

std::string index_json(const std::vector<ModelIndexEntry>& entries) {
  ordered array = ordered::array();
  for (const ModelIndexEntry& entry : entries) {
    ordered object = {{"name", entry.name}};
    for (const auto& [member, text] : {std::pair("version", &entry.version), std::pair("state", &entry.state),
                                       std::pair("reason", &entry.reason)}) {
      if (!text->empty()) {
        object[member] = *text;
      }
    }
    array.push_back(std::move(object));
  }
  return ordered_text(array);
}

Result<bool> parse_index_request(std::string_view body) {
  FOREBAY_ASSIGN_OR_RETURN(const json request, object_from_body(body, "the request for the index"));
  const json* const ready = member_of(request, "ready");
  return ready == nullptr ? Result<bool>(false) : flag_from_json(*ready, "'ready'");
}

Status check_load_request(std::string_view body) {
  FOREBAY_ASSIGN_OR_RETURN(const json parameters, parameters_of_body(body, "the request to load a model"));
  for (const auto& [name, value] : parameters.items()) {
    if (name == "config" || name.starts_with("file:")) {
      return unimplemented("parameter '{}': models are loaded as their folders say, not with what is sent",
                           clipped(name));
    }
  }
  return ok_status();
}

Result<bool> parse_unload_request(std::string_view body) {
  FOREBAY_ASSIGN_OR_RETURN(const json parameters, parameters_of_body(body, "the request to unload a model"));
  const json* const dependents = member_of(parameters, "unload_dependents");
  return dependents == nullptr ? Result<bool>(false)
                               : flag_from_json(*dependents, "parameter 'unload_dependents'");
}

}  // namespace forebay::serving
