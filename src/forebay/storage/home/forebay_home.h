// Where Forebay keeps what belongs to this user and host: $FOREBAY_HOME, else $XDG_DATA_HOME/forebay, else
// ~/.local/share/forebay. Two values of FOREBAY_HOME are two hosts that know nothing of each other.
#pragma once

#include <string>

#include "forebay/base/status.h"

namespace forebay::storage {

/// The folder's absolute path, whether it exists or not. failed_precondition where the environment names
/// none.
Result<std::string> forebay_home();

/// Makes `folder` and the folders above it, for the user alone (mode 0700), and makes them durable. A folder
/// that exists is left as it is.
Status make_private_folder(const std::string& folder);

/// Makes the entries of a folder durable (fsync).
Status sync_folder(const std::string& folder);

}  // namespace forebay::storage
