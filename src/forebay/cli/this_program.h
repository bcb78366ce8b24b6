// Which program this is.
#pragma once

#include <string>

namespace forebay::cli {

/// Its path; empty if the kernel does not tell.
std::string this_program();

}  // namespace forebay::cli
