// The program under the name mount.forebay: what mount(8) runs for a line of /etc/fstab whose type is
// forebay.
#pragma once

#include <string>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::cli {

/// Whether the program was called by that name.
bool is_mount_helper(const std::string& program);

/// What mount(8) asks for, by its arguments `SOURCE FOLDER [-sfnv] [-N NAMESPACE] [-t TYPE] [-o OPTIONS]`.
struct HelpedMount {
  std::vector<std::string> words;  // of the program `forebay`, without its name; empty: nothing is to be done
  std::string home;                // FOREBAY_HOME; empty: as it is
};

/// invalid_argument, with the options that there are, for one that is none, unless `-s` says to ignore those.
Result<HelpedMount> helped_mount(const std::vector<std::string>& arguments);

}  // namespace forebay::cli
