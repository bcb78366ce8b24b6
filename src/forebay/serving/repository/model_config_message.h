// Between the message of a configuration and its struct. Only the .cc files of model_config include it.
#pragma once

#include "forebay/base/status.h"
#include "forebay/serving/inference/model_config.pb.h"
#include "forebay/serving/repository/model_config.h"

namespace forebay::serving {

/// Checks what is said, and takes it over. invalid_argument names the field.
Result<ModelConfig> config_of(const ::inference::ModelConfig& message);

/// The message that was read, with what the struct says laid over it.
::inference::ModelConfig message_of(const ModelConfig& config);

}  // namespace forebay::serving
