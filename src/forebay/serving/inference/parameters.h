// The parameters of a request that have a meaning for every model: read into its fields.
#pragma once

#include <string>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// A parameter without sign. Beyond 2^63 - 1 "timeout" and "priority" are that, as more of them means the
/// same; invalid_argument for others.
Result<Parameter> parameter_of_count(const std::string& name, uint64_t count);

/// Takes "timeout" (microseconds; 0: none), "priority", "key" and "epoch" out of `request.parameters` into
/// the fields that hold them. An earlier deadline that the request has already stays. invalid_argument, with
/// the parameter's name, for a value of another type or below 0 where that has no meaning. unimplemented for
/// sequences ("sequence_id" and so on), of which models keep nothing.
Status take_parameters(InferRequest& request, int64_t now_ns);

}  // namespace forebay::serving
