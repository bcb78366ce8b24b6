// Environment variables as a function, so that tests bring their own.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "forebay/base/status.h"
#include "forebay/storage/store_option.h"

namespace forebay::storage {

/// The value of a variable; nothing where it is unset or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Whether a variable of Forebay's is on: 1, true, yes, on, or off: 0, false, no, off, in any case; off where
/// it is unset. invalid_argument, which names it, for other words.
Result<bool> switch_in(const Environment& environment, const std::string& name);

/// Whether a variable of others says "true", in any case, as they read it.
bool says_true(const Environment& environment, const std::string& name);

/// That of the process.
std::optional<std::string> process_environment(const std::string& name);

/// The one in which these are set, and no others.
Environment environment_of(StoreVariables variables);

/// Those of `names` that are set.
StoreVariables variables_in(const Environment& environment, std::span<const std::string> names);

}  // namespace forebay::storage
