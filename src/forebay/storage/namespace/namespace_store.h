// The namespace as one store: the mount table over the local file system. A key is a path without the slash
// in front, as in "data/train/0.tar" for /data/train/0.tar or forebay:///data/train/0.tar. Names are taken as
// written; ".." is refused.
//
// Every call looks at the table as it is then. Listings show mount points as folders, and hide what lies
// under them. Objects are renamed and copied within one mount. Mount points are neither removed nor renamed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/basic_store.h"
#include "forebay/storage/namespace/open_mounts.h"

namespace forebay::storage {

class StoreSchemes;

/// Thread safe. Must be owned by a shared_ptr. URIs and errors are those of the stores that are mounted. The
/// features are what all mounts offer.
class NamespaceStore final : public ObjectStore, public std::enable_shared_from_this<NamespaceStore> {
 public:
  explicit NamespaceStore(std::shared_ptr<OpenMounts> mounts) : mounts_(std::move(mounts)) {}

  /// Where a path of the file system lies: in a mount, in this store if mounts lie below it, else nullopt.
  /// Relative paths begin at the current directory; "." and ".." are worked out by name.
  Result<std::optional<ObjectAddress>> resolve_path(std::string_view path);
  /// Where a key lies, with slashes in front or not: in a mount, in this store if mounts lie below it, else
  /// in the local file system.
  Result<ObjectAddress> resolve_key(std::string_view key);

  /// Whoever resolves a name from now on gets stores that are opened again.
  void open_mounts_anew() { mounts_->forget(); }

  /// failed_precondition if a path of the file system, or a key, is a mount or has mounts below it: what
  /// removes or renames whole folders must not reach into other stores. `what` is for the message:
  /// "removed".
  Status check_no_mount_at_path(std::string_view path, std::string_view what) const;
  Status check_no_mount_at_key(std::string_view key, std::string_view what) const;

  std::string uri_of(std::string_view key) const override;
  StoreFeatures features() const override;
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  void stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override;
  void bring_many(std::vector<BringRequest> requests, const CallContext& context,
                  BringManyCallback each) override;
  std::optional<std::string> local_file(std::string_view key) const override;
  Status check_write(std::string_view key, bool is_replacing) const override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  void make_directory(std::string key, const CallContext& context, StatusCallback done) override;
  void settle(std::string key, const CallContext& context, StatusCallback done) override;
  /// Plans are for the stores that resolve_path() names, so none comes here that could be followed.
  void advise(std::shared_ptr<ReadPlan>) override {}
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override;

 private:
  struct Place {
    OpenMountRef mount;
    std::string key;  // the store's
  };
  /// Both ends of a rename or copy.
  struct MovePlaces {
    Place from;
    Place to;
  };

  Result<Place> place_of(std::string_view key) const;
  Result<MovePlaces> places_of(const MoveRequest& request, std::string_view what) const;
  ObjectAddress address_in(const MountTable& table, OpenMountRef mount, std::string_view key);

  const std::shared_ptr<OpenMounts> mounts_;
};

/// The namespace of this process over `schemes`, which must outlive it.
std::shared_ptr<NamespaceStore> process_namespace(const StoreSchemes& schemes);

}  // namespace forebay::storage
