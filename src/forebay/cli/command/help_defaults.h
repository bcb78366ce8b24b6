// What options are if they are not given, as help shows it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace forebay::cli {

/// Has the help of `app` and of all commands below it show defaults, in units where they have some. None is
/// shown for what is off, unlimited or empty: 0, the largest number, no text.
void show_defaults(CLI::App& app);

}  // namespace forebay::cli
