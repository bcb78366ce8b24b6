// The Python that belongs to this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::cli {

/// The interpreter beside the program as it was called (`called_as`: argv[0]; looked up in `search_path` when
/// it has no slash), so that a link in a virtual environment finds that environment; else that of
/// `environment` (VIRTUAL_ENV); else "python3".
std::filesystem::path find_python(const std::string& called_as, const std::string& search_path,
                                  const std::string& environment);

/// The same for this process.
std::filesystem::path own_python();

/// Goes on as own_python() with these arguments, in the place of this program; returns only when that cannot
/// be started.
Status become_python(std::vector<std::string> arguments);

}  // namespace forebay::cli
