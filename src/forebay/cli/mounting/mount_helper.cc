#include "forebay/cli/mounting/mount_helper.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/str_split.h"

namespace forebay::cli {
namespace {

constexpr std::string_view kName = "mount.forebay";
constexpr std::string_view kAll = "forebay";  // as a source: all that `forebay mount` lists
/// Of mount(8) and systemd alone, or true of every such mount.
constexpr std::array<std::string_view, 22> kOfOthers = {
    "defaults", "auto",     "noauto",     "user",       "nouser", "users", "owner", "group",
    "nofail",   "_netdev",  "rw",         "nosuid",     "nodev",  "exec",  "async", "atime",
    "noatime",  "relatime", "norelatime", "nodiratime", "suid",   "dev"};

struct Given {
  std::vector<std::string> places;
  std::vector<std::string> options;
  bool is_sloppy = false;
  bool is_fake = false;
};

std::string base_name_of(const std::string& program) {
  return program.substr(program.rfind('/') + 1);
}

Result<Given> given_by(const std::vector<std::string>& arguments) {
  Given given;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (!word.starts_with('-') || word == "-") {
      given.places.push_back(word);
      continue;
    }
    const bool takes_value = word == "-o" || word == "-t" || word == "-N";
    if (takes_value && at + 1 == arguments.size()) {
      return invalid_argument("{}: {} needs a value", kName, word);
    }
    if (word == "-N") {
      return invalid_argument("{}: mounts of another namespace are made there, with nsenter", kName);
    }
    if (word == "-o") {
      for (const absl::string_view option : absl::StrSplit(arguments[at + 1], ',', absl::SkipEmpty())) {
        given.options.emplace_back(option.data(), option.size());
      }
    }
    at += takes_value ? 1 : 0;
    given.is_sloppy = given.is_sloppy || word == "-s";
    given.is_fake = given.is_fake || word == "-f";
  }
  return given.places.size() == 2
             ? Result<Given>(std::move(given))
             : invalid_argument("{}: SOURCE FOLDER [-o OPTIONS] is needed; mount(8) calls it so", kName);
}

/// Adds what an option of mount(8) is to `forebay fuse`; false if there is none such.
bool take_option(const std::string& option, HelpedMount& mount) {
  const size_t end = std::min(option.find('='), option.size());
  const std::string name = option.substr(0, end);
  const std::string value = option.substr(std::min(end + 1, option.size()));
  if (option == "ro") {
    mount.words.emplace_back("--read-only");
  } else if (option == "allow_other") {
    mount.words.emplace_back("--allow-other");
  } else if ((name == "trust" || name == "patience" || name == "threads") && !value.empty()) {
    mount.words.push_back("--" + option);
  } else if (name == "home" && !value.empty()) {
    mount.home = value;
  } else {
    return std::ranges::find(kOfOthers, option) != kOfOthers.end() || option.starts_with("x-") ||
           option.starts_with("comment=");
  }
  return true;
}

}  // namespace

bool is_mount_helper(const std::string& program) {
  return base_name_of(program) == kName;
}

Result<HelpedMount> helped_mount(const std::vector<std::string>& arguments) {
  FOREBAY_ASSIGN_OR_RETURN(const Given given, given_by(arguments));
  HelpedMount mount = {.words = {"fuse"}, .home = {}};
  for (const std::string& option : given.options) {
    if (!take_option(option, mount) && !given.is_sloppy) {
      return invalid_argument(
          "{}: no option {}; there are ro, allow_other, trust=TIME, patience=TIME, threads=N and "
          "home=FOLDER, "
          "beside those of mount(8)",
          kName, option);
    }
  }
  if (given.is_fake) {
    return HelpedMount();
  }
  mount.words.insert(mount.words.end(), {"--", given.places[1]});
  if (given.places[0] != kAll) {
    mount.words.push_back(given.places[0]);
  }
  return mount;
}

}  // namespace forebay::cli
