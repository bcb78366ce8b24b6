// The `parameters` of requests, inputs and outputs: those that the protocol knows, taken out.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "forebay/serving/protocol/parse_request.h"

namespace forebay::serving {

/// Takes the parameters of the whole request into fields, and the others into `parameters`.
Status take_request_parameters(const nlohmann::json& parameters, int64_t now_ns, ParsedRequest& parsed);

/// Where the bytes of an input lie, if not in the JSON.
struct InputPlace {
  std::optional<uint64_t> binary_bytes;
  std::optional<SharedPlace> shared;
};
Result<InputPlace> input_place_of(const nlohmann::json& parameters, const std::string& label);

/// An output that was asked for; `is_binary` where it does not say so itself.
Result<RequestedOutput> requested_output_of(const nlohmann::json& output, bool is_binary);

}  // namespace forebay::serving
