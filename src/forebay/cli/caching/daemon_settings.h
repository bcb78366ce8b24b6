// Settings of the daemon that lie in a file, for one that nobody starts by hand.
#pragma once

#include <string>

#include "forebay/base/status.h"

namespace CLI {
class App;
}

namespace forebay::cli {

/// Gives the options of `command` that the command line left open the values that the file names: a JSON
/// object of options without their dashes, as in {"quota": "200GiB", "idle": "1h"}; an option that may be
/// given several times may have a list. The file need not exist. invalid_argument, naming the file, for what
/// is no such object, an option that there is not, or a value that the option refuses.
Status take_settings(CLI::App& command, const std::string& file);

}  // namespace forebay::cli
