// One command of the program: a file each, which adds itself to the program's options and says what to run.
//
// Adding one: a file `<name>.cc`, here or in its family's folder, with `void add_<name>(CLI::App&,
// Invocation&)`, a line here and in main.cc.
#pragma once

#include <functional>

#include "forebay/base/status.h"

namespace CLI {
class App;
}

namespace forebay::cli {

/// What the command line asked for: set by the command that was named, run by main().
struct Invocation {
  std::function<Status()> run;
};

void add_bench(CLI::App& program, Invocation& invocation);
void add_cache(CLI::App& program, Invocation& invocation);
void add_cat(CLI::App& program, Invocation& invocation);
void add_cp(CLI::App& program, Invocation& invocation);
void add_daemon(CLI::App& program, Invocation& invocation);
void add_demo(CLI::App& program, Invocation& invocation);
void add_doctor(CLI::App& program, Invocation& invocation);
void add_du(CLI::App& program, Invocation& invocation);
void add_find(CLI::App& program, Invocation& invocation);
void add_fuse(CLI::App& program, Invocation& invocation);
void add_index(CLI::App& program, Invocation& invocation);
void add_interop(CLI::App& program, Invocation& invocation);
void add_ls(CLI::App& program, Invocation& invocation);
void add_memory(CLI::App& program, Invocation& invocation);
void add_mkdir(CLI::App& program, Invocation& invocation);
void add_mount(CLI::App& program, Invocation& invocation);
void add_mv(CLI::App& program, Invocation& invocation);
void add_preload(CLI::App& program, Invocation& invocation);
void add_serve(CLI::App& program, Invocation& invocation);
void add_rm(CLI::App& program, Invocation& invocation);
void add_snapshot(CLI::App& program, Invocation& invocation);
void add_stat(CLI::App& program, Invocation& invocation);
void add_top(CLI::App& program, Invocation& invocation);
void add_unmount(CLI::App& program, Invocation& invocation);

}  // namespace forebay::cli
