// The two files in which AWS's tools keep profiles: settings in ~/.aws/config, keys in ~/.aws/credentials.
//
//   [profile training]            # in the config file; [training] in the credentials file
//   region = eu-west-1
//   s3 =
//     addressing_style = path     # an indented line belongs to the setting above: "s3.addressing_style"
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/storage/remote/environment.h"

namespace forebay::storage {

/// The settings of one section. Values may be secrets.
using ProfileSettings = std::map<std::string, std::string, std::less<>>;
/// Settings by section, as it is written between the brackets.
using ProfileFile = std::map<std::string, ProfileSettings, std::less<>>;

inline constexpr size_t kMaxProfileFileBytes = 1 << 20;

/// data_loss for what is no such file, with `path` and the line's number, but nothing of its text.
Result<ProfileFile> parse_profile_file(std::string_view text, std::string_view path);

/// The settings of one profile out of both files.
struct Profile {
  std::string name;
  bool is_known = false;     // a file has a section of it
  ProfileSettings settings;  // the credentials file wins
  ProfileSettings services;  // of its `services` section
  std::string files;         // where they were looked for, for messages
};

/// Reads the profile `name`; empty: what AWS_PROFILE names, else "default". Files that do not exist are
/// empty; AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE say where they are.
Result<Profile> read_profile(const std::string& name, const Environment& environment);

}  // namespace forebay::storage
