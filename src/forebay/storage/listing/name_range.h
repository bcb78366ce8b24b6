// A run of sorted names that one stream lists, and what is known of those that it still has to list.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

struct NameRange {
  std::string last;                 // all up to here is listed, or belongs to the range before
  std::optional<std::string> end;   // the last that belongs here; none: there is no range behind this one
  std::deque<std::string> folders;  // known ones between `last` and `end`, sorted
  /// Folders above `last` whose own folders are known, up to which name; none: all of them.
  std::map<std::string, std::optional<std::string>> asked;
  bool is_being_asked = false;  // such a question is under way
  /// How many times as far ahead as the last page reached the next guess goes, where nobody knows the end.
  double reach = 16;
  bool is_probe = false;  // begins at such a guess

  // Of the last page that had an object.
  std::string first;
  size_t objects = 0;
  size_t folders_begun = 0;  // that the object before them is not in

  bool is_listed() const { return end && last >= *end; }

  /// Cuts off what lies behind the end, and takes note of the rest.
  void take(ListPage& page);

  /// The highest folder above `last`, not above `prefix`, that may have more folders in the range than the
  /// one that `last` lies in, and has not been asked for them.
  std::optional<std::string> unknown_folder(const std::string& prefix) const;

  /// Takes the answer to that question: `page` has the folders in `folder` behind the one of `last`.
  void take_folders(const std::string& folder, const ListPage& page);

  /// Gives everything behind `at`, one of its names, to a new range.
  NameRange split(const std::string& at);
};

/// The folder that a key lies in, "a/b/" of "a/b/c"; empty for none.
std::string folder_of(const std::string& key);

}  // namespace forebay::storage
