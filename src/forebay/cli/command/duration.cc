#include "forebay/cli/command/duration.h"

#include <charconv>
#include <utility>

namespace forebay::cli {
namespace {

constexpr uint64_t kLongest = uint64_t{100} * 366 * 86'400;
constexpr std::pair<char, uint64_t> kUnits[] = {{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}};

uint64_t seconds_in(std::string_view unit) {
  if (unit.empty()) {
    return 1;
  }
  for (const auto& [name, seconds] : kUnits) {
    if (unit.size() == 1 && unit.front() == name) {
      return seconds;
    }
  }
  return 0;
}

}  // namespace

Result<uint64_t> parse_duration(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const uint64_t unit = seconds_in(text.substr(static_cast<size_t>(end - text.data())));
  if (error != std::errc() || unit == 0 || number > kLongest / unit) {
    return invalid_argument("'{}' is no time; write 90s, 10m, 2h or 7d", text);
  }
  return number * unit;
}

std::string duration_text(uint64_t seconds) {
  std::string text;
  int parts = 0;
  for (const auto& [name, unit] : kUnits) {
    if (seconds >= unit && parts < 2) {
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", seconds / unit, name);
      seconds %= unit;
      ++parts;
    }
  }
  return text.empty() ? "0s" : text;
}

std::string to_seconds(std::string& text) {
  const Result<uint64_t> seconds = parse_duration(text);
  if (!seconds.ok()) {
    return std::string(message(seconds.status()));
  }
  text = std::to_string(*seconds);
  return {};
}

}  // namespace forebay::cli
