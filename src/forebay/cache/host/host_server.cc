#include "forebay/cache/host/host_server.h"

#include <utility>

#include "forebay/base/log.h"
#include "forebay/cache/host/gone_ranges.h"
#include "forebay/cache/host/host_session.h"

namespace forebay::cache {

Result<std::unique_ptr<HostServer>> HostServer::start(HostServerOptions options) {
  auto stores =
      std::make_shared<HostStores>(std::move(options.cache), std::move(options.open),
                                   std::move(options.order), std::move(options.rules), *options.clock);
  if (!options.journal.empty()) {
    FOREBAY_RETURN_IF_ERROR(stores->open_journal(options.journal, std::move(options.mounts)));
  }
  std::unique_ptr<HostServer> server(new HostServer(stores));
  FOREBAY_ASSIGN_OR_RETURN(server->loop_, net::LocalLoop::start("forebay-cache"));
  const auto accept = [stores, processes = server->processes_,
                       gone = GoneRanges::watch()](const net::LocalConnectionRef& connection) {
    auto session = std::make_shared<HostSession>(stores, connection);
    stores->activities().add(session);
    gone->add(session->ranges());
    processes->connected.fetch_add(1);
    processes->accepted.fetch_add(1);
    return net::LocalHandler{
        .on_message = [session](const net::LocalConnectionRef&,
                                net::LocalMessage message) { return session->take(std::move(message)); },
        .on_closed =
            [session, processes](const net::LocalConnectionRef& ended, const Status& why) {
              if (why.code() != StatusCode::kCancelled) {
                log_warning("process {} was disconnected from the cache: {}", ended->peer().pid,
                            message(why));
              }
              session->end();
              processes->connected.fetch_sub(1);
            }};
  };
  FOREBAY_RETURN_IF_ERROR(server->loop_->listen(options.socket, accept));
  return server;
}

}  // namespace forebay::cache
