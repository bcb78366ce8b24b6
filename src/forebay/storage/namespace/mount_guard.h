// Refuses what a mount does not allow: all changes where it is read-only; where it is immutable, to replace,
// rename or remove objects.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/namespace/mount_entry.h"

namespace forebay::storage {

/// Thread safe. Errors: permission_denied, which names the object and the mount.
class MountGuard final : public ForwardingStore {
 public:
  MountGuard(std::shared_ptr<ObjectStore> inner, const MountEntry& entry)
      : ForwardingStore(std::move(inner)), path_(entry.path), read_only_(entry.read_only) {}

  StoreFeatures features() const override;
  void stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) override;
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override;
  Status check_write(std::string_view key, bool is_replacing) const override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  void make_directory(std::string key, const CallContext& context, StatusCallback done) override;

 private:
  Status refusal(std::string_view key, std::string_view what) const;

  const std::string path_;
  const bool read_only_;  // else immutable
};

}  // namespace forebay::storage
