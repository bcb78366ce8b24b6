#include "forebay/storage/listing/snapshot_store.h"

#include <algorithm>
#include <utility>

#include "forebay/storage/errors.h"

namespace forebay::storage {
namespace {

/// Puts the prefix back in front of the keys.
class PrefixedList final : public ListStream {
 public:
  PrefixedList(std::unique_ptr<ListStream> inner, std::string prefix)
      : inner_(std::move(inner)), prefix_(std::move(prefix)) {}

  void next(const CallContext& context, ListCallback done) override {
    inner_->next(context, [prefix = prefix_, done = std::move(done)](Result<ListPage> page) mutable {
      if (page.ok()) {
        for (ObjectStat& object : page->objects) {
          object.key.insert(0, prefix);
        }
        for (std::string& folder : page->prefixes) {
          folder.insert(0, prefix);
        }
      }
      done(std::move(page));
    });
  }

 private:
  const std::unique_ptr<ListStream> inner_;
  const std::string prefix_;
};

}  // namespace

// Its folders are the prefixes of objects.
StoreFeatures SnapshotStore::features() const {
  StoreFeatures features = inner().features();
  features.has_directories = false;
  features.can_remove = false;
  return features;
}

Status SnapshotStore::find(const std::string& key, ObjectStat& stat) const {
  const Result<bool> found = view_->find(std::string_view(key).substr(prefix_.size()), stat);
  if (!found.ok()) {
    return annotate(found.status(), uri_of(key));
  }
  return *found ? ok_status() : no_such_object(uri_of(key));
}

// The prefix without its slash is a folder's name, so no object's.
bool SnapshotStore::is_own_name(std::string_view key) const {
  return !prefix_.empty() && key == std::string_view(prefix_).substr(0, prefix_.size() - 1);
}

void SnapshotStore::stat(std::string key, const CallContext& context, StatCallback done) {
  if (is_own_name(key)) {
    done(no_such_object(uri_of(key)));
    return;
  }
  if (!is_known(key)) {
    inner().stat(std::move(key), context, std::move(done));
    return;
  }
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(key)));
    return;
  }
  ObjectStat stat;
  if (Status found = find(key, stat); !found.ok()) {
    done(std::move(found));
    return;
  }
  stat.key = std::move(key);
  done(std::move(stat));
}

std::unique_ptr<ListStream> SnapshotStore::open_list(ListRequest request) {
  if (!is_known(request.prefix)) {
    return inner().open_list(std::move(request));
  }
  std::string uri = uri_of(request.prefix);
  request.prefix.erase(0, prefix_.size());
  const bool starts_inside = request.start_after.starts_with(prefix_);
  if (!starts_inside && request.start_after > prefix_) {
    request.start_after = std::string(kMaxNameBytes + 1, '\xff');  // behind all names of a snapshot
  } else {
    request.start_after.erase(0, starts_inside ? prefix_.size() : std::string::npos);
  }
  return std::make_unique<PrefixedList>(list_view(view_, std::move(request), std::move(uri)), prefix_);
}

Status SnapshotStore::name_version(ReadRequest& request) const {
  if (!is_known(request.key) || !request.if_version.empty()) {
    return ok_status();
  }
  ObjectStat stat;
  FOREBAY_RETURN_IF_ERROR(find(request.key, stat));
  request.if_version = std::move(stat.version);
  return ok_status();
}

void SnapshotStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  if (const Status named = name_version(request); !named.ok()) {
    done(named);
    return;
  }
  inner().read(std::move(request), context, std::move(done));
}

void SnapshotStore::read_many(std::vector<ReadRequest> requests, const CallContext& context,
                              ReadManyCallback each) {
  const bool are_known =
      std::ranges::all_of(requests, [&](ReadRequest& one) { return name_version(one).ok(); });
  if (are_known) {
    inner().read_many(std::move(requests), context, std::move(each));
  } else {
    ForwardingStore::read_many(std::move(requests), context, std::move(each));  // each with its own answer
  }
}

}  // namespace forebay::storage
