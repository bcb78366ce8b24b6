#include "forebay/cache/hosted/host_listing.h"

#include <utility>

#include "forebay/cache/store/cache_store.h"

namespace forebay::cache {
namespace {

constexpr size_t kMaxPageBytes = size_t{40} << 10;
constexpr size_t kBytesOfEntry = 32;  // beside its name and version

storage::ListRequest request_for(const std::string& prefix, const HostListRequest& asked) {
  storage::ListRequest request = {.prefix = prefix, .delimiter = asked.delimiter};
  if (!asked.start_after.empty()) {
    request.start_after = prefix + asked.start_after;
  }
  request.page_entries = asked.page_entries;
  request.names_only = asked.names_only;
  return request;
}

}  // namespace

HostListing::HostListing(CachedAddress prefix, const HostListRequest& request)
    : prefix_(std::move(prefix)), stream_(prefix_.front->open_list(request_for(prefix_.key, request))) {
}

void HostListing::next(const storage::CallContext& context, std::function<void(Result<HostListPage>)> done) {
  Result<HostListPage> part = HostListPage();
  bool is_at_hand = true;
  {
    const MutexLock lock(mutex_);
    if (is_asking_) {
      part = failed_precondition("one page of a listing at a time");
    } else if (objects_given_ < page_.objects.size() || prefixes_given_ < page_.prefixes.size()) {
      part = take_part();
    } else {
      is_asking_ = true;
      is_at_hand = false;
    }
  }
  if (is_at_hand) {
    done(std::move(part));
    return;
  }
  stream_->next(context, [self = shared_from_this(), done = std::move(done)](Result<storage::ListPage> page) {
    Result<HostListPage> part = HostListPage();
    {
      const MutexLock lock(self->mutex_);
      self->is_asking_ = false;
      if (page.ok()) {
        self->page_ = *std::move(page);
        self->objects_given_ = 0;
        self->prefixes_given_ = 0;
        part = self->take_part();
      } else {
        part = page.status();
      }
    }
    done(std::move(part));
  });
}

/// Objects and prefixes in the order of their names, as two pages would have them.
Result<HostListPage> HostListing::take_part() {
  HostListPage part;
  size_t bytes = 0;
  const auto name_of = [this](const std::string& key) { return key.substr(prefix_.key.size()); };
  while (bytes < kMaxPageBytes &&
         (objects_given_ < page_.objects.size() || prefixes_given_ < page_.prefixes.size())) {
    const bool is_object = prefixes_given_ == page_.prefixes.size() ||
                           (objects_given_ < page_.objects.size() &&
                            page_.objects[objects_given_].key < page_.prefixes[prefixes_given_]);
    const std::string& key = is_object ? page_.objects[objects_given_].key : page_.prefixes[prefixes_given_];
    const size_t version_bytes = is_object ? page_.objects[objects_given_].version.size() : 0;
    if (!key.starts_with(prefix_.key) || key.size() + version_bytes > kMaxNameBytes) {
      return data_loss("{}: a listing with a name that cannot be passed on",
                       prefix_.store->uri_of(prefix_.key));
    }
    bytes += kBytesOfEntry + key.size() + version_bytes;
    if (is_object) {
      part.objects.push_back({name_of(key), page_.objects[objects_given_++]});
    } else {
      part.prefixes.push_back(name_of(key));
      ++prefixes_given_;
    }
  }
  part.is_last =
      page_.is_last && objects_given_ == page_.objects.size() && prefixes_given_ == page_.prefixes.size();
  return part;
}

}  // namespace forebay::cache
