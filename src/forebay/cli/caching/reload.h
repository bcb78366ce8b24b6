// A daemon that begins anew in its own process: with the settings and the program that lie on the disk then.
#pragma once

#include <string>

#include "forebay/base/status.h"

namespace forebay::cli {

/// SIGUSR2 asks for it, as it asks nginx for its upgrade. One at a time in a process; afterwards the signal
/// is ignored, so that none ends what comes next.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  /// Whether it has come since the last call.
  bool take();
};

/// How this process was started, to be remembered before it leaves its folder or its program is replaced.
struct ProgramStart {
  std::string program;
  std::string folder;

  static ProgramStart of_process();
};

/// Runs the program in place of this one, with the words that this one was started with and `--reloaded`.
/// Returns only if that fails. Open files stay open unless they are closed by exec.
Status run_again(const ProgramStart& start);

}  // namespace forebay::cli
