#include "forebay/cli/objects/mount_words.h"

#include <fmt/ranges.h>

#include <map>

#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

std::string percent_encoded(const std::string& path) {
  constexpr std::string_view kPlain = "/-_.~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string encoded;
  for (const char c : path) {
    encoded += kPlain.find(c) != std::string_view::npos
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

/// As in "region (text): region of the bucket; else us-east-1 [AWS_REGION, AWS_DEFAULT_REGION]".
std::string option_line(const storage::StoreOptionSpec& option) {
  std::string line = fmt::format("    {} ({}{}): {}", option.name, option.type,
                                 option.is_secret ? ", secret" : "", option.help);
  if (!option.by_default.empty()) {
    line += fmt::format("; else {}", option.by_default);
  }
  if (!option.variables.empty()) {
    line += fmt::format(" [{}]", fmt::join(option.variables, ", "));
  }
  return line;
}

std::string options_of_scheme(const std::vector<storage::StoreOptionSpec>& options) {
  std::string text;
  for (const storage::StoreOptionSpec& option : options) {
    text += option_line(option) + "\n";
  }
  return text;
}

}  // namespace

std::string options_text(const storage::StoreRegistry& registry) {
  std::map<std::string, std::vector<std::string>> schemes;  // by the text of their options
  for (const std::string& scheme : registry.schemes()) {
    schemes[options_of_scheme(*registry.options_of(scheme))].push_back(scheme + "://");
  }
  std::string text =
      "Options of stores, given as --option NAME=VALUE, and in brackets the variables of the environment "
      "that "
      "stand in for them:\n";
  for (const auto& [options, names] : schemes) {
    if (!options.empty()) {
      text += fmt::format("  {}\n{}", fmt::join(names, ", "), options);
    }
  }
  return text;
}

Result<std::string> mount_uri(const std::string& word) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri uri, storage::parse_uri(word));
  if (!uri.is_plain_path) {
    return word;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, storage::namespace_path(word));
  return "file://" + percent_encoded(path);
}

Status take_options(const std::vector<std::string>& words, OptionsFrom from, storage::MountEntry& entry) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri uri, storage::parse_uri(entry.uri));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<storage::StoreOptionSpec> known,
                           storage::default_registry().options_of(uri.scheme));
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return invalid_argument("an option of a mount reads NAME=VALUE");
    }
    const std::string name = word.substr(0, equals);
    FOREBAY_RETURN_IF_ERROR(storage::check_option_name(uri.scheme, name, known));
    if (from == OptionsFrom::kCommandLine &&
        storage::is_secret(storage::default_registry(), uri.scheme, name)) {
      return invalid_argument(
          "{} is a secret, and other users can read a command line; give it by "
          "--option-file, as a line NAME=VALUE",
          name);
    }
    entry.options[name] = word.substr(equals + 1);
  }
  return ok_status();
}

}  // namespace forebay::cli
