// What the words of a command line name: objects and folders in any store.
#pragma once

#include <string>

#include "forebay/storage/object_store.h"
#include "forebay/storage/tree/entry.h"

namespace forebay::cli {

/// A path or URI and what is there.
struct Place {
  std::string name;  // as it was given, without what may be secret: to be printed, not resolved
  storage::ObjectAddress address;
  storage::Entry entry;

  /// The folder's objects: its key with a slash at its end.
  std::string folder_key() const { return storage::as_folder_key(address.key); }
};

/// not_found if there is nothing.
Result<Place> find_place(const std::string& name, const storage::CallContext& context = {});
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
