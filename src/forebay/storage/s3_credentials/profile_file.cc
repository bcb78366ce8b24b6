#include "forebay/storage/s3_credentials/profile_file.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"
#include "forebay/storage/remote/small_file.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxSettings = 10'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// A comment behind a value begins with a blank and '#' or ';'.
std::string_view without_comment(std::string_view value) {
  for (size_t i = 1; i < value.size(); ++i) {
    if ((value[i] == '#' || value[i] == ';') && is_blank(value[i - 1])) {
      return without_blanks(value.substr(0, i));
    }
  }
  return value;
}

class ProfileParser {
 public:
  explicit ProfileParser(std::string_view path) : path_(path) {}

  Status take(std::string_view line) {
    ++line_;
    const bool is_indented = !line.empty() && is_blank(line.front());
    const std::string_view text = without_blanks(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') {
      return ok_status();
    }
    if (text.find('\0') != std::string_view::npos) {
      return broken("holds a NUL byte");
    }
    return !is_indented && text.front() == '[' ? take_section(text) : take_setting(text, is_indented);
  }

  ProfileFile done() { return std::move(file_); }

 private:
  Status broken(std::string_view what) const {
    return data_loss("{}:{}: {}; a profile file has [sections] with lines of NAME = VALUE", path_, line_,
                     what);
  }

  Status take_section(std::string_view text) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) {
      return broken("the section's name does not end");
    }
    section_ = &file_[std::string(without_blanks(text.substr(1, end - 1)))];
    outer_.clear();
    return ok_status();
  }

  Status take_setting(std::string_view text, bool is_indented) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      return broken("no '='");
    }
    if (section_ == nullptr) {
      return broken("a setting outside of any section");
    }
    if (++settings_ > kMaxSettings) {
      return broken(fmt::format("more than {} settings", kMaxSettings));
    }
    std::string name(without_blanks(text.substr(0, equals)));
    const std::string_view value = without_comment(without_blanks(text.substr(equals + 1)));
    if (is_indented && !outer_.empty()) {
      name = outer_ + "." + name;
    } else {
      outer_ = value.empty() ? name : "";
    }
    section_->insert_or_assign(std::move(name), std::string(value));
    return ok_status();
  }

  const std::string_view path_;
  ProfileFile file_;
  ProfileSettings* section_ = nullptr;
  std::string outer_;  // the setting that indented lines belong to
  size_t line_ = 0;
  size_t settings_ = 0;
};

/// A file that does not exist is empty.
Result<ProfileFile> load(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                           read_small_file(path, kMaxProfileFileBytes));
  return parse_profile_file(text.value_or(""), path);
}

std::string path_of(const Environment& environment, const char* variable, const char* name) {
  if (const std::optional<std::string> path = environment(variable)) {
    return *path;
  }
  const std::optional<std::string> home = environment("HOME");
  return home ? *home + "/.aws/" + name : std::string();
}

/// The config file calls a profile "profile x", but for the default one, which may go without.
const ProfileSettings* find_profile(const ProfileFile& file, const std::string& name) {
  auto found = file.find("profile " + name);
  if (found == file.end() && name == "default") {
    found = file.find(name);
  }
  return found == file.end() ? nullptr : &found->second;
}

}  // namespace

Result<ProfileFile> parse_profile_file(std::string_view text, std::string_view path) {
  if (text.size() > kMaxProfileFileBytes) {
    return data_loss("{}: over {} bytes, which no profile file has", path, kMaxProfileFileBytes);
  }
  ProfileParser parser(path);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    FOREBAY_RETURN_IF_ERROR(parser.take(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.done();
}

Result<Profile> read_profile(const std::string& name, const Environment& environment) {
  Profile profile;
  profile.name = !name.empty() ? name : environment("AWS_PROFILE").value_or("default");
  const std::string config_path = path_of(environment, "AWS_CONFIG_FILE", "config");
  const std::string keys_path = path_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  profile.files = fmt::format("{} and {}", config_path, keys_path);
  FOREBAY_ASSIGN_OR_RETURN(const ProfileFile config, load(config_path));
  FOREBAY_ASSIGN_OR_RETURN(const ProfileFile keys, load(keys_path));
  if (const ProfileSettings* const settings = find_profile(config, profile.name)) {
    profile.is_known = true;
    profile.settings = *settings;
  }
  if (const auto found = keys.find(profile.name); found != keys.end()) {
    profile.is_known = true;
    for (const auto& [setting, value] : found->second) {
      profile.settings.insert_or_assign(setting, value);
    }
  }
  if (const auto services = profile.settings.find("services"); services != profile.settings.end()) {
    if (const auto found = config.find("services " + services->second); found != config.end()) {
      profile.services = found->second;
    }
  }
  return profile;
}

}  // namespace forebay::storage
