#include "forebay/storage/remote/environment.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "absl/strings/match.h"

namespace forebay::storage {

Result<bool> switch_in(const Environment& environment, const std::string& name) {
  const std::optional<std::string> value = environment(name);
  const auto is_any_of = [&](std::initializer_list<const char*> words) {
    return std::ranges::any_of(words, [&](const char* word) { return absl::EqualsIgnoreCase(*value, word); });
  };
  if (!value || is_any_of({"0", "false", "no", "off"})) {
    return false;
  }
  if (is_any_of({"1", "true", "yes", "on"})) {
    return true;
  }
  return invalid_argument("{} is neither true nor false", name);
}

bool says_true(const Environment& environment, const std::string& name) {
  return absl::EqualsIgnoreCase(environment(name).value_or(""), "true");
}

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace forebay::storage
