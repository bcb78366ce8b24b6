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

/// Whether an error says that nobody serves at the socket.
bool is_absent(const Status& status) {
  return status.code() == StatusCode::kNotFound || status.code() == StatusCode::kUnavailable;
}

/// The process's connection to its daemon, made when it is first wanted.
class HostConnector {
 public:
  HostConnector(std::string socket, std::optional<DaemonStart> start)
      : socket_(std::move(socket)), start_(std::move(start)) {}

  /// Null if there is no daemon, or none that may be used.
  std::shared_ptr<HostClient> client() {
    const MutexLock lock(mutex_);
    if (client_ && client_->is_usable()) {
      return client_;
    }
    Result<std::shared_ptr<HostClient>> made = HostClient::connect(socket_);
    if (is_absent(made.status()) && start_) {
      const Status started = start_daemon(*start_);
      made = started.ok() ? HostClient::connect(socket_) : started;
      if (!started.ok()) {
        start_.reset();  // others would have to wait for the same
        warn_once(started);
      }
    }
    client_ = made.ok() ? *std::move(made) : nullptr;
    if (!client_ && !is_absent(made.status())) {
      warn_once(made.status());
    }
    return client_;
  }

 private:
  void warn_once(const Status& why) FOREBAY_REQUIRES(mutex_) {
    if (!std::exchange(has_warned_, true)) {
      log_warning("the host's cache is not used: {}", message(why));
    }
  }

  const std::string socket_;
  Mutex mutex_;
  std::optional<DaemonStart> start_ FOREBAY_GUARDED_BY(mutex_);  // nothing once it has failed
  std::shared_ptr<HostClient> client_ FOREBAY_GUARDED_BY(mutex_);
  bool has_warned_ FOREBAY_GUARDED_BY(mutex_) = false;
};

std::string socket_in(const std::string& home) {
  return home + "/daemon.sock";
}

enum class DaemonUse { kOff, kRunning, kOnDemand };

DaemonUse daemon_use() {
  const char* const setting = std::getenv("FOREBAY_DAEMON");
  const std::string_view word = setting == nullptr ? "" : setting;
  if (word == "off") {
    return DaemonUse::kOff;
  }
  if (word == "running") {
    return DaemonUse::kRunning;
  }
  if (!word.empty() && word != "on") {
    log_warning("FOREBAY_DAEMON={}: not one of on, running and off; taken as on", word);
  }
  return DaemonUse::kOnDemand;
}

}  // namespace

Result<std::string> host_socket() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  return socket_in(home);
}

void use_host_cache(storage::StoreRegistry& registry, const std::vector<std::string>& programs) {
  const Result<std::string> home = storage::forebay_home();
  const DaemonUse use = daemon_use();
  if (!home.ok() || use == DaemonUse::kOff) {
    registry.decorate({});
    return;
  }
  const std::string socket = socket_in(*home);
  if (use == DaemonUse::kRunning) {
    install_host(registry, socket);
  } else {
    install_host(registry, socket, DaemonStart{.home = *home, .socket = socket, .programs = programs});
  }
}

void install_host(storage::StoreRegistry& registry, std::string socket, std::optional<DaemonStart> start) {
  registry.decorate(
      [connector = std::make_shared<HostConnector>(std::move(socket), std::move(start))](
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
