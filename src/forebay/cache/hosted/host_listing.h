// A process's listing, as its daemon reads it for the process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/hosted/host_stores.h"
#include "forebay/cache/messages/host_messages.h"

namespace forebay::cache {

/// Thread safe. Must be owned by a shared_ptr.
class HostListing : public std::enable_shared_from_this<HostListing> {
 public:
  /// Of the names that begin with the address's key.
  HostListing(CachedAddress prefix, const HostListRequest& request);

  /// Gives the next page, as much of it as fits into a message; what does not is given next.
  /// failed_precondition while another page is under way.
  void next(const storage::CallContext& context, std::function<void(Result<HostListPage>)> done);

 private:
  Result<HostListPage> take_part() FOREBAY_REQUIRES(mutex_);

  const CachedAddress prefix_;
  const std::unique_ptr<storage::ListStream> stream_;
  Mutex mutex_;
  bool is_asking_ FOREBAY_GUARDED_BY(mutex_) = false;
  storage::ListPage page_ FOREBAY_GUARDED_BY(mutex_);
  size_t objects_given_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t prefixes_given_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::cache
