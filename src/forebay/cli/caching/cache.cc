// forebay cache: what the host's cache holds and does.
#include <CLI/CLI.hpp>

#include "forebay/cli/caching/cache_commands.h"

namespace forebay::cli {

void add_cache(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("cache", "What the host's cache holds and does");
  command->require_subcommand(1);
  add_cache_status(*command, invocation);
  add_cache_verify(*command, invocation);
  add_cache_free(*command, invocation);
  add_cache_pin(*command, invocation);
  add_cache_unpin(*command, invocation);
  add_cache_rule(*command, invocation);
  add_cache_metrics(*command, invocation);
  add_cache_flush(*command, invocation);
}

}  // namespace forebay::cli
