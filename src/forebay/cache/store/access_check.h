// Whether a store's user may read what others have brought to the cache. Their credentials may be other ones,
// and what is cached is given without asking upstream: so upstream is asked once in a while for each bucket
// or server, for a byte of an object there; never for each object.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Thread safe; owned by a shared_ptr. Of one upstream store, which has the credentials of its user.
class AccessCheck : public std::enable_shared_from_this<AccessCheck> {
 public:
  AccessCheck(std::shared_ptr<storage::ObjectStore> upstream, const Clock& clock, int64_t trusted_ns)
      : upstream_(std::move(upstream)), clock_(clock), trusted_ns_(trusted_ns) {}

  /// Whether upstream need not be asked before something of the object is given. Never for what is on this
  /// host: the kernel knows who reads that.
  bool is_known(std::string_view uri) const;
  /// Upstream has just given something of the object.
  void note(std::string_view uri);

  using Done = absl::AnyInvocable<void(const Status& status)>;
  /// Whether the user may have a version of the object that is cached: asks upstream, once for all who wait
  /// for the same place. A refusal is for those alone who asked for that object. Whoever was let in before
  /// does not wait, and is shut out once upstream refuses.
  void ask(const std::string& key, const std::string& version, const storage::CallContext& context,
           Done done);

 private:
  struct Waiting {
    std::string key;
    std::string version;
    Done done;
  };
  struct Place {
    int64_t known_until_ns = 0;
    bool was_let_in = false;
    bool is_asked = false;
    std::vector<Waiting> waiting;
  };

  void wait_for(std::string place, Waiting waiting);
  void ask_upstream(const std::string& place, const std::string& key, const std::string& version);
  void take(const std::string& place, const std::string& key, const Status& status);

  const std::shared_ptr<storage::ObjectStore> upstream_;
  const Clock& clock_;
  const int64_t trusted_ns_;
  mutable Mutex mutex_;
  std::map<std::string, Place, std::less<>> places_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
