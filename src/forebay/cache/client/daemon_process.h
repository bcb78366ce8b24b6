// The host's daemon as a process: started by the first process that wants it, found by its socket.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::cache {

/// How a process starts the daemon.
struct DaemonStart {
  std::string home;  // FOREBAY_HOME: the daemon's log and lock lie there
  std::string socket;
  std::vector<std::string> programs;  // `forebay`, where it may be; the first that is there
  int64_t patience_ns = 15'000'000'000;
};

/// Runs `forebay daemon --on-demand`, which goes its own way in a session of its own, and returns true once
/// it serves. Of several processes that call this at the same time one starts it, the others wait for that
/// and get false. not_found if there is no program; otherwise the error names the daemon's log. Blocks for
/// `patience_ns` at most.
Result<bool> start_daemon(const DaemonStart& start);

/// The first of `programs` that can be run, else `forebay` on PATH; empty if there is none.
std::string find_program(const std::vector<std::string>& programs);

/// The daemon's log: `daemon.log` in `home`.
std::string daemon_log(const std::string& home);

/// Asks the daemon to end, and waits until it has: what waits to be written is written. False if none serves
/// at `socket`. deadline_exceeded if it goes on for longer than `patience_ns`.
Result<bool> stop_daemon(const std::string& socket, int64_t patience_ns);

/// Asks the daemon, by SIGUSR2, to begin anew with the settings and the program that lie on the disk, and
/// waits until it serves again. False if none serves at `socket`; unavailable if it ends instead;
/// deadline_exceeded if that takes longer than `patience_ns`.
Result<bool> reload_daemon(const std::string& socket, int64_t patience_ns);

}  // namespace forebay::cache
