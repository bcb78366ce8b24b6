// A listing that the host's daemon reads.
#pragma once

#include <memory>
#include <string>

#include "forebay/cache/client/host_connector.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// After any error, and where the daemon has gone, it goes on upstream, behind what it has delivered.
class HostList final : public storage::ListStream {
 public:
  /// `uri` is that of the request's prefix.
  HostList(std::shared_ptr<const StoreAtHost> host, std::shared_ptr<storage::ObjectStore> upstream,
           std::string uri, storage::ListRequest request)
      : host_(std::move(host)),
        upstream_(std::move(upstream)),
        uri_(std::move(uri)),
        request_(std::move(request)) {}
  ~HostList() override;
  HostList(const HostList&) = delete;
  HostList& operator=(const HostList&) = delete;

  void next(const storage::CallContext& context, storage::ListCallback done) override;

 private:
  void next_hosted(const storage::CallContext& context, storage::ListCallback done);
  void next_alone(const storage::CallContext& context, storage::ListCallback done);
  void take(const storage::CallContext& context, Result<HostListPage> page, storage::ListCallback done);
  void end();

  const std::shared_ptr<const StoreAtHost> host_;
  const std::shared_ptr<storage::ObjectStore> upstream_;
  const std::string uri_;
  storage::ListRequest request_;  // from what has been delivered on
  StoreAtHost::Place place_;      // of the daemon that lists, once one does
  uint64_t listing_ = 0;          // there; 0: none
  bool is_over_ = false;
  bool has_failed_ = false;
  std::unique_ptr<storage::ListStream> own_;
};

}  // namespace forebay::cache
