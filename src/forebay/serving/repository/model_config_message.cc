// The message of a configuration, checked field by field.
#include "forebay/serving/repository/model_config_message.h"

#include <algorithm>
#include <set>
#include <utility>

namespace forebay::serving {
namespace {

namespace config_pb = ::inference;

constexpr int64_t kMaxInstances = 4096;
constexpr uint64_t kMaxTime_us = uint64_t{7} * 24 * 3600 * 1000 * 1000;

struct DatatypeRow {
  config_pb::DataType in_message;
  Datatype datatype;
};

constexpr DatatypeRow kDatatypeRows[] = {
    {config_pb::TYPE_BOOL, Datatype::kBool},     {config_pb::TYPE_UINT8, Datatype::kUint8},
    {config_pb::TYPE_UINT16, Datatype::kUint16}, {config_pb::TYPE_UINT32, Datatype::kUint32},
    {config_pb::TYPE_UINT64, Datatype::kUint64}, {config_pb::TYPE_INT8, Datatype::kInt8},
    {config_pb::TYPE_INT16, Datatype::kInt16},   {config_pb::TYPE_INT32, Datatype::kInt32},
    {config_pb::TYPE_INT64, Datatype::kInt64},   {config_pb::TYPE_FP16, Datatype::kFp16},
    {config_pb::TYPE_FP32, Datatype::kFp32},     {config_pb::TYPE_FP64, Datatype::kFp64},
    {config_pb::TYPE_STRING, Datatype::kBytes},  {config_pb::TYPE_BF16, Datatype::kBf16},
};

std::optional<Datatype> datatype_in(config_pb::DataType given) {
  for (const DatatypeRow& row : kDatatypeRows) {
    if (row.in_message == given) {
      return row.datatype;
    }
  }
  return std::nullopt;
}

config_pb::DataType message_datatype(Datatype datatype) {
  for (const DatatypeRow& row : kDatatypeRows) {
    if (row.datatype == datatype) {
      return row.in_message;
    }
  }
  return config_pb::TYPE_INVALID;
}

/// "[ 3, -1, 224 ]" of the text, as a list.
template <class Extents>
Result<std::vector<int64_t>> extents_of(const Extents& given, const char* field) {
  std::vector<int64_t> extents(given.begin(), given.end());
  for (const int64_t extent : extents) {
    if (extent < 1 && extent != -1) {
      return invalid_argument("{} has the extent {}; extents are at least 1, or -1 for any", field, extent);
    }
  }
  return extents;
}

/// That a tensor may be reshaped: as many elements, and as many extents that are open.
Status check_reshape(const ConfigTensor& tensor) {
  if (!tensor.reshape) {
    return ok_status();
  }
  const auto open = [](const std::vector<int64_t>& shape) {
    return std::count(shape.begin(), shape.end(), -1);
  };
  const auto volume = [](std::vector<int64_t> shape) {
    std::replace(shape.begin(), shape.end(), int64_t{-1}, int64_t{1});
    return volume_of(shape);
  };
  FOREBAY_ASSIGN_OR_RETURN(const int64_t given, volume(tensor.dims));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t reshaped, volume(*tensor.reshape));
  if (given != reshaped || open(tensor.dims) != open(*tensor.reshape)) {
    return invalid_argument("reshape has other elements than dims: {} to {}, and extents of -1: {} to {}",
                            reshaped, given, open(*tensor.reshape), open(tensor.dims));
  }
  return ok_status();
}

template <class Tensor>
Result<ConfigTensor> tensor_of(const Tensor& given) {
  ConfigTensor tensor;
  tensor.name = given.name();
  if (tensor.name.empty()) {
    return invalid_argument("it has no name");
  }
  tensor.datatype = datatype_in(given.data_type());
  FOREBAY_ASSIGN_OR_RETURN(tensor.dims, extents_of(given.dims(), "dims"));
  if (given.has_reshape()) {
    FOREBAY_ASSIGN_OR_RETURN(tensor.reshape, extents_of(given.reshape().shape(), "reshape"));
  }
  FOREBAY_RETURN_IF_ERROR(check_reshape(tensor));
  if (given.is_shape_tensor()) {
    return unimplemented("is_shape_tensor is for TensorRT, which is not offered");
  }
  return tensor;
}

template <class Tensors>
Result<std::vector<ConfigTensor>> tensors_of(const Tensors& given, const char* field) {
  std::vector<ConfigTensor> tensors;
  std::set<std::string> names;
  for (const auto& each : given) {
    Result<ConfigTensor> tensor = tensor_of(each);
    if (!tensor.ok()) {
      return annotate(tensor.status(), fmt::format("{} {} '{}'", field, tensors.size(), each.name()));
    }
    if (!names.insert(tensor->name).second) {
      return invalid_argument("{} '{}' is there twice", field, tensor->name);
    }
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

Result<int64_t> ns_of(uint64_t given_us, const char* field) {
  if (given_us > kMaxTime_us) {
    return invalid_argument("{} is {}; the longest is {}, a week", field, given_us, kMaxTime_us);
  }
  return static_cast<int64_t>(given_us) * 1000;
}

Result<QueuePolicy> policy_of(const config_pb::ModelQueuePolicy& given) {
  QueuePolicy policy;
  FOREBAY_ASSIGN_OR_RETURN(policy.timeout_ns,
                           ns_of(given.default_timeout_microseconds(), "default_timeout_microseconds"));
  policy.delays_overdue = given.timeout_action() == config_pb::ModelQueuePolicy::DELAY;
  policy.max_queue_size = given.max_queue_size();
  return policy;
}

Status take_priorities(const config_pb::ModelDynamicBatching& given, BatchingOptions* batching) {
  batching->priority_levels = given.priority_levels();
  batching->default_priority = given.default_priority_level();
  if (batching->default_priority > batching->priority_levels ||
      (batching->priority_levels > 0 && batching->default_priority == 0)) {
    return invalid_argument("default_priority_level is {}; with {} priority_levels it is from 1 to {}",
                            batching->default_priority, batching->priority_levels, batching->priority_levels);
  }
  for (const auto& [level, policy] : given.priority_queue_policy()) {
    if (level < 1 || level > batching->priority_levels) {
      return invalid_argument("priority_queue_policy names level {}; there are {} priority_levels", level,
                              batching->priority_levels);
    }
    FOREBAY_ASSIGN_OR_RETURN(batching->policies[level], policy_of(policy));
  }
  return ok_status();
}

Result<BatchingOptions> batching_of(const config_pb::ModelConfig& given, int64_t instance_count) {
  const config_pb::ModelDynamicBatching& said = given.dynamic_batching();
  BatchingOptions batching;
  batching.max_batch_size = given.max_batch_size();
  batching.max_running = instance_count;
  batching.preserves_order = said.preserve_ordering();
  for (const int32_t size : said.preferred_batch_size()) {
    if (size < 1 || size > batching.max_batch_size) {
      return invalid_argument("preferred_batch_size {} is not from 1 to max_batch_size, which is {}", size,
                              batching.max_batch_size);
    }
    batching.preferred_sizes.push_back(size);
  }
  FOREBAY_ASSIGN_OR_RETURN(batching.max_queue_delay_ns,
                           ns_of(said.max_queue_delay_microseconds(), "max_queue_delay_microseconds"));
  FOREBAY_ASSIGN_OR_RETURN(batching.default_policy, policy_of(said.default_queue_policy()));
  FOREBAY_RETURN_IF_ERROR(take_priorities(said, &batching));
  return batching;
}

Result<std::vector<EnsembleStep>> steps_of(const config_pb::ModelEnsembling& given) {
  std::vector<EnsembleStep> steps;
  for (const config_pb::ModelEnsembling::Step& each : given.step()) {
    EnsembleStep step;
    step.model = each.model_name();
    if (step.model.empty()) {
      return invalid_argument("ensemble_scheduling: step {} has no model_name", steps.size());
    }
    step.version = each.model_version() < 1 ? "" : std::to_string(each.model_version());
    step.inputs.insert(each.input_map().begin(), each.input_map().end());
    step.outputs.insert(each.output_map().begin(), each.output_map().end());
    steps.push_back(std::move(step));
  }
  if (steps.empty()) {
    return invalid_argument("ensemble_scheduling has no step");
  }
  return steps;
}

Result<VersionPolicy> version_policy_of(const config_pb::ModelVersionPolicy& given) {
  VersionPolicy policy;
  if (given.has_all()) {
    policy.kind = VersionPolicy::Kind::kAll;
  } else if (given.has_specific()) {
    policy.kind = VersionPolicy::Kind::kSpecific;
    policy.specific.assign(given.specific().versions().begin(), given.specific().versions().end());
    if (policy.specific.empty()) {
      return invalid_argument("version_policy: specific names no versions");
    }
  } else if (given.has_latest() && given.latest().num_versions() > 0) {
    policy.latest_count = given.latest().num_versions();
  }
  return policy;
}

Result<int64_t> instance_count_of(const config_pb::ModelConfig& given) {
  int64_t count = 0;
  for (const config_pb::ModelInstanceGroup& group : given.instance_group()) {
    if (group.count() < 0) {
      return invalid_argument("instance_group: count is {}", group.count());
    }
    count += group.count() == 0 ? 1 : group.count();
  }
  if (count > kMaxInstances) {
    return invalid_argument("instance_group: {} instances are asked for, and at most {} are offered", count,
                            kMaxInstances);
  }
  return count == 0 ? 1 : count;
}

Status check_offered(const config_pb::ModelConfig& given) {
  if (given.has_sequence_batching()) {
    return unimplemented("sequence_batching is not offered");
  }
  if (given.model_transaction_policy().decoupled()) {
    return unimplemented("model_transaction_policy: decoupled models are not offered");
  }
  if (given.batch_input_size() > 0 || given.batch_output_size() > 0) {
    return unimplemented("batch_input and batch_output are not offered");
  }
  return ok_status();
}

config_pb::ModelTensorReshape reshape_message(const std::vector<int64_t>& shape) {
  config_pb::ModelTensorReshape reshape;
  reshape.mutable_shape()->Assign(shape.begin(), shape.end());
  return reshape;
}

/// Lays a tensor over the one of its name, or adds it.
template <class Tensors>
auto* lay_over(const ConfigTensor& tensor, Tensors* tensors) {
  auto* into = static_cast<decltype(tensors->Add())>(nullptr);
  for (auto& each : *tensors) {
    if (each.name() == tensor.name) {
      into = &each;
    }
  }
  into = into == nullptr ? tensors->Add() : into;
  into->set_name(tensor.name);
  into->set_data_type(tensor.datatype ? message_datatype(*tensor.datatype) : config_pb::TYPE_INVALID);
  into->mutable_dims()->Assign(tensor.dims.begin(), tensor.dims.end());
  if (tensor.reshape) {
    *into->mutable_reshape() = reshape_message(*tensor.reshape);
  }
  return into;
}

}  // namespace

Result<ModelConfig> config_of(const config_pb::ModelConfig& given) {
  FOREBAY_RETURN_IF_ERROR(check_offered(given));
  ModelConfig config;
  config.name = given.name();
  config.platform = given.platform();
  config.backend = given.backend();
  config.model_file = given.default_model_filename();
  config.max_batch_size = given.max_batch_size();
  if (config.max_batch_size < 0) {
    return invalid_argument("max_batch_size is {}; it is at least 0", config.max_batch_size);
  }
  FOREBAY_ASSIGN_OR_RETURN(config.inputs, tensors_of(given.input(), "input"));
  for (size_t i = 0; i < config.inputs.size(); ++i) {
    config.inputs[i].is_optional = given.input(static_cast<int>(i)).optional();
  }
  FOREBAY_ASSIGN_OR_RETURN(config.outputs, tensors_of(given.output(), "output"));
  for (size_t i = 0; i < config.outputs.size(); ++i) {
    config.outputs[i].label_file = given.output(static_cast<int>(i)).label_filename();
  }
  FOREBAY_ASSIGN_OR_RETURN(config.version_policy, version_policy_of(given.version_policy()));
  FOREBAY_ASSIGN_OR_RETURN(config.instance_count, instance_count_of(given));
  if (given.has_dynamic_batching()) {
    Result<BatchingOptions> batching = batching_of(given, config.instance_count);
    if (!batching.ok()) {
      return annotate(batching.status(), "dynamic_batching");
    }
    config.batching = *std::move(batching);
  }
  if (given.has_ensemble_scheduling()) {
    FOREBAY_ASSIGN_OR_RETURN(config.steps, steps_of(given.ensemble_scheduling()));
  }
  for (const auto& [name, value] : given.parameters()) {
    config.parameters[name] = value.string_value();
  }
  return config;
}

config_pb::ModelConfig message_of(const ModelConfig& config) {
  config_pb::ModelConfig out = config.message == nullptr ? config_pb::ModelConfig() : *config.message;
  out.set_name(config.name);
  out.set_platform(config.platform);
  out.set_backend(config.backend);
  out.set_max_batch_size(static_cast<int32_t>(config.max_batch_size));
  for (const ConfigTensor& tensor : config.inputs) {
    lay_over(tensor, out.mutable_input())->set_optional(tensor.is_optional);
  }
  for (const ConfigTensor& tensor : config.outputs) {
    lay_over(tensor, out.mutable_output())->set_label_filename(tensor.label_file);
  }
  if (!out.has_version_policy()) {
    out.mutable_version_policy()->mutable_latest()->set_num_versions(1);
  }
  return out;
}

}  // namespace forebay::serving
