// Where the program `forebay` may lie, for processes that are another program.
#pragma once

#include <string>
#include <vector>

namespace forebay::assembly {

/// `forebay` beside the program that runs, and in the `bin` of the prefix that this program is installed in.
/// Empty if the kernel does not tell which program that is. The files need not exist.
std::vector<std::string> programs_beside_this();

}  // namespace forebay::assembly
