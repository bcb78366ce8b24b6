// The HTTP door: a server of the routes of the protocol.
#include "forebay/serving/http/http_door.h"

#include <utility>

#include "forebay/serving/http/routes.h"

namespace forebay::serving {

Result<std::unique_ptr<HttpDoor>> HttpDoor::start(ModelServer& models, std::shared_ptr<SharedRegions> regions,
                                                  HttpDoorOptions options) {
  net::ServerOptions server = std::move(options.server);
  server.thread_name = "inference http";
  server.paths_without_token = {"/v2/health/live", "/v2/health/ready"};
  const auto routes = std::make_shared<Routes>(models, std::move(regions), std::move(options.server_name),
                                               std::move(options.server_version));
  net::HttpHandler handler;
  handler.handle = [routes](net::ServerRequest request, net::Responder responder) {
    routes->handle(std::move(request), std::move(responder));
  };
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<net::HttpServer> started,
                           net::HttpServer::start(std::move(server), std::move(handler)));
  return std::unique_ptr<HttpDoor>(new HttpDoor(std::move(started)));
}

}  // namespace forebay::serving
