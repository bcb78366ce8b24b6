#include "forebay/cache/hosted/host_server.h"

#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/cache/hosted/host_session.h"
#include "forebay/cache/messages/gone_ranges.h"

namespace forebay::cache {

/// A connection's part in the counts. On the loop's thread only.
class HostServer::Visit {
 public:
  explicit Visit(std::shared_ptr<Users> users) : users_(std::move(users)) { users_->connected.fetch_add(1); }

  void set_user(bool is_user) {
    if (is_user != is_user_) {
      is_user_ = is_user;
      is_user ? users_->connected.fetch_add(1) : users_->connected.fetch_sub(1);
    }
  }
  void end() {
    users_->gone.fetch_add(is_user_ ? 1 : 0);
    set_user(false);
  }

 private:
  const std::shared_ptr<Users> users_;
  bool is_user_ = true;
};

Result<std::unique_ptr<HostServer>> HostServer::start(HostServerOptions options) {
  auto stores =
      std::make_shared<HostStores>(std::move(options.cache), std::move(options.open),
                                   std::move(options.order), std::move(options.rules), *options.clock);
  if (!options.journal.empty()) {
    FOREBAY_RETURN_IF_ERROR(stores->open_journal(options.journal, std::move(options.mounts)));
  }
  std::unique_ptr<HostServer> server(new HostServer(stores));
  FOREBAY_ASSIGN_OR_RETURN(server->loop_, net::LocalLoop::start("forebay-cache"));
  const auto accept = [stores, users = server->users_,
                       gone = GoneRanges::watch()](const net::LocalConnectionRef& connection) {
    auto session = std::make_shared<HostSession>(stores, connection);
    stores->activities().add(session);
    gone->add(session->ranges());
    auto visit = std::make_shared<Visit>(users);
    return net::LocalHandler{.on_message =
                                 [session, visit](const net::LocalConnectionRef&, net::LocalMessage message) {
                                   Status taken = session->take(std::move(message));
                                   visit->set_user(!session->only_looks());
                                   return taken;
                                 },
                             .on_closed =
                                 [session, visit](const net::LocalConnectionRef& ended, const Status& why) {
                                   if (why.code() != StatusCode::kCancelled) {
                                     log_warning("process {} was disconnected from the cache: {}",
                                                 ended->peer().pid, message(why));
                                   }
                                   session->end();
                                   visit->end();
                                 }};
  };
  FOREBAY_RETURN_IF_ERROR(server->loop_->listen(options.socket, accept));
  return server;
}

}  // namespace forebay::cache
