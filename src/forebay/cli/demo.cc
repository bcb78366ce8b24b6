// forebay demo: the example that trains a small network, in the Python beside this program.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "forebay/cli/command/command.h"
#include "forebay/cli/machine/python.h"

namespace forebay::cli {
namespace {

struct DemoOptions {
  std::string data;
  std::string out = "demo";
};

// The examples are installed within the package.
constexpr const char* kStart = R"(
import os, sys
try:
    import forebay
except ImportError as error:
    sys.exit(f"forebay demo: {sys.executable} cannot import forebay: {error}")
folder = os.path.join(os.path.dirname(forebay.__file__), "examples")
sys.path.insert(0, folder)
sys.argv[0] = "forebay demo"
import train_small
train_small.main()
)";

Status run_demo(const DemoOptions& options) {
  std::vector<std::string> arguments = {"-c", kStart, "--out", options.out};
  if (!options.data.empty()) {
    arguments.push_back(options.data);
  }
  return become_python(std::move(arguments));
}

}  // namespace

void add_demo(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("demo", "Train a small network on pictures (needs Python)");
  auto options = std::make_shared<DemoOptions>();
  command->add_option("data", options->data, "A folder of one folder a class; without it pictures are made");
  command->add_option("--out", options->out, "Where results go");
  command->callback([&invocation, options] { invocation.run = [options] { return run_demo(*options); }; });
}

}  // namespace forebay::cli
