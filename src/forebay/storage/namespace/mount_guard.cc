#include "forebay/storage/namespace/mount_guard.h"

namespace forebay::storage {

Status MountGuard::refusal(std::string_view key, std::string_view what) const {
  return permission_denied("{}: cannot be {}, because {} is mounted {}", uri_of(key), what, path_,
                           read_only_ ? "read-only" : "as immutable");
}

StoreFeatures MountGuard::features() const {
  StoreFeatures features = inner().features();
  features.can_rename = false;
  features.can_remove = false;
  features.can_copy = features.can_copy && !read_only_;
  features.has_directories = features.has_directories && !read_only_;
  return features;
}

void MountGuard::stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) {
  inner().stat_many(std::move(keys), context, std::move(each));
}

void MountGuard::read_many(std::vector<ReadRequest> requests, const CallContext& context,
                           ReadManyCallback each) {
  inner().read_many(std::move(requests), context, std::move(each));
}

Status MountGuard::check_write(std::string_view key, bool is_replacing) const {
  if (read_only_ || is_replacing) {
    return refusal(key, read_only_ ? "written" : "replaced");
  }
  return inner().check_write(key, false);
}

void MountGuard::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                       StatCallback done) {
  if (read_only_ || !options.if_version.empty()) {
    done(refusal(key, read_only_ ? "written" : "replaced"));
    return;
  }
  options.if_absent = true;
  inner().write(std::move(key), content, std::move(options), context, std::move(done));
}

Result<std::unique_ptr<ObjectWriter>> MountGuard::open_writer(std::string key, WriteOptions options) {
  if (read_only_ || !options.if_version.empty()) {
    return refusal(key, read_only_ ? "written" : "replaced");
  }
  options.if_absent = true;
  return inner().open_writer(std::move(key), std::move(options));
}

void MountGuard::remove(std::string key, const CallContext&, StatusCallback done) {
  done(refusal(key, "removed"));
}

void MountGuard::rename(MoveRequest request, const CallContext&, StatCallback done) {
  done(refusal(request.from, "renamed"));
}

void MountGuard::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  if (read_only_) {
    done(refusal(request.to, "written"));
    return;
  }
  request.if_absent = true;
  inner().copy(std::move(request), context, std::move(done));
}

void MountGuard::make_directory(std::string key, const CallContext& context, StatusCallback done) {
  if (read_only_) {
    done(refusal(key, "made"));
    return;
  }
  inner().make_directory(std::move(key), context, std::move(done));
}

}  // namespace forebay::storage
