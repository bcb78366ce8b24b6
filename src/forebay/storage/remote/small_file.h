// Files of settings and tokens, read whole.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "forebay/base/status.h"

namespace forebay::storage {

/// The text of a file, or nothing where there is no such file. data_loss for one of more than `most_bytes`.
/// Errors name the file and hold nothing of its text.
Result<std::optional<std::string>> read_small_file(const std::string& path, size_t most_bytes);

}  // namespace forebay::storage
