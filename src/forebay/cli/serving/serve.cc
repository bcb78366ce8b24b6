// forebay serve: goes on as the program forebay-serve, which lies beside this one. It is a program of its
// own, since the libraries of its doors would slow the start of every other command.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/this_program.h"
#include "forebay/cli/machine/python.h"

namespace forebay::cli {
namespace {

constexpr const char* kServe = "serve";

/// The words behind the first "serve" of this process's command line.
std::vector<std::string> words_of_command() {
  const std::vector<std::string> words = words_of_process();
  const auto found = std::find(words.begin(), words.end(), kServe);
  return found == words.end() ? std::vector<std::string>() : std::vector<std::string>(found + 1, words.end());
}

Status become_server() {
  const std::filesystem::path own = this_program();
  std::string program = (own.parent_path() / "forebay-serve").string();
  // It is asked where Python is by the name that this program was called by.
  std::string python = own_python().string();
  ::setenv("FOREBAY_SERVE_PYTHON", python.c_str(), /*overwrite=*/0);
  std::vector<std::string> words = words_of_command();
  std::vector<char*> arguments = {program.data()};
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return annotate(errno_status(errno, program), "the server's program");
}

}  // namespace

void add_serve(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      kServe, "Serve pipelines and models by the Open Inference Protocol, over HTTP and gRPC");
  command->prefix_command();  // its options are the other program's
  command->set_help_flag();
  command->callback([&invocation] { invocation.run = [] { return become_server(); }; });
}

}  // namespace forebay::cli
