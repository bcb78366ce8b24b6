// Lists a tree of files the way an object store lists keys: sorted by the bytes of the whole key, in pages.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// How many names of one directory are held in memory at once; a larger directory is read several times.
inline constexpr size_t kNamesInMemory = size_t{1} << 20;

/// Keys are paths below `root`, or any paths if `root` is empty. A missing directory above the prefix is an
/// empty listing, as in an object store. Lists files only: anything that is neither a regular file nor a
/// directory is left out, and so is a link that leads back to one of its parent directories. A link to what
/// is not there is listed as an object of no bytes and without a version: whoever reads it gets the error.
/// Entries created or removed during the listing may or may not appear; nothing appears twice.
class LocalList final : public ListStream {
 public:
  LocalList(std::string root, ListRequest request, size_t names_in_memory = kNamesInMemory);

  void next(const CallContext& context, ListCallback done) override;

 private:
  using Identity = std::pair<dev_t, ino_t>;

  /// A directory being listed, with some of its names, sorted. A directory's name ends with "/", so names
  /// sort as the keys below them do.
  struct Level {
    std::string directory;
    std::vector<std::string> names;
    size_t next = 0;
    bool is_rest = false;  // whether these are the directory's last names
    std::string last;      // this name and all names before it have been listed
  };

  Status check() const;
  Result<ListPage> next_page();
  Status open_first();
  void enter(const std::string& folder);
  Status descend(std::string directory);
  /// Reads the directory's next names.
  Status read_names(Level& level);
  /// The name of an entry in its level; empty for entries that are left out.
  std::string name_of(int directory, const char* name, unsigned char type, const Level& level) const;
  Status take(const std::string& key, ListPage& page);
  bool is_above(const struct stat& status) const;
  /// Whether `key`, or anything below it, comes after the place where the listing starts.
  bool is_listed(const std::string& key) const;
  std::string path_of(const std::string& key) const;

  const std::string root_;
  const ListRequest request_;
  const size_t names_in_memory_;
  std::vector<Identity> above_;  // the directories from the root down to the current one
  std::vector<Level> levels_;
  bool is_open_ = false;
  bool is_at_end_ = false;
};

}  // namespace forebay::storage
