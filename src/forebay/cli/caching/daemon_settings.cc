#include "forebay/cli/caching/daemon_settings.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace forebay::cli {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 10;

/// Nothing if there is no file.
Result<std::string> text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kMaxFileBytes) {
    return invalid_argument("{}: more than {} bytes", file, kMaxFileBytes);
  }
  return text;
}

Status take_setting(CLI::App& command, const std::string& name, const nlohmann::json& value) {
  CLI::Option* const option = command.get_option_no_throw("--" + name);
  if (option == nullptr || option->get_expected_max() == 0) {
    return invalid_argument("'{}' is not a setting of the daemon", name);
  }
  const bool may_be_list = option->get_expected_max() > 1;
  const nlohmann::json values = value.is_array() && may_be_list ? value : nlohmann::json::array({value});
  for (const nlohmann::json& each : values) {
    if (!each.is_string() && !each.is_number_unsigned()) {
      return invalid_argument("'{}' must be text or a number{}", name,
                              may_be_list ? ", or a list of them" : "");
    }
  }
  if (option->count() > 0) {
    return ok_status();  // the command line says otherwise
  }
  try {
    for (const nlohmann::json& each : values) {
      option->add_result(each.is_string() ? each.get<std::string>() : each.dump());
    }
    option->run_callback();
  } catch (const CLI::Error& error) {
    return invalid_argument("'{}': {}", name, error.what());
  }
  return ok_status();
}

}  // namespace

Status take_settings(CLI::App& command, const std::string& file) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, text_of(file));
  if (text.empty()) {
    return ok_status();
  }
  const nlohmann::json settings = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!settings.is_object()) {
    return invalid_argument("{}: not an object of JSON with settings of the daemon", file);
  }
  for (const auto& [name, value] : settings.items()) {
    FOREBAY_RETURN_IF_ERROR(annotate(take_setting(command, name, value), file));
  }
  return ok_status();
}

}  // namespace forebay::cli
