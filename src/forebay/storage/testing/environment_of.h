// An environment of given variables, in place of the process's own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "forebay/storage/remote/environment.h"

namespace forebay::storage {

using Variables = std::map<std::string, std::string>;

inline Environment environment_of(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

}  // namespace forebay::storage
