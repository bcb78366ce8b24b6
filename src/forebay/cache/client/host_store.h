// A store that asks its host's cache, and reads from upstream itself where there is none.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/cache/client/host_connector.h"
#include "forebay/cache/client/telling_writer.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache {

/// Thread safe; must be owned by a shared_ptr. Reads, stats, listings and plans go to the daemon; bytes come
/// back as views of memory that it shares. All else goes to `upstream`, and the daemon is told what changed.
/// Where there is no daemon, everything goes to `upstream`; calls that were under way when it went are made
/// there anew. A forked child, and a process whose daemon has gone, connect anew (HostConnector).
class HostStore final : public storage::ForwardingStore, public std::enable_shared_from_this<HostStore> {
 public:
  /// `settings` are those that make `upstream` of a URI; see HostServerOptions::open.
  static std::shared_ptr<HostStore> create(std::shared_ptr<HostConnector> host,
                                           std::shared_ptr<storage::ObjectStore> upstream,
                                           OpenStore settings = {});
  /// Over one connection; `unavailable` if it has gone already.
  static Result<std::shared_ptr<HostStore>> create(std::shared_ptr<HostClient> client,
                                                   std::shared_ptr<storage::ObjectStore> upstream,
                                                   OpenStore settings = {});

  storage::StoreFeatures features() const override;
  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override;
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) override;
  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override;
  void bring_many(std::vector<storage::BringRequest> requests, const storage::CallContext& context,
                  storage::BringManyCallback each) override;
  /// Nullopt while there is a daemon: whoever opened the file would read past its cache.
  std::optional<std::string> local_file(std::string_view key) const override;
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
  /// In the daemon's cache, while there is a daemon.
  Result<storage::ObjectAddress> derived(std::string_view key, std::string_view version,
                                         std::string_view kind) override;

 private:
  HostStore(std::shared_ptr<const StoreAtHost> host, std::shared_ptr<storage::ObjectStore> upstream)
      : ForwardingStore(std::move(upstream)), host_(std::move(host)) {}

  bool is_served() const;
  /// Calls `go` once it is clear whether there is a daemon; with the error if the call ends before that.
  using Go = absl::AnyInvocable<void(const Status& status)>;
  void when_settled(const storage::CallContext& context, std::string_view key, Go go) const;
  storage::StatCallback telling(const std::string& key, Bytes content, storage::StatCallback done);
  /// Tells the daemon what an object is now; of one that is not there, nothing.
  void tell(const std::string& key, const Result<storage::ObjectStat>& stat, Bytes content = {});
  /// Tells it where the draft is, or where there is a daemon now.
  TellWritten telling_draft(const std::string& key, StoreAtHost::Place host);

  const std::shared_ptr<const StoreAtHost> host_;
};

}  // namespace forebay::cache
