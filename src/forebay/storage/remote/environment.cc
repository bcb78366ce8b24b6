#include "forebay/storage/remote/environment.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"

namespace forebay::storage {

Result<bool> switch_in(const Environment& environment, const std::string& name) {
  const std::optional<std::string> value = environment(name);
  return value ? parse_switch(name, *value) : Result<bool>(false);
}

bool says_true(const Environment& environment, const std::string& name) {
  return absl::EqualsIgnoreCase(environment(name).value_or(""), "true");
}

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

Environment environment_of(StoreVariables variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found != variables.end() && !found->second.empty() ? std::optional(found->second) : std::nullopt;
  };
}

StoreVariables variables_in(const Environment& environment, std::span<const std::string> names) {
  StoreVariables variables;
  for (const std::string& name : names) {
    if (std::optional<std::string> value = environment(name)) {
      variables.emplace(name, *std::move(value));
    }
  }
  return variables;
}

}  // namespace forebay::storage
