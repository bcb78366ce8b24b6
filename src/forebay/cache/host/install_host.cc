#include "forebay/cache/host/install_host.h"

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "forebay/base/log.h"
#include "forebay/cache/host/host_client.h"
#include "forebay/cache/host/host_store.h"
#include "forebay/storage/namespace/forebay_home.h"

namespace forebay::cache {
namespace {

/// The process's connection to its daemon, made when it is first wanted.
class HostConnector {
 public:
  explicit HostConnector(std::string socket) : socket_(std::move(socket)) {}

  /// Null if there is no daemon, or none that may be used.
  std::shared_ptr<HostClient> client() {
    const MutexLock lock(mutex_);
    if (client_ && client_->is_usable()) {
      return client_;
    }
    Result<std::shared_ptr<HostClient>> made = HostClient::connect(socket_);
    client_ = made.ok() ? *std::move(made) : nullptr;
    const bool is_absent =
        made.status().code() == StatusCode::kNotFound || made.status().code() == StatusCode::kUnavailable;
    if (!client_ && !is_absent && !std::exchange(has_warned_, true)) {
      log_warning("the host's cache is not used: {}", message(made.status()));
    }
    return client_;
  }

 private:
  const std::string socket_;
  Mutex mutex_;
  std::shared_ptr<HostClient> client_ FOREBAY_GUARDED_BY(mutex_);
  bool has_warned_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace

Result<std::string> host_socket() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  return home + "/daemon.sock";
}

void use_host_cache(storage::StoreRegistry& registry) {
  const char* const setting = std::getenv("FOREBAY_DAEMON");
  const Result<std::string> socket = host_socket();
  if (socket.ok() && (setting == nullptr || std::string_view(setting) != "off")) {
    install_host(registry, *socket);
  } else {
    registry.decorate({});
  }
}

void install_host(storage::StoreRegistry& registry, std::string socket) {
  registry.decorate(
      [connector = std::make_shared<HostConnector>(std::move(socket))](
          const std::string& scheme, const storage::StoreOptions& options,
          std::shared_ptr<storage::ObjectStore> store) -> std::shared_ptr<storage::ObjectStore> {
        const std::shared_ptr<HostClient> client =
            scheme == "file" || scheme == "mem" ? nullptr : connector->client();
        if (!client) {
          return store;
        }
        Result<std::shared_ptr<HostStore>> hosted = HostStore::create(client, store, {.options = options});
        return hosted.ok() ? std::shared_ptr<storage::ObjectStore>(*std::move(hosted)) : store;
      });
}

}  // namespace forebay::cache
