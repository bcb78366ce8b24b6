// A listing of the namespace: that of the mount, or of the local folder, that the prefix lies in, merged with
// those of the mounts below it, by key. What lies under a mount point is left out.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/storage/namespace/open_mounts.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Keeps a page of each listing that is under way; those of mounts are opened when their turn comes. Errors
/// of a mount end the listing. A page under way keeps it alive.
class NamespaceList final : public std::enable_shared_from_this<NamespaceList> {
 public:
  NamespaceList(std::shared_ptr<OpenMounts> mounts, ListRequest request);

  void next(const CallContext& context, ListCallback done);

 private:
  /// One of the listings that are merged.
  struct Source {
    OpenMountRef mount;               // null for folders that are known from the start
    std::vector<std::string> hidden;  // the roots of mounts within this one
    std::string first;                // no key comes before it
    std::unique_ptr<ListStream> stream;
    ListPage page;  // with keys of the namespace
    size_t next_object = 0;
    size_t next_prefix = 0;
    bool is_at_end = false;

    /// The next key of the page; null when the page is used up.
    const std::string* head() const;
    bool next_is_prefix() const;
  };
  enum class Phase { kAsked, kAnswered, kLeft };

  Status open();
  void add_source(const MountTable& table, OpenMountRef mount, const std::string& prefix);
  void add_folders(const MountTable& table);
  void run();
  /// The source that must answer before the next key is known; null if it is known.
  Source* unanswered();
  Source* lowest();
  void ask(Source& source);
  void take(Source& source, Result<ListPage> page);
  void move_head(Source& source);
  void deliver();
  ListRequest request_to(const OpenMount& mount, const std::string& prefix) const;

  const std::shared_ptr<OpenMounts> mounts_;
  ListRequest request_;
  std::vector<Source> sources_;
  Status status_;
  bool is_open_ = false;
  bool is_at_end_ = false;
  ListPage page_;  // being filled
  CallContext context_;
  ListCallback done_;
  std::atomic<Phase> phase_{Phase::kLeft};
};

std::unique_ptr<ListStream> list_namespace(std::shared_ptr<OpenMounts> mounts, ListRequest request);

}  // namespace forebay::storage
