// Listing a tree of files as an object store lists keys: sorted by bytes of the whole key, by pages.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// As many names of one directory are held at once; a larger one is read several times.
inline constexpr size_t kNamesInMemory = size_t{1} << 20;

/// Keys are paths below `root`, or any paths when it is empty. Directories above the prefix that do not exist
/// hold nothing, as in an object store. Files only: what is neither a regular file nor a directory is left
/// out, and so is a link that leads back to a directory above it. What comes or goes meanwhile may be listed
/// or not; nothing is listed twice.
class LocalList final : public ListStream {
 public:
  LocalList(std::string root, ListRequest request, size_t names_in_memory = kNamesInMemory);

  void next(const CallContext& context, ListCallback done) override;

 private:
  using Identity = std::pair<dev_t, ino_t>;

  /// A directory being listed: some of its names, sorted; a directory's ends with "/", so that names sort as
  /// the keys below them do.
  struct Level {
    std::string directory;
    std::vector<std::string> names;
    size_t next = 0;
    bool is_rest = false;  // no name lies behind these
    std::string last;      // the names before it, and it, were listed
  };

  Status check() const;
  Result<ListPage> next_page();
  Status open_first();
  Status descend(std::string directory);
  /// Takes the next names of the directory.
  Status read_names(Level& level);
  /// What an entry is called in its level; empty for what is left out.
  std::string name_of(int directory, const char* name, unsigned char type, const Level& level) const;
  Status take(const std::string& key, ListPage& page);
  bool is_above(const struct stat& status) const;
  /// Whether `key`, and all that is below it, lies behind the place where the listing begins.
  bool is_listed(const std::string& key) const;
  std::string path_of(const std::string& key) const;

  const std::string root_;
  const ListRequest request_;
  const size_t names_in_memory_;
  std::vector<Identity> above_;  // the directories from the root down to the one being listed
  std::vector<Level> levels_;
  bool is_open_ = false;
  bool is_at_end_ = false;
};

}  // namespace forebay::storage
