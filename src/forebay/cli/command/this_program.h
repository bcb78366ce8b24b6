// Which program this is, and how it was called.
#pragma once

#include <string>
#include <vector>

namespace forebay::cli {

/// Its path; empty if the kernel does not tell.
std::string this_program();

/// The words of its command line, its name first; empty if the kernel does not tell.
std::vector<std::string> words_of_process();

}  // namespace forebay::cli
