// What a command line that cannot be read is told.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace forebay::cli {

/// Text for standard error: the command or option that was probably meant, else what the parser says.
/// `program` is as parsing has left it.
std::string wrong_usage(const CLI::App& program, const CLI::Error& error);

}  // namespace forebay::cli
