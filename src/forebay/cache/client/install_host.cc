#include "forebay/cache/client/install_host.h"

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/cache/client/host_connector.h"
#include "forebay/cache/client/host_store.h"
#include "forebay/cache/client/said_start.h"
#include "forebay/cache/client/written_at_host.h"
#include "forebay/cache/journal/journal.h"
#include "forebay/cache/journal/waiting_guard.h"
#include "forebay/storage/home/forebay_home.h"

namespace forebay::cache {
namespace {

/// Connects to who serves at the socket, after starting that where nobody does.
HostConnector::Connect connect_to(std::string socket, std::optional<DaemonStart> start) {
  return [socket = std::move(socket), start = std::move(start)]() -> Result<std::shared_ptr<HostClient>> {
    Result<std::shared_ptr<HostClient>> made = HostClient::connect(socket);
    if (made.ok() || !says_absent(made.status()) || !start) {
      return made;
    }
    const Result<bool> is_started = start_daemon(*start);
    if (!is_started.ok()) {
      return failed_precondition("{}", message(is_started.status()));
    }
    made = HostClient::connect(socket);
    if (*is_started && made.ok()) {
      say_start(**made);
    }
    return made;
  };
}

std::string socket_in(const std::string& home) {
  return home + "/daemon.sock";
}

/// Whatever reads past the daemon finds out what waits there.
std::shared_ptr<storage::ObjectStore> guarded(std::shared_ptr<storage::ObjectStore> store) {
  const Result<std::string> home = storage::forebay_home();
  if (!home.ok()) {
    return store;
  }
  return std::make_shared<WaitingGuard>(std::move(store), journal_folder(*home), host_files());
}

/// What is written waits for the first attempt to connect: past the daemon it would overtake what waits
/// there.
std::shared_ptr<storage::ObjectStore> written_back(const std::shared_ptr<HostConnector>& host,
                                                   std::shared_ptr<storage::ObjectStore> store,
                                                   OpenStore settings) {
  store = guarded(std::move(store));
  const auto written = std::make_shared<const StoreAtHost>(host, settings);
  return std::make_shared<WrittenAtHost>(HostStore::create(host, std::move(store), std::move(settings)),
                                         [written] {
                                           written->host().settle();
                                           const StoreAtHost::Place place = written->now();
                                           return WritingHost{place.client, place.store};
                                         });
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
    registry.decorate([](const std::string&, const storage::StoreUse& store_use,
                         std::shared_ptr<storage::ObjectStore> store) {
      return store_use.write_back_mount.empty() ? store : guarded(std::move(store));
    });
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
      [&registry, host = std::make_shared<HostConnector>(connect_to(std::move(socket), std::move(start)))](
          const std::string& scheme, const storage::StoreUse& use,
          std::shared_ptr<storage::ObjectStore> store) -> std::shared_ptr<storage::ObjectStore> {
        if (!storage::is_cached(scheme, use.options)) {
          return use.write_back_mount.empty() ? store : guarded(std::move(store));
        }
        host->is_settled();  // connects while the caller goes on
        OpenStore settings = {.use = use};
        if (!use.variables) {
          settings.use.variables = registry.variables_of(scheme);
        }
        if (!use.write_back_mount.empty()) {
          return written_back(host, std::move(store), std::move(settings));
        }
        return HostStore::create(host, std::move(store), std::move(settings));
      });
}

}  // namespace forebay::cache
