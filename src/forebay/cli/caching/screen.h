// A terminal as a screen to draw on, which is what it was once this has gone.
#pragma once

#include <termios.h>

#include <stop_token>
#include <string>
#include <vector>

#include "forebay/cli/caching/top_picture.h"

namespace forebay::cli {

/// Not thread safe. Standard output must be a terminal.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  ScreenSize size() const;
  void show(const std::vector<std::string>& lines);

 private:
  termios before_{};
  bool has_keys_ = false;  // keys come as they are pressed
};

enum class Waited { kTime, kQuit, kResize };

/// Waits for a time, for `q` on standard input, if that is a terminal, for another size of the terminal, or
/// for `stop`.
Waited wait_for_key(int64_t time_ns, const std::stop_token& stop);

}  // namespace forebay::cli
