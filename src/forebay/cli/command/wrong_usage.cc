#include "forebay/cli/command/wrong_usage.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "forebay/base/nearest_name.h"

namespace forebay::cli {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// "forebay cache", say.
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

/// About the first word that the app did not know; "" where it may have been meant as something else.
std::string text_about(const CLI::App& app, const std::string& first_word) {
  const std::string word = first_word.substr(0, first_word.find('='));
  const bool is_option = word.starts_with('-');
  const std::vector<std::string> names = is_option ? options_of(app) : commands_of(app);
  if (names.empty()) {
    return "";
  }
  NearestName nearest(word);
  for (const std::string& name : names) {
    nearest.look_at(name);
  }
  return fmt::format("{} has no {} '{}'{}\n", full_name(app), is_option ? "option" : "command", word,
                     nearest.is_near() ? fmt::format("; did you mean '{}'?", nearest.found()) : "");
}

}  // namespace

std::string wrong_usage(const CLI::App& program, const CLI::Error& error) {
  const CLI::App* app = &program;
  while (true) {
    const std::vector<std::string> unknown = app->remaining();
    const std::string text = unknown.empty() ? "" : text_about(*app, unknown.front());
    if (!text.empty()) {
      return text + fmt::format("`{} --help` lists what there is.\n", full_name(*app));
    }
    const std::vector<CLI::App*> given = app->get_subcommands();
    if (given.empty()) {
      return CLI::FailureMessage::simple(&program, error);
    }
    app = given.front();
  }
}

}  // namespace forebay::cli
