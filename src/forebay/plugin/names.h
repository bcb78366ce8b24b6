// The rules that names from a library keep.
#pragma once

#include <string_view>

#include "forebay/base/status.h"

namespace forebay::plugin {

/// Whether `text` is [A-Za-z_][A-Za-z0-9_]* with at most 128 characters, and no keyword of Python.
bool is_identifier(std::string_view text);

/// Whether `text` is such names, none beginning with `_`, with points between them: "my_lab.blend".
bool is_operator_name(std::string_view text);

/// Whether every operator takes an argument of that name: "device", "seed" and others.
bool is_common_argument(std::string_view text);

}  // namespace forebay::plugin
