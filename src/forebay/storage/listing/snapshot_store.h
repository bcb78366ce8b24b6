// A store whose names are answered from a snapshot, without a request: stats and listings below its prefix.
// Reads name the version that the snapshot has, so that an object that has changed since is `aborted`, and
// never mixed with others.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/listing/name_view.h"

namespace forebay::storage {

/// Thread safe. Objects that came after the snapshot do not exist for stats, listings and reads. What is
/// written or removed through the store goes to the store behind it, and does not change the snapshot; so it
/// is meant for data that is only read.
class SnapshotStore final : public ForwardingStore {
 public:
  /// `view` has the keys of `inner` that begin with `prefix`, without it. The prefix is empty or ends with a
  /// slash.
  SnapshotStore(std::shared_ptr<ObjectStore> inner, std::string prefix, std::shared_ptr<const NameView> view)
      : ForwardingStore(std::move(inner)), prefix_(std::move(prefix)), view_(std::move(view)) {}

  StoreFeatures features() const override;
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override;

 private:
  bool is_known(std::string_view key) const { return key.starts_with(prefix_); }
  bool is_own_name(std::string_view key) const;
  /// All but the key; errors name the object.
  Status find(const std::string& key, ObjectStat& stat) const;
  /// Names the snapshot's version in a request that names none.
  Status name_version(ReadRequest& request) const;

  const std::string prefix_;
  const std::shared_ptr<const NameView> view_;
};

}  // namespace forebay::storage
