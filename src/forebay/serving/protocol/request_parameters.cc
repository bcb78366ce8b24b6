// The `parameters` of requests, inputs and outputs: those that the protocol knows, taken out.
#include "forebay/serving/protocol/request_parameters.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "forebay/serving/inference/parameters.h"
#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {
namespace {

using nlohmann::json;

/// Says in which form the answer is wanted. Whether it was such a parameter.
Result<bool> take_form(const std::string& name, const json& value, AnswerForm& form) {
  const std::string what = fmt::format("parameter '{}'", name);
  if (name == "binary_data_output") {
    FOREBAY_ASSIGN_OR_RETURN(form.is_binary, flag_from_json(value, what));
    return true;
  }
  if (name == "timing") {
    FOREBAY_ASSIGN_OR_RETURN(form.has_timing, flag_from_json(value, what));
    return true;
  }
  return false;
}

Result<std::optional<SharedPlace>> shared_place_of(const json& parameters, const std::string& label) {
  const json* const region = member_of(parameters, "shared_memory_region");
  const json* const size = member_of(parameters, "shared_memory_byte_size");
  const json* const offset = member_of(parameters, "shared_memory_offset");
  if (region == nullptr && size == nullptr && offset == nullptr) {
    return std::optional<SharedPlace>();
  }
  if (region == nullptr || size == nullptr) {
    return invalid_argument("{}: shared memory needs 'shared_memory_region' and 'shared_memory_byte_size'",
                            label);
  }
  SharedPlace place;
  FOREBAY_ASSIGN_OR_RETURN(place.region, text_from_json(*region, label + ": 'shared_memory_region'"));
  FOREBAY_ASSIGN_OR_RETURN(place.size_bytes, count_from_json(*size, label + ": 'shared_memory_byte_size'"));
  if (offset != nullptr) {
    FOREBAY_ASSIGN_OR_RETURN(place.offset_bytes,
                             count_from_json(*offset, label + ": 'shared_memory_offset'"));
  }
  return std::optional(std::move(place));
}

Status take_output_parameters(const json& parameters, const std::string& label, RequestedOutput& output) {
  if (const json* const flag = member_of(parameters, "binary_data")) {
    FOREBAY_ASSIGN_OR_RETURN(output.is_binary, flag_from_json(*flag, label + ": 'binary_data'"));
  }
  if (const json* const count = member_of(parameters, "classification")) {
    FOREBAY_ASSIGN_OR_RETURN(output.class_count, integer_from_json(*count, label + ": 'classification'"));
    if (output.class_count < 0) {
      return invalid_argument("{}: 'classification' is {}, which is negative", label, output.class_count);
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(output.place, shared_place_of(parameters, label));
  return ok_status();
}

}  // namespace

Status take_request_parameters(const json& parameters, int64_t now_ns, ParsedRequest& parsed) {
  if (!parameters.is_object()) {
    return invalid_argument("'parameters' of the request must be an object");
  }
  for (const auto& [name, value] : parameters.items()) {
    FOREBAY_ASSIGN_OR_RETURN(const bool is_of_form, take_form(name, value, parsed.form));
    if (!is_of_form) {
      FOREBAY_ASSIGN_OR_RETURN(parsed.request.parameters[name],
                               value.is_number_unsigned()
                                   ? parameter_of_count(name, value.get<uint64_t>())
                                   : parameter_from_json(value, fmt::format("parameter '{}'", name)));
    }
  }
  return take_parameters(parsed.request, now_ns);
}

Result<InputPlace> input_place_of(const json& parameters, const std::string& label) {
  if (!parameters.is_object()) {
    return invalid_argument("{}: 'parameters' must be an object", label);
  }
  InputPlace place;
  if (const json* const size = member_of(parameters, "binary_data_size")) {
    FOREBAY_ASSIGN_OR_RETURN(place.binary_bytes, count_from_json(*size, label + ": 'binary_data_size'"));
  }
  FOREBAY_ASSIGN_OR_RETURN(place.shared, shared_place_of(parameters, label));
  return place;
}

Result<RequestedOutput> requested_output_of(const json& output, bool is_binary) {
  const json* const name = output.is_object() ? member_of(output, "name") : nullptr;
  if (name == nullptr) {
    return invalid_argument("an entry of 'outputs' has no 'name'");
  }
  RequestedOutput requested;
  requested.is_binary = is_binary;
  FOREBAY_ASSIGN_OR_RETURN(requested.name, text_from_json(*name, "'name' of an output"));
  const std::string label = fmt::format("output '{}'", requested.name);
  if (const json* const parameters = member_of(output, "parameters")) {
    if (!parameters->is_object()) {
      return invalid_argument("{}: 'parameters' must be an object", label);
    }
    FOREBAY_RETURN_IF_ERROR(take_output_parameters(*parameters, label, requested));
  }
  return requested;
}

}  // namespace forebay::serving
