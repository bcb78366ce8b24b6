#include "forebay/storage/store_option.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include "absl/strings/match.h"
#include "fmt/ranges.h"

namespace forebay::storage {
namespace {

std::string names_of(const std::vector<StoreOptionSpec>& options) {
  std::vector<std::string> names;
  for (const StoreOptionSpec& option : options) {
    names.push_back(option.name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<bool> parse_switch(std::string_view name, std::string_view value) {
  const std::string text(value);
  const auto is_any_of = [&text](std::initializer_list<const char*> words) {
    return std::ranges::any_of(words,
                               [&text](const char* word) { return absl::EqualsIgnoreCase(text, word); });
  };
  if (is_any_of({"1", "true", "yes", "on"})) {
    return true;
  }
  if (is_any_of({"0", "false", "no", "off"})) {
    return false;
  }
  return invalid_argument("{}: '{}' is neither true nor false", name, value);
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool takes_option(const std::vector<StoreOptionSpec>& known, std::string_view name) {
  return std::ranges::any_of(known, [name](const StoreOptionSpec& option) { return option.name == name; });
}

Status check_option_name(std::string_view scheme, std::string_view name,
                         const std::vector<StoreOptionSpec>& known) {
  if (takes_option(known, name)) {
    return ok_status();
  }
  return invalid_argument("'{}' is not an option of {}://; its options: {}", name, scheme, names_of(known));
}

}  // namespace forebay::storage
