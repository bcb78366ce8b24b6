// The program forebay-serve: what `forebay serve` becomes, and the processes of ONNX models that it starts.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "forebay/assembly/assemble.h"
#include "forebay/cli/command/help_defaults.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/command/wrong_usage.h"
#include "forebay/cli/serving/run_server.h"
#include "forebay/serving/processes/onnx_worker.h"

namespace {

constexpr int kWrongUsage = 2;

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 1 && words[0] == "serve-worker" && words[1] == "onnx") {
    return forebay::serving::run_onnx_worker({words.begin() + 2, words.end()});
  }
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App program("Serve pipelines and models by the Open Inference Protocol, over HTTP and gRPC.",
                   "forebay serve");
  program.set_version_flag("--version", FOREBAY_VERSION);
  program.failure_message(
      [](const CLI::App* app, const CLI::Error& error) { return forebay::cli::wrong_usage(*app, error); });
  forebay::cli::ServeOptions options;
  options.version = FOREBAY_VERSION;
  forebay::cli::add_options(program, options);
  forebay::cli::show_defaults(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kWrongUsage;
  }
  forebay::assembly::assemble();
  const forebay::Status status = forebay::cli::run_server(options);
  if (status.ok()) {
    return 0;
  }
  const std::string text(forebay::message(status));
  std::fprintf(stderr, "forebay serve: %s\n", text.c_str());
  return forebay::cli::exit_status(status);
}
