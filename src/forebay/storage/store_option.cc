#include "forebay/storage/store_option.h"

#include <algorithm>
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

Status check_option_name(std::string_view scheme, std::string_view name,
                         const std::vector<StoreOptionSpec>& known) {
  const auto is_it = [name](const StoreOptionSpec& option) { return option.name == name; };
  if (std::any_of(known.begin(), known.end(), is_it)) {
    return ok_status();
  }
  return invalid_argument("'{}' is not an option of {}://; its options: {}", name, scheme, names_of(known));
}

}  // namespace forebay::storage
