// The store of a mount as file systems show it: without objects whose names are no paths.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/forwarding_store.h"

namespace forebay::storage {

/// Listings leave out objects whose names below the mount have empty parts, "." or ".." in them: as paths
/// they would name other objects, or lead out of the mount, so nobody could read them there and a copy would
/// land elsewhere. A listing that leaves something out says so once. The objects are reached by the store's
/// own URIs. Thread safe.
class PathNames final : public ForwardingStore {
 public:
  /// `root`: what the keys in the mount begin with. `path`: where it is mounted.
  PathNames(std::shared_ptr<ObjectStore> inner, std::string root, std::string path)
      : ForwardingStore(std::move(inner)), root_(std::move(root)), path_(std::move(path)) {}

  const ObjectStore* identity() const override { return inner().identity(); }
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) override;
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override;
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override;

 private:
  const std::string root_;
  const std::string path_;
};

}  // namespace forebay::storage
