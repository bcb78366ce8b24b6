// What a program begins with: remote stores are read through the host's cache.
#pragma once

#include <string>
#include <vector>

#include "forebay/assembly/programs.h"

namespace forebay::assembly {

struct AssemblyOptions {
  /// Where the program `forebay` may lie; the first that can be run starts the host's daemon, else the one on
  /// PATH.
  std::vector<std::string> programs = programs_beside_this();
};

/// From now on the stores that storage::default_registry() opens and that are worth it (s3, gs, az, http,
/// webhdfs; local folders with the option cache=on) are read through the host's cache, in C++ as in Python.
/// The environment variable FOREBAY_DAEMON says how: "on", the default, starts the daemon with the first
/// store that wants it; "running" uses one that runs; "off" uses none. What keeps a process from the cache
/// costs the cache and nothing else; a warning says so once.
///
/// To be called once, before the process opens a remote store: those that are open stay as they are. Thread
/// safe. Takes the place of a cache of the process's own (cache::install()).
void assemble(const AssemblyOptions& options = {});

}  // namespace forebay::assembly
