// The program `forebay`: reads the command line, runs one command, turns its error into text and an exit
// status.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "forebay/assembly/assemble.h"
#include "forebay/base/status.h"
#include "forebay/cli/command/command.h"
#include "forebay/cli/command/help_defaults.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/command/this_program.h"
#include "forebay/cli/command/wrong_usage.h"
#include "forebay/cli/mounting/mount_helper.h"

namespace {

constexpr int kWrongUsage = 2;  // as of a shell's own commands
// What mount(8) expects of its helpers.
constexpr int kWrongUsageOfMount = 1;
constexpr int kNotMounted = 32;

/// Where one of the standard streams is closed, the next file that is opened would be taken for it.
void open_standard_streams() {
  constexpr int kLastOfThem = 2;
  int opened = 0;
  do {
    opened = ::open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened < kLastOfThem);
  if (opened > kLastOfThem) {
    ::close(opened);
  }
}

void say(const forebay::Status& status) {
  const std::string text(forebay::message(status));
  std::fprintf(stderr, "forebay: %s\n", text.c_str());
}

/// Becomes what mount(8), which has called this, asks for, under the program's own name.
int become_what_mount_asks(const std::vector<std::string>& arguments) {
  forebay::Result<forebay::cli::HelpedMount> mount = forebay::cli::helped_mount(arguments);
  if (!mount.ok()) {
    say(mount.status());
    return kWrongUsageOfMount;
  }
  if (mount->words.empty()) {
    return 0;
  }
  if (!mount->home.empty()) {
    ::setenv("FOREBAY_HOME", mount->home.c_str(), 1);
  }
  std::vector<char*> words;
  std::string name = "forebay";
  words.push_back(name.data());
  for (std::string& each : mount->words) {
    words.push_back(each.data());
  }
  words.push_back(nullptr);
  ::execv("/proc/self/exe", words.data());
  say(forebay::errno_status(errno, "/proc/self/exe"));
  return kNotMounted;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  if (argc > 0 && forebay::cli::is_mount_helper(argv[0])) {
    return become_what_mount_asks({argv + 1, argv + argc});
  }
  CLI::App program("Forebay carries training data from storage to tensors.", "forebay");
  program.set_version_flag("--version", FOREBAY_VERSION);
  program.require_subcommand(0, 1);  // so that a word that is no command is named
  program.failure_message(
      [](const CLI::App* app, const CLI::Error& error) { return forebay::cli::wrong_usage(*app, error); });
  forebay::cli::Invocation invocation;
  forebay::cli::add_bench(program, invocation);
  forebay::cli::add_cache(program, invocation);
  forebay::cli::add_cat(program, invocation);
  forebay::cli::add_cp(program, invocation);
  forebay::cli::add_daemon(program, invocation);
  forebay::cli::add_demo(program, invocation);
  forebay::cli::add_doctor(program, invocation);
  forebay::cli::add_du(program, invocation);
  forebay::cli::add_find(program, invocation);
  forebay::cli::add_fuse(program, invocation);
  forebay::cli::add_index(program, invocation);
  forebay::cli::add_interop(program, invocation);
  forebay::cli::add_ls(program, invocation);
  forebay::cli::add_memory(program, invocation);
  forebay::cli::add_mkdir(program, invocation);
  forebay::cli::add_mount(program, invocation);
  forebay::cli::add_mv(program, invocation);
  forebay::cli::add_preload(program, invocation);
  forebay::cli::add_rm(program, invocation);
  forebay::cli::add_serve(program, invocation);
  forebay::cli::add_snapshot(program, invocation);
  forebay::cli::add_stat(program, invocation);
  forebay::cli::add_top(program, invocation);
  forebay::cli::add_unmount(program, invocation);
  forebay::cli::show_defaults(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kWrongUsage;  // --help is an error of theirs, too
  }
  if (!invocation.run) {
    std::fprintf(stderr, "forebay: a command is needed\n\n%s", program.help().c_str());
    return kWrongUsage;
  }
  forebay::assembly::assemble({.programs = {forebay::cli::this_program()}});
  const forebay::Status status = invocation.run();
  if (status.ok()) {
    return 0;
  }
  say(status);
  return forebay::cli::exit_status(status);
}
