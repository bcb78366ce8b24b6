// A store that asks its host's cache, and reads from upstream itself where there is none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/host/host_client.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache {

/// Thread safe; must be owned by a shared_ptr. Reads, stats, listings and plans go to the daemon; bytes come
/// back as views of memory that it shares. All else goes to `upstream`, and the daemon is told what changed.
/// Once the daemon has gone, and in a forked child, everything goes to `upstream`; calls that were under way
/// at the daemon are made there anew.
class HostStore final : public storage::ForwardingStore, public std::enable_shared_from_this<HostStore> {
 public:
  /// `settings` are those that make `upstream` of a URI; see HostServerOptions::open.
  static Result<std::shared_ptr<HostStore>> create(std::shared_ptr<HostClient> client,
                                                   std::shared_ptr<storage::ObjectStore> upstream,
                                                   OpenStore settings = {});

  storage::StoreFeatures features() const override;
  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override;
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) override;
  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override;
  void write(std::string key, Bytes content, storage::WriteOptions options,
             const storage::CallContext& context, storage::StatCallback done) override;
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions options) override;
  void remove(std::string key, const storage::CallContext& context, storage::StatusCallback done) override;
  void remove_many(std::vector<std::string> keys, const storage::CallContext& context,
                   storage::RemoveManyCallback each) override;
  void rename(storage::MoveRequest request, const storage::CallContext& context,
              storage::StatCallback done) override;
  void copy(storage::MoveRequest request, const storage::CallContext& context,
            storage::StatCallback done) override;
  void make_directory(std::string key, const storage::CallContext& context,
                      storage::StatusCallback done) override;
  void advise(std::shared_ptr<storage::ReadPlan> plan) override;

 private:
  HostStore(std::shared_ptr<HostClient> client, std::shared_ptr<storage::ObjectStore> upstream,
            uint32_t store)
      : ForwardingStore(upstream),
        client_(std::move(client)),
        upstream_(std::move(upstream)),
        store_(store) {}

  /// Whether the daemon can be asked about an object. Not where its URI leaves out a part of its key, such as
  /// a query that may be secret: the daemon would take another object for it.
  bool is_known_there(const std::string& key, const std::string& uri) const;
  storage::StatCallback telling(const std::string& key, Bytes content, storage::StatCallback done);
  /// Tells the daemon what an object is now; of one that is not there, nothing.
  void tell(const std::string& key, const Result<storage::ObjectStat>& stat, Bytes content = {});

  const std::shared_ptr<HostClient> client_;
  const std::shared_ptr<storage::ObjectStore> upstream_;
  const uint32_t store_;
};

}  // namespace forebay::cache
