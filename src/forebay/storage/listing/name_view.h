// A snapshot of names with the changes since it was written, kept in a file beside it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "forebay/storage/listing/entry_stream.h"
#include "forebay/storage/listing/name_snapshot.h"

namespace forebay::storage {

/// Immutable; thread safe.
class NameView {
 public:
  /// Opens the snapshot `path`, and its changes if there are any: a file of changes to another snapshot
  /// counts for nothing.
  static Result<std::shared_ptr<const NameView>> open(const std::string& path);
  /// `changes` may be null.
  NameView(std::shared_ptr<const NameSnapshot> base, std::shared_ptr<const NameSnapshot> changes)
      : base_(std::move(base)), changes_(std::move(changes)) {}

  /// False if there is no such object; else fills `stat`, but for its key.
  Result<bool> find(std::string_view key, ObjectStat& stat) const;
  /// Those that are not less than `from`.
  Result<std::unique_ptr<EntryStream>> entries(std::string_view from = {}) const;

  /// Of the last listing.
  const SnapshotFacts& facts() const { return changes_ ? changes_->facts() : base_->facts(); }
  const std::shared_ptr<const NameSnapshot>& base() const { return base_; }
  bool has_changes() const { return changes_ != nullptr; }

  /// Where the changes to the snapshot `path` are.
  static std::string changes_path(const std::string& path) { return path + ".changes"; }

 private:
  const std::shared_ptr<const NameSnapshot> base_;
  const std::shared_ptr<const NameSnapshot> changes_;
};

/// Lists a view as a store would. Answers at once. `uri` is for errors.
std::unique_ptr<ListStream> list_view(std::shared_ptr<const NameView> view, ListRequest request,
                                      std::string uri);

}  // namespace forebay::storage
