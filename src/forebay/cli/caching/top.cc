// forebay top: what the host's cache does at the moment, and who waits for it.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/caching/screen.h"
#include "forebay/cli/caching/top_picture.h"
#include "forebay/cli/caching/top_sample.h"
#include "forebay/cli/command/duration.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/control/cache_counts.h"

namespace forebay::cli {
namespace {

constexpr ScreenSize kWholePicture = {1000, 1000};

struct TopOptions {
  uint64_t interval_s = 1;
  bool is_once = false;
  bool as_json = false;

  int64_t interval_ns() const { return static_cast<int64_t>(interval_s) * 1'000'000'000; }
};

/// Asks the daemon again and again, and connects to the next one when it has gone.
class Sampler {
 public:
  explicit Sampler(std::stop_token stop) : stop_(std::move(stop)) {}

  Result<TopSample> sample() {
    if (!client_ || !client_->is_usable()) {
      FOREBAY_ASSIGN_OR_RETURN(client_, control::connect_to_cache());
    }
    return take_top_sample(*client_, stop_);
  }

 private:
  const std::stop_token stop_;
  std::shared_ptr<cache::HostClient> client_;
};

/// Two samples and what lies between them.
Status show_once(const TopOptions& options) {
  const StopOnSignal stop;
  Sampler sampler(stop.token());
  FOREBAY_ASSIGN_OR_RETURN(const TopSample before, sampler.sample());
  if (wait_for_key(options.interval_ns(), stop.token()) == Waited::kQuit) {
    return cancelled("stopped");
  }
  FOREBAY_ASSIGN_OR_RETURN(const TopSample now, sampler.sample());
  if (options.as_json) {
    fmt::print("{}\n", json_of_top(before, now));
    return ok_status();
  }
  for (const std::string& line : draw_top(before, now, kWholePicture)) {
    fmt::print("{}\n", line);
  }
  return ok_status();
}

Status show_live(const TopOptions& options) {
  const StopOnSignal stop;
  Sampler sampler(stop.token());
  FOREBAY_ASSIGN_OR_RETURN(TopSample now, sampler.sample());  // without a daemon there is nothing to see
  std::optional<TopSample> before;
  Screen screen;
  for (Status trouble = ok_status();;) {
    std::vector<std::string> lines = draw_top(before.value_or(now), now, screen.size());
    if (!trouble.ok()) {
      lines = {"forebay top", "", std::string(message(trouble)), "", "q ends"};
    }
    screen.show(lines);
    const Waited waited = wait_for_key(options.interval_ns(), stop.token());
    if (waited == Waited::kQuit) {
      return ok_status();
    }
    if (waited == Waited::kResize) {
      continue;
    }
    Result<TopSample> next = sampler.sample();
    trouble = next.status();
    if (next.ok()) {
      before = std::exchange(now, *std::move(next));
    }
  }
}

Status run_top(const TopOptions& options) {
  const bool is_live = !options.is_once && !options.as_json && ::isatty(STDOUT_FILENO) == 1;
  return is_live ? show_live(options) : show_once(options);
}

}  // namespace

void add_top(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("top", "Watch the host's cache: hits, rates, memory, disk, and who waits");
  command->footer("q or Ctrl-C ends it. Where standard output is no terminal, it prints one picture.");
  auto options = std::make_shared<TopOptions>();
  command->add_option("--interval", options->interval_s, "How long rates are measured")
      ->transform(CLI::Validator(to_seconds, "TIME", "time"))
      ->check(CLI::Range(uint64_t{1}, uint64_t{3600}));
  command->add_flag("--once", options->is_once, "Print one picture");
  command->add_flag("--json", options->as_json, "Print one in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_top(*options); }; });
}

}  // namespace forebay::cli
