// Settings of tracing, as clients read and change them.
#include "forebay/serving/protocol/trace_settings.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {
namespace {

using nlohmann::json;

template <class Integer>
Status set_integer(const std::string& name, const json& value, Integer lowest, Integer& to) {
  const std::string text = value.is_string() ? value.get<std::string>() : to_text(value);
  Integer read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || end != text.data() + text.size() || read < lowest) {
    return invalid_argument("'{}' must be an integer of {} or more, not {}", name, lowest, clipped(text));
  }
  to = read;
  return ok_status();
}

Status set_level(const json& value, std::vector<std::string>& to) {
  std::vector<std::string> levels;
  for (const json& level : value.is_array() ? value : json::array({value})) {
    FOREBAY_ASSIGN_OR_RETURN(levels.emplace_back(), text_from_json(level, "'trace_level'"));
    if (levels.back() != "OFF" && levels.back() != "TIMESTAMPS" && levels.back() != "TENSORS") {
      return invalid_argument("'trace_level' {} is none of OFF, TIMESTAMPS, TENSORS", clipped(levels.back()));
    }
  }
  const bool has_off = std::find(levels.begin(), levels.end(), "OFF") != levels.end();
  if (levels.empty() || (has_off && levels.size() > 1)) {
    return invalid_argument("'trace_level' must be OFF alone, or levels without it");
  }
  to = std::move(levels);
  return ok_status();
}

Status set_value(const std::string& name, const json& value, TraceSettings& settings) {
  if (name == "trace_level") {
    return set_level(value, settings.level);
  }
  if (name == "trace_rate") {
    return set_integer<uint64_t>(name, value, 1, settings.rate);
  }
  if (name == "trace_count") {
    return set_integer<int64_t>(name, value, -1, settings.count);
  }
  if (name == "log_frequency") {
    return set_integer<uint64_t>(name, value, 0, settings.log_frequency);
  }
  if (name == "trace_mode" && value == json("triton")) {
    return ok_status();
  }
  if (name == "trace_file" && value == json(settings.file)) {
    return ok_status();
  }
  return invalid_argument(
      "the trace setting '{}' cannot be set to {}; trace_level, trace_rate, trace_count and "
      "log_frequency can be changed",
      clipped(name), clipped(to_text(value)));
}

void set_back(const std::string& name, const TraceSettings& defaults, TraceSettings& settings) {
  if (name == "trace_level") {
    settings.level = defaults.level;
  } else if (name == "trace_rate") {
    settings.rate = defaults.rate;
  } else if (name == "trace_count") {
    settings.count = defaults.count;
  } else if (name == "log_frequency") {
    settings.log_frequency = defaults.log_frequency;
  }
}

}  // namespace

std::string trace_settings_json(const TraceSettings& settings) {
  return to_text({{"trace_level", settings.level},
                  {"trace_rate", std::to_string(settings.rate)},
                  {"trace_count", std::to_string(settings.count)},
                  {"log_frequency", std::to_string(settings.log_frequency)},
                  {"trace_file", settings.file},
                  {"trace_mode", "triton"}});
}

Result<TraceSettings> changed_trace_settings(const TraceSettings& settings, const TraceSettings& defaults,
                                             std::string_view body) {
  FOREBAY_ASSIGN_OR_RETURN(const json request, object_from_body(body, "the trace settings"));
  TraceSettings changed = settings;
  for (const auto& [name, value] : request.items()) {
    if (value.is_null()) {
      set_back(name, defaults, changed);
    } else {
      FOREBAY_RETURN_IF_ERROR(set_value(name, value, changed));
    }
  }
  return changed;
}

}  // namespace forebay::serving
