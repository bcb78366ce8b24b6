// What a configuration leaves open, taken from the model; where both speak, they must agree.
#include <algorithm>
#include <utility>

#include <fmt/ranges.h>
#include "forebay/base/nearest_name.h"
#include "forebay/serving/repository/model_config.h"

namespace forebay::serving {
namespace {

bool may_agree(const std::vector<int64_t>& left, const std::vector<int64_t>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](int64_t a, int64_t b) { return a == b || a == -1 || b == -1; });
}

/// Whether a model's tensor may be seen as `shape`: the extents agree.
Status check_tensor(const ConfigTensor& tensor, const TensorMetadata& of_model, int64_t max_batch_size) {
  if (of_model.takes_any && tensor.reshape) {
    return invalid_argument("the configuration reshapes it, and the model does not say what shape it has");
  }
  if (of_model.takes_any) {
    return ok_status();
  }
  if (tensor.datatype && *tensor.datatype != of_model.datatype) {
    return invalid_argument("the configuration says {}, and the model has {}", name_of(*tensor.datatype),
                            name_of(of_model.datatype));
  }
  const std::vector<int64_t> shape = with_batch(tensor.reshape.value_or(tensor.dims), max_batch_size);
  if (!may_agree(shape, of_model.shape)) {
    return invalid_argument("the configuration says the shape {}{}, and the model has {}", shape_text(shape),
                            max_batch_size > 0 ? " with the extent of the batch" : "",
                            shape_text(of_model.shape));
  }
  return ok_status();
}

ConfigTensor tensor_from(const TensorMetadata& of_model, int64_t max_batch_size) {
  ConfigTensor tensor;
  tensor.name = of_model.name;
  if (of_model.is_type_known) {
    tensor.datatype = of_model.datatype;
  }
  const bool has_batch = max_batch_size > 0 && !of_model.shape.empty();
  tensor.dims.assign(of_model.shape.begin() + (has_batch ? 1 : 0), of_model.shape.end());
  tensor.is_optional = of_model.is_optional;
  tensor.takes_any = of_model.takes_any;
  return tensor;
}

/// Extents that the configuration leaves open and the model does not are the model's.
void narrow(const TensorMetadata& of_model, int64_t max_batch_size, ConfigTensor* tensor) {
  const size_t first = max_batch_size > 0 ? 1 : 0;
  for (size_t i = 0; i < tensor->dims.size() && !tensor->reshape; ++i) {
    tensor->dims[i] = tensor->dims[i] == -1 ? of_model.shape[first + i] : tensor->dims[i];
  }
}

const TensorMetadata* metadata_named(const std::vector<TensorMetadata>& tensors, const std::string& name) {
  const auto at = std::find_if(tensors.begin(), tensors.end(),
                               [&](const TensorMetadata& tensor) { return tensor.name == name; });
  return at == tensors.end() ? nullptr : &*at;
}

Status not_in_model(const ConfigTensor& tensor, const std::vector<TensorMetadata>& of_model,
                    const char* what) {
  NearestName nearest(tensor.name);
  std::vector<std::string> names;
  for (const TensorMetadata& each : of_model) {
    nearest.look_at(each.name);
    names.push_back(each.name);
  }
  return invalid_argument("the configuration has the {} '{}', and the model has {}{}", what, tensor.name,
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                          nearest.is_near() ? fmt::format("; is '{}' meant?", nearest.found()) : "");
}

Status fill_tensors(const std::vector<TensorMetadata>& of_model, int64_t max_batch_size, const char* what,
                    std::vector<ConfigTensor>* tensors) {
  if (tensors->empty()) {
    for (const TensorMetadata& each : of_model) {
      tensors->push_back(tensor_from(each, max_batch_size));
    }
    return ok_status();
  }
  for (ConfigTensor& tensor : *tensors) {
    const TensorMetadata* const model_tensor = metadata_named(of_model, tensor.name);
    if (model_tensor == nullptr) {
      return not_in_model(tensor, of_model, what);
    }
    FOREBAY_RETURN_IF_ERROR(annotate(check_tensor(tensor, *model_tensor, max_batch_size),
                                     fmt::format("{} '{}'", what, tensor.name)));
    tensor.takes_any = model_tensor->takes_any;
    if (!tensor.datatype && model_tensor->is_type_known) {
      tensor.datatype = model_tensor->datatype;
    }
    if (!tensor.takes_any) {
      narrow(*model_tensor, max_batch_size, &tensor);
    }
    tensor.is_optional = tensor.is_optional || model_tensor->is_optional;
  }
  return ok_status();
}

Status check_inputs_are_all(const ModelConfig& config, const ModelMetadata& metadata) {
  for (const TensorMetadata& each : metadata.inputs) {
    const bool is_there = std::any_of(config.inputs.begin(), config.inputs.end(),
                                      [&](const ConfigTensor& tensor) { return tensor.name == each.name; });
    if (!is_there && !each.is_optional) {
      return invalid_argument("the model needs the input '{}', which the configuration leaves out",
                              each.name);
    }
  }
  return ok_status();
}

Status fill(const ModelMetadata& metadata, ModelConfig* config) {
  if (config->max_batch_size > metadata.max_batch_size) {
    return invalid_argument(
        "the configuration says max_batch_size {}, and the model takes {}", config->max_batch_size,
        metadata.max_batch_size == 0 ? std::string("no batches")
                                     : fmt::format("batches of at most {}", metadata.max_batch_size));
  }
  if (config->max_batch_size == 0 && config->inputs.empty() && config->outputs.empty()) {
    config->max_batch_size = metadata.max_batch_size;
  }
  FOREBAY_RETURN_IF_ERROR(fill_tensors(metadata.inputs, config->max_batch_size, "input", &config->inputs));
  FOREBAY_RETURN_IF_ERROR(fill_tensors(metadata.outputs, config->max_batch_size, "output", &config->outputs));
  FOREBAY_RETURN_IF_ERROR(check_inputs_are_all(*config, metadata));
  if (config->batching) {
    config->batching->max_batch_size = config->max_batch_size;
  }
  if (config->platform.empty() && config->backend.empty()) {
    config->platform = metadata.platform;
  }
  return ok_status();
}

TensorMetadata tensor_metadata(const ConfigTensor& tensor, int64_t max_batch_size) {
  TensorMetadata metadata;
  metadata.name = tensor.name;
  metadata.datatype = tensor.datatype.value_or(Datatype::kFp32);
  metadata.shape = with_batch(tensor.dims, max_batch_size);
  metadata.is_optional = tensor.is_optional;
  metadata.takes_any = tensor.takes_any;
  metadata.is_type_known = tensor.datatype || !tensor.takes_any;
  return metadata;
}

}  // namespace

std::vector<int64_t> with_batch(const std::vector<int64_t>& dims, int64_t max_batch_size) {
  std::vector<int64_t> shape = dims;
  if (max_batch_size > 0) {
    shape.insert(shape.begin(), -1);
  }
  return shape;
}

Result<ModelConfig> filled_from(ModelConfig config, const ModelMetadata& metadata) {
  const Status status = fill(metadata, &config);
  if (!status.ok()) {
    return annotate(status, fmt::format("model '{}'{}", metadata.name,
                                        config.where.empty() ? "" : fmt::format(" and {}", config.where)));
  }
  return config;
}

ModelMetadata metadata_of(const ModelConfig& config) {
  ModelMetadata metadata;
  metadata.name = config.name;
  metadata.platform = config.platform.empty() ? config.backend : config.platform;
  metadata.max_batch_size = config.max_batch_size;
  for (const ConfigTensor& tensor : config.inputs) {
    metadata.inputs.push_back(tensor_metadata(tensor, config.max_batch_size));
  }
  for (const ConfigTensor& tensor : config.outputs) {
    metadata.outputs.push_back(tensor_metadata(tensor, config.max_batch_size));
  }
  return metadata;
}

}  // namespace forebay::serving
