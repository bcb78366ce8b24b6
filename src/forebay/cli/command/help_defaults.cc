#include "forebay/cli/command/help_defaults.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "forebay/cli/command/duration.h"
#include "forebay/cli/command/size_text.h"

namespace forebay::cli {
namespace {

std::string shown(const std::string& value, const std::string& type) {
  if (value == "[]" || value == "0" || value == std::to_string(UINT64_MAX)) {
    return "";
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(value, &number)) {
    return value;
  }
  if (absl::StrContains(type, ":SIZE")) {
    return exact_size_text(number);
  }
  return absl::StrContains(type, ":TIME") ? duration_text(number) : value;
}

}  // namespace

void show_defaults(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    option->capture_default_str();
    option->default_str(shown(option->get_default_str(), option->get_type_name()));
  }
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    show_defaults(*command);
  }
}

}  // namespace forebay::cli
