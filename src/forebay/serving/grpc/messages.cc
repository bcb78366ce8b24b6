// Fields of the contract, written to fields of messages.
#include "forebay/serving/grpc/messages.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "forebay/serving/grpc/valid_text.h"

namespace forebay::serving {
namespace {

void fill_tensor(const TensorMetadata& tensor, inference::ModelMetadataResponse::TensorMetadata& to) {
  to.set_name(valid_text(tensor.name));
  to.set_datatype(std::string(datatype_name(tensor)));
  to.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
}

void add_texts(const std::vector<std::string>& texts, google::protobuf::RepeatedPtrField<std::string>& to) {
  for (const std::string& text : texts) {
    to.Add(valid_text(text));
  }
}

/// Settings of requests and of responses are written alike.
template <class Asked, class Known>
bool is_same_setting(const Asked& asked, const Known& known) {
  return asked.SerializeAsString() == known.SerializeAsString();
}

void set_duration(uint64_t count, int64_t ns, inference::StatisticDuration& to) {
  to.set_count(count);
  to.set_ns(static_cast<uint64_t>(std::max<int64_t>(ns, 0)));
}

}  // namespace

void fill_server_metadata(const GrpcDoorOptions& options, inference::ServerMetadataResponse& to) {
  to.set_name(valid_text(options.server_name));
  to.set_version(valid_text(options.server_version));
  add_texts(options.server_extensions, *to.mutable_extensions());
}

void fill_metadata(const ModelMetadata& metadata, inference::ModelMetadataResponse& to) {
  to.set_name(valid_text(metadata.name));
  add_texts(metadata.versions, *to.mutable_versions());
  to.set_platform(valid_text(metadata.platform));
  for (const TensorMetadata& input : metadata.inputs) {
    fill_tensor(input, *to.add_inputs());
  }
  for (const TensorMetadata& output : metadata.outputs) {
    fill_tensor(output, *to.add_outputs());
  }
}

void fill_statistics(const ModelStatistics& statistics, inference::ModelStatistics& to) {
  const uint64_t count = statistics.success_count;
  to.set_name(valid_text(statistics.name));
  to.set_version(valid_text(statistics.version));
  to.set_last_inference(static_cast<uint64_t>(statistics.last_inference_ms));
  to.set_inference_count(statistics.inference_count);
  to.set_execution_count(statistics.execution_count);
  inference::InferStatistics& times = *to.mutable_inference_stats();
  set_duration(count, statistics.success_ns, *times.mutable_success());
  set_duration(statistics.failure_count, statistics.failure_ns, *times.mutable_fail());
  set_duration(count, statistics.total.queue_ns, *times.mutable_queue());
  set_duration(count, statistics.total.input_ns, *times.mutable_compute_input());
  set_duration(count, statistics.total.compute_ns, *times.mutable_compute_infer());
  set_duration(count, statistics.total.output_ns, *times.mutable_compute_output());
  times.mutable_cache_hit();
  times.mutable_cache_miss();
}

void fill_index(const std::vector<ModelIndexEntry>& entries, inference::RepositoryIndexResponse& to) {
  for (const ModelIndexEntry& entry : entries) {
    auto& model = *to.add_models();
    model.set_name(valid_text(entry.name));
    model.set_version(valid_text(entry.version));
    model.set_state(valid_text(entry.state));
    model.set_reason(valid_text(entry.reason));
  }
}

void fill_regions(const std::vector<RegionState>& regions, inference::SystemSharedMemoryStatusResponse& to) {
  for (const RegionState& region : regions) {
    const std::string name = valid_text(region.name);
    auto& status = (*to.mutable_regions())[name];
    status.set_name(name);
    status.set_key(valid_text(region.key));
    status.set_offset(region.offset_bytes);
    status.set_byte_size(region.size_bytes);
  }
}

Status fill_config(const std::string& json, const std::string& model, inference::ModelConfig& to) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &to, options);
  if (!status.ok()) {
    return internal_error("the configuration of model '{}' is no ModelConfig: {}", model,
                          status.message().ToString());
  }
  return ok_status();
}

Status fill_trace_settings(const GrpcDoorOptions& options, const inference::TraceSettingRequest& request,
                           inference::TraceSettingResponse& to) {
  for (const auto& [name, values] : options.trace_settings) {
    add_texts(values, *(*to.mutable_settings())[valid_text(name)].mutable_value());
  }
  for (const auto& [name, setting] : request.settings()) {
    const auto known = to.settings().find(name);
    if (setting.value_size() > 0 &&
        (known == to.settings().end() || !is_same_setting(setting, known->second))) {
      return unimplemented(
          "trace setting '{}' cannot be changed while the server runs: start it with --trace FILE", name);
    }
  }
  return ok_status();
}

Status fill_log_settings(const GrpcDoorOptions& options, const inference::LogSettingsRequest& request,
                         inference::LogSettingsResponse& to) {
  for (const auto& [name, value] : options.log_settings) {
    inference::LogSettingsResponse::SettingValue& setting = (*to.mutable_settings())[valid_text(name)];
    if (const auto* const flag = std::get_if<bool>(&value)) {
      setting.set_bool_param(*flag);
    } else if (const auto* const number = std::get_if<int64_t>(&value)) {
      setting.set_uint32_param(static_cast<uint32_t>(*number));
    } else if (const auto* const text = std::get_if<std::string>(&value)) {
      setting.set_string_param(valid_text(*text));
    }
  }
  for (const auto& [name, setting] : request.settings()) {
    const auto known = to.settings().find(name);
    if (known == to.settings().end() || !is_same_setting(setting, known->second)) {
      return unimplemented(
          "log setting '{}' cannot be changed while the server runs: start it with FOREBAY_LOG", name);
    }
  }
  return ok_status();
}

}  // namespace forebay::serving
