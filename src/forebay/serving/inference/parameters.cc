// "timeout", "priority", "key" and "epoch" of a request.
#include "forebay/serving/inference/parameters.h"

#include <algorithm>
#include <limits>

namespace forebay::serving {
namespace {

constexpr int64_t kNsInUs = 1000;

/// The integer named `name`, taken out of the parameters; nothing where there is none.
Result<std::optional<int64_t>> take_integer(Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) {
    return std::nullopt;
  }
  const auto* const value = std::get_if<int64_t>(&found->second);
  if (value == nullptr) {
    return invalid_argument("parameter '{}' must be an integer", name);
  }
  const int64_t taken = *value;
  parameters.erase(found);
  return taken;
}

Result<int64_t> take_natural(Parameters& parameters, const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<int64_t> value, take_integer(parameters, name));
  if (value.value_or(0) < 0) {
    return invalid_argument("parameter '{}' is {}, which is below 0", name, *value);
  }
  return value.value_or(0);
}

int64_t time_after(int64_t now_ns, int64_t timeout_us) {
  int64_t at_ns = 0;
  const bool is_never =
      __builtin_mul_overflow(timeout_us, kNsInUs, &at_ns) || __builtin_add_overflow(at_ns, now_ns, &at_ns);
  return is_never ? kNoDeadlineNs : at_ns;
}

/// A client that has no sequence may say so.
bool says_no_sequence(const Parameter& value) {
  return value == Parameter(int64_t{0}) || value == Parameter(false) || value == Parameter(std::string());
}

Status take_sequence(Parameters& parameters) {
  for (const char* const name : {"sequence_id", "sequence_start", "sequence_end"}) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
      continue;
    }
    if (!says_no_sequence(found->second)) {
      return unimplemented("parameter '{}': models keep nothing between requests, so there are no sequences",
                           name);
    }
    parameters.erase(found);
  }
  return ok_status();
}

}  // namespace

Result<Parameter> parameter_of_count(const std::string& name, uint64_t count) {
  constexpr auto kMost = std::numeric_limits<int64_t>::max();
  if (count <= static_cast<uint64_t>(kMost)) {
    return Parameter(static_cast<int64_t>(count));
  }
  if (name == "timeout" || name == "priority") {
    return Parameter(kMost);
  }
  return invalid_argument("parameter '{}' is {}, which is above 2^63 - 1", name, count);
}

Status take_parameters(InferRequest& request, int64_t now_ns) {
  FOREBAY_RETURN_IF_ERROR(take_sequence(request.parameters));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t timeout_us, take_natural(request.parameters, "timeout"));
  if (timeout_us > 0) {
    request.deadline_ns = std::min(request.deadline_ns, time_after(now_ns, timeout_us));
  }
  FOREBAY_ASSIGN_OR_RETURN(request.priority, take_natural(request.parameters, "priority"));
  FOREBAY_ASSIGN_OR_RETURN(request.key, take_integer(request.parameters, "key"));
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<int64_t> epoch, take_integer(request.parameters, "epoch"));
  request.epoch = epoch.value_or(request.epoch);
  return ok_status();
}

}  // namespace forebay::serving
