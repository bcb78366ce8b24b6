// Environment variables as a function, so that tests bring their own.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace forebay::storage {

/// The value of a variable; nothing where it is unset or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// That of the process.
std::optional<std::string> process_environment(const std::string& name);

}  // namespace forebay::storage
