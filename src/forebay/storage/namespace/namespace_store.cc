#include "forebay/storage/namespace/namespace_store.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "forebay/storage/local/local_file.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/namespace/namespace_list.h"
#include "forebay/storage/scheme.h"

namespace forebay::storage {
namespace {

std::string_view without_slashes(std::string_view key) {
  key.remove_prefix(std::min(key.find_first_not_of('/'), key.size()));
  return key;
}

std::string as_folder(std::string_view key) {
  std::string folder(key);
  if (!folder.empty() && !folder.ends_with('/')) {
    folder += '/';
  }
  return folder;
}

/// The key of a path of the file system.
Result<std::string> key_of_path(std::string_view path) {
  std::filesystem::path whole{path};
  if (whole.is_relative()) {
    std::error_code error;
    const std::filesystem::path current = std::filesystem::current_path(error);
    if (error) {
      return annotate(errno_status(error.value(), "the current directory"), path);
    }
    whole = current / whole;
  }
  return std::string(without_slashes(whole.lexically_normal().native()));
}

Status check_key(std::string_view key) {
  if (leaves_root(key)) {
    return invalid_argument("forebay:///{}: '..' is not allowed", key);
  }
  return key.find('\0') == std::string_view::npos ? ok_status() : invalid_argument("a path with a NUL byte");
}

StatCallback in_namespace(OpenMountRef mount, StatCallback done) {
  return [mount = std::move(mount), done = std::move(done)](Result<ObjectStat> stat) mutable {
    if (stat.ok()) {
      stat->key = mount->namespace_key(stat->key);
    }
    done(std::move(stat));
  };
}

/// A writer into a mount, whose object gets its name in the namespace.
class NamespaceWriter final : public ObjectWriter {
 public:
  NamespaceWriter(OpenMountRef mount, std::unique_ptr<ObjectWriter> inner)
      : mount_(std::move(mount)), inner_(std::move(inner)) {}

  PartLimits limits() const override { return inner_->limits(); }
  void append(Bytes part, const CallContext& context, StatusCallback done) override {
    inner_->append(part, context, std::move(done));
  }
  void commit(const CallContext& context, StatCallback done) override {
    inner_->commit(context, in_namespace(mount_, std::move(done)));
  }

 private:
  const OpenMountRef mount_;  // the store, which the writer must not outlive
  const std::unique_ptr<ObjectWriter> inner_;
};

}  // namespace

Result<std::optional<ObjectAddress>> NamespaceStore::resolve_path(std::string_view path) {
  std::optional<ObjectAddress> none;
  FOREBAY_ASSIGN_OR_RETURN(const MountTableRef table, mounts_->table());
  if (table->is_empty()) {
    return none;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string key, key_of_path(path));
  if (table->covering(key) == nullptr && table->below(as_folder(key)).empty()) {
    return none;
  }
  FOREBAY_ASSIGN_OR_RETURN(OpenMountRef mount, mounts_->covering(*table, key));
  return std::optional<ObjectAddress>(address_in(*table, std::move(mount), key));
}

Result<ObjectAddress> NamespaceStore::resolve_key(std::string_view key) {
  key = without_slashes(key);
  FOREBAY_RETURN_IF_ERROR(check_key(key));
  FOREBAY_ASSIGN_OR_RETURN(const MountTableRef table, mounts_->table());
  FOREBAY_ASSIGN_OR_RETURN(OpenMountRef mount, mounts_->covering(*table, key));
  return address_in(*table, std::move(mount), key);
}

ObjectAddress NamespaceStore::address_in(const MountTable& table, OpenMountRef mount, std::string_view key) {
  if (!table.below(as_folder(key)).empty()) {
    return {shared_from_this(), std::string(key)};
  }
  return {mount->store, mount->upstream_key(key)};
}

Result<NamespaceStore::Place> NamespaceStore::place_of(std::string_view key) const {
  FOREBAY_RETURN_IF_ERROR(check_key(key));
  FOREBAY_ASSIGN_OR_RETURN(const MountTableRef table, mounts_->table());
  FOREBAY_ASSIGN_OR_RETURN(OpenMountRef mount, mounts_->covering(*table, key));
  std::string upstream_key = mount->upstream_key(key);
  return Place{std::move(mount), std::move(upstream_key)};
}

std::string NamespaceStore::uri_of(std::string_view key) const {
  const Result<Place> place = place_of(key);
  return place.ok() ? place->mount->store->uri_of(place->key) : "forebay:///" + std::string(key);
}

StoreFeatures NamespaceStore::features() const {
  StoreFeatures all = {.has_directories = true, .can_rename = true, .can_copy = true, .has_resident = true};
  const auto narrow = [&all](const Result<OpenMountRef>& mount) {
    const StoreFeatures own = mount.ok() ? (*mount)->store->features() : StoreFeatures();
    all.has_directories = all.has_directories && own.has_directories;
    all.can_rename = all.can_rename && own.can_rename;
    all.can_copy = all.can_copy && own.can_copy;
    all.can_remove = all.can_remove && own.can_remove;
    all.has_resident = all.has_resident && own.has_resident;
    all.acknowledges_early = all.acknowledges_early || own.acknowledges_early;
  };
  const Result<MountTableRef> table = mounts_->table();
  if (!table.ok()) {
    return {};
  }
  narrow(mounts_->covering(**table, ""));
  for (const auto& [path, entry] : (*table)->entries()) {
    narrow(mounts_->open(entry));
  }
  return all;
}

void NamespaceStore::stat(std::string key, const CallContext& context, StatCallback done) {
  const Result<Place> place = place_of(key);
  if (!place.ok()) {
    done(place.status());
    return;
  }
  place->mount->store->stat(place->key, context, in_namespace(place->mount, std::move(done)));
}

void NamespaceStore::stat_many(std::vector<std::string> keys, const CallContext& context,
                               StatManyCallback each) {
  stat_each(*this, std::move(keys), context, std::move(each));
}

std::unique_ptr<ListStream> NamespaceStore::open_list(ListRequest request) {
  return list_namespace(mounts_, std::move(request));
}

void NamespaceStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  const Result<Place> place = place_of(request.key);
  if (!place.ok()) {
    done(place.status());
    return;
  }
  request.key = place->key;
  place->mount->store->read(std::move(request), context, std::move(done));
}

void NamespaceStore::read_many(std::vector<ReadRequest> requests, const CallContext& context,
                               ReadManyCallback each) {
  read_each(*this, std::move(requests), context, std::move(each));
}

void NamespaceStore::bring_many(std::vector<BringRequest> requests, const CallContext& context,
                                BringManyCallback each) {
  bring_each(std::move(requests), std::move(each), [&](BringRequest request, BringCallback done) {
    const Result<Place> place = place_of(request.key);
    if (!place.ok()) {
      done(place.status());
      return;
    }
    request.key = place->key;
    place->mount->store->bring_many(
        {std::move(request)}, context,
        [done = std::move(done)](size_t, Result<BringOutcome> outcome) mutable { done(std::move(outcome)); });
  });
}

std::optional<std::string> NamespaceStore::local_file(std::string_view key) const {
  const Result<Place> place = place_of(key);
  return place.ok() ? place->mount->store->local_file(place->key) : std::nullopt;
}

void NamespaceStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                           StatCallback done) {
  const Result<Place> place = place_of(key);
  if (!place.ok()) {
    done(place.status());
    return;
  }
  place->mount->store->write(place->key, content, std::move(options), context,
                             in_namespace(place->mount, std::move(done)));
}

Status NamespaceStore::check_write(std::string_view key, bool is_replacing) const {
  FOREBAY_ASSIGN_OR_RETURN(const Place place, place_of(key));
  return place.mount->store->check_write(place.key, is_replacing);
}

Result<std::unique_ptr<ObjectWriter>> NamespaceStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(const Place place, place_of(key));
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<ObjectWriter> writer,
                           place.mount->store->open_writer(place.key, std::move(options)));
  return std::make_unique<NamespaceWriter>(place.mount, std::move(writer));
}

Status NamespaceStore::check_no_mount_at_path(std::string_view path, std::string_view what) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string key, key_of_path(path));
  return check_no_mount_at_key(key, what);
}

Status NamespaceStore::check_no_mount_at_key(std::string_view key, std::string_view what) const {
  const std::string folder = as_folder(without_slashes(key));
  FOREBAY_ASSIGN_OR_RETURN(const MountTableRef table, mounts_->table());
  const MountEntry* const entry = table->covering(folder);
  if (entry != nullptr && folder == as_folder(without_slashes(entry->path))) {
    return failed_precondition("{} is a mount and cannot be {}; `forebay unmount` ends a mount", entry->path,
                               what);
  }
  const std::vector<const MountEntry*> below = table->below(folder);
  if (!below.empty()) {
    return failed_precondition("/{} cannot be {}: {} is mounted below it", key, what, below[0]->path);
  }
  return ok_status();
}

void NamespaceStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  const Result<Place> place = place_of(key);
  const Status allowed = place.ok() ? check_no_mount_at_key(key, "removed") : place.status();
  if (!allowed.ok()) {
    done(allowed);
    return;
  }
  place->mount->store->remove(place->key, context, std::move(done));
}

void NamespaceStore::remove_many(std::vector<std::string> keys, const CallContext& context,
                                 RemoveManyCallback each) {
  remove_each(*this, std::move(keys), context, std::move(each));
}

Result<NamespaceStore::MovePlaces> NamespaceStore::places_of(const MoveRequest& request,
                                                             std::string_view what) const {
  MovePlaces places;
  FOREBAY_ASSIGN_OR_RETURN(places.from, place_of(request.from));
  FOREBAY_ASSIGN_OR_RETURN(places.to, place_of(request.to));
  FOREBAY_RETURN_IF_ERROR(check_no_mount_at_key(request.from, what));
  FOREBAY_RETURN_IF_ERROR(check_no_mount_at_key(request.to, "replaced"));
  if (places.from.mount->store != places.to.mount->store) {
    return failed_precondition(
        "{} cannot be {} to {}: they lie in different stores; use cp, which moves the "
        "bytes, and rm",
        uri_of(request.from), what, uri_of(request.to));
  }
  return places;
}

void NamespaceStore::rename(MoveRequest request, const CallContext& context, StatCallback done) {
  Result<MovePlaces> places = places_of(request, "renamed");
  if (!places.ok()) {
    done(places.status());
    return;
  }
  request.from = places->from.key;
  request.to = places->to.key;
  places->to.mount->store->rename(std::move(request), context,
                                  in_namespace(places->to.mount, std::move(done)));
}

void NamespaceStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  Result<MovePlaces> places = places_of(request, "copied");
  if (!places.ok()) {
    done(places.status());
    return;
  }
  request.from = places->from.key;
  request.to = places->to.key;
  places->to.mount->store->copy(std::move(request), context, in_namespace(places->to.mount, std::move(done)));
}

void NamespaceStore::make_directory(std::string key, const CallContext& context, StatusCallback done) {
  const Result<Place> place = place_of(key);
  if (!place.ok()) {
    done(place.status());
    return;
  }
  place->mount->store->make_directory(place->key, context, std::move(done));
}

void NamespaceStore::settle(std::string key, const CallContext& context, StatusCallback done) {
  const Result<Place> place = place_of(key);
  if (!place.ok()) {
    done(place.status());
    return;
  }
  place->mount->store->settle(place->key, context, std::move(done));
}

Result<ObjectAddress> NamespaceStore::derived(std::string_view key, std::string_view version,
                                              std::string_view kind) {
  FOREBAY_ASSIGN_OR_RETURN(const Place place, place_of(key));
  return place.mount->store->derived(place.key, version, kind);
}

std::shared_ptr<NamespaceStore> process_namespace(const StoreSchemes& schemes) {
  auto database = std::make_unique<MountDatabase>(process_mounts());
  database->keep_usable_in_child();
  auto mounts = std::make_shared<OpenMounts>(std::move(database), schemes, LocalStore::process_store());
  return std::make_shared<NamespaceStore>(std::move(mounts));
}

}  // namespace forebay::storage
