// A process's side of what is written back: the daemon writes, since it has the journal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/client/host_client.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache {

/// The daemon, and the number of the store that was opened there to be written back; without a client, there
/// is no daemon now.
struct WritingHost {
  std::shared_ptr<HostClient> client;
  uint32_t store = 0;
};

/// Thread safe; must be owned by a shared_ptr. All changes go to the daemon; all else, and everything while
/// there is no daemon, to `inner`, which writes through. What the daemon had of an object when it went is
/// written anew where all of it is at hand; a writer of parts has an error instead.
class WrittenAtHost final : public storage::ForwardingStore,
                            public std::enable_shared_from_this<WrittenAtHost> {
 public:
  using FindHost = std::function<WritingHost()>;

  WrittenAtHost(std::shared_ptr<storage::ObjectStore> inner, FindHost find)
      : ForwardingStore(std::move(inner)), find_(std::move(find)) {}

  storage::StoreFeatures features() const override {
    storage::StoreFeatures features = inner().features();
    features.acknowledges_early = true;
    return features;
  }
  void stat_many(std::vector<std::string> keys, const storage::CallContext& context,
                 storage::StatManyCallback each) override {
    inner().stat_many(std::move(keys), context, std::move(each));
  }
  void read_many(std::vector<storage::ReadRequest> requests, const storage::CallContext& context,
                 storage::ReadManyCallback each) override {
    inner().read_many(std::move(requests), context, std::move(each));
  }
  void write(std::string key, Bytes content, storage::WriteOptions options,
             const storage::CallContext& context, storage::StatCallback done) override;
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions options) override;
  void remove(std::string key, const storage::CallContext& context, storage::StatusCallback done) override;
  void rename(storage::MoveRequest request, const storage::CallContext& context,
              storage::StatCallback done) override;
  void copy(storage::MoveRequest request, const storage::CallContext& context,
            storage::StatCallback done) override;
  void make_directory(std::string key, const storage::CallContext& context,
                      storage::StatusCallback done) override;
  void settle(std::string key, const storage::CallContext& context, storage::StatusCallback done) override;

 private:
  /// Without a client, too, if the daemon cannot be told of the object.
  WritingHost host_for(const std::string& key) const;
  Result<std::unique_ptr<storage::ObjectWriter>> open_at(WritingHost host, const std::string& key,
                                                         const storage::WriteOptions& options) const;
  void move(ChangeKind kind, storage::MoveRequest request, const storage::CallContext& context,
            storage::StatCallback done);
  void move_directly(ChangeKind kind, storage::MoveRequest request, const storage::CallContext& context,
                     storage::StatCallback done);

  const FindHost find_;
};

}  // namespace forebay::cache
