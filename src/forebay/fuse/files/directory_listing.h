// A folder's names as readdir gives them: in one order, a page of the store's listing at a time, from any
// position on.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/fuse/files/said_errors.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

struct ListedEntry {
  std::string name;
  bool is_folder = false;
  storage::ObjectStat stat;  // of a folder its key alone

  /// Whether the listing said enough of a file to know it; some stores list names only.
  bool is_known() const { return is_folder || !stat.version.empty(); }
};

struct ListingOptions {
  bool has_url_names = false;      // then what is no part of a URL is left out, too
  SaidErrors* warnings = nullptr;  // where it is said that a name was left out; null: nowhere
};

/// Holds at most two pages, whatever the folder holds, and none of what was released. Names that no file can
/// have are left out, with one warning: those with a NUL, "." and "..", and those of more than
/// kMaxNameBytes. Where an object and a folder share a name, the folder is left out. Not thread safe.
class DirectoryListing {
 public:
  /// `folder` is a key that ends with "/", or empty.
  DirectoryListing(std::shared_ptr<storage::ObjectStore> store, std::string folder,
                   ListingOptions options = {});

  /// The entry at this position, from 0; null behind the last. To go on is cheap, and to go back a little;
  /// further back the folder is listed anew. Valid until the next call. Blocks.
  Result<const ListedEntry*> at(uint64_t position, const storage::CallContext& context);

  /// What is before this position is not asked for any more, unless the folder is to be listed anew.
  void release_before(uint64_t position);
  /// The folder is listed anew, so that what has changed is seen.
  void rewind();

  size_t entries_held() const { return entries_.size(); }

 private:
  Status next_page(const storage::CallContext& context);
  void restart();
  void take_object(const storage::ObjectStat& object);
  void take_folder(const std::string& key);
  bool is_name(std::string_view name);

  const std::shared_ptr<storage::ObjectStore> store_;
  const std::string folder_;
  const ListingOptions options_;
  std::unique_ptr<storage::ListStream> stream_;  // null before the first page
  bool is_at_end_ = false;
  std::deque<ListedEntry> entries_;
  uint64_t first_ = 0;           // the position of entries_.front()
  size_t before_last_page_ = 0;  // how many of entries_ are of the page before
  std::vector<std::string>
      open_names_;  // of objects, each the beginning of the next: folders of those may follow
  bool has_warned_ = false;
};

}  // namespace forebay::fuse
