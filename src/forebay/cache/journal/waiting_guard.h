// What a process without a daemon sees of a store that is written back.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/files/file_system.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache {

/// Thread safe. Only the daemon shows what waits in its journal, and what the store has in its place is not
/// what was acknowledged. So a stat or read of such an object that comes here, past the daemon, and a listing
/// around it, is `unavailable`. That there is a daemon again does not matter: what comes here it did not
/// answer.
class WaitingGuard final : public storage::ForwardingStore {
 public:
  WaitingGuard(std::shared_ptr<storage::ObjectStore> inner, std::string journal,
               std::shared_ptr<FileSystem> files)
      : ForwardingStore(std::move(inner)), journal_(std::move(journal)), files_(std::move(files)) {}

  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override;
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) override;
  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override;

 private:
  /// An error if something of this name waits, or something whose name begins with it.
  Status check(const std::string& uri, bool is_prefix);

  const std::string journal_;
  const std::shared_ptr<FileSystem> files_;
  Mutex mutex_;
  std::unordered_map<std::string, std::string> uris_ FOREBAY_GUARDED_BY(mutex_);  // by the names of files
};

}  // namespace forebay::cache
