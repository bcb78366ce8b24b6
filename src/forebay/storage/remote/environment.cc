#include "forebay/storage/remote/environment.h"

#include <cstdlib>

namespace forebay::storage {

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace forebay::storage
