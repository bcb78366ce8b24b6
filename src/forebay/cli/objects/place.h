// What the words of a command line name: objects and folders in any store.
#pragma once

#include <string>

#include "forebay/storage/tree/place.h"

namespace forebay::cli {

using storage::find_place;
using storage::Place;

/// Where something is to be written; there may be nothing.
Result<storage::ObjectAddress> resolve(const std::string& name);

/// Where something goes.
struct Target {
  storage::ObjectAddress address;
  bool is_in_folder = false;  // else `address` is what was named
};

/// Into a folder that is there, or is named as one, under the own name of `from`; else as `to` says.
Result<Target> find_target(const std::string& to, const Place& from,
                           const storage::CallContext& context = {});

/// The last part of a path or URI, without slashes at its end: "c" of "a/b/c/".
std::string last_name(const std::string& name);

/// "2026-11-23 06:40", in the local time zone; "-" where the store knows none.
std::string time_text(int64_t modified_ns);

}  // namespace forebay::cli
