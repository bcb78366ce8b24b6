// The HTTP door: a server of the routes of the protocol.
#include "forebay/serving/http/http_door.h"

#include <algorithm>
#include <utility>

#include "forebay/net/server/listener.h"
#include "forebay/serving/http/admission.h"
#include "forebay/serving/http/routes.h"
#include "forebay/serving/protocol/http_status.h"

namespace forebay::serving {
namespace {

constexpr std::string_view kText = "text/plain";

/// A plain text as {"error": text}.
net::ServerResponse as_error(net::ServerResponse refusal) {
  std::string text;
  for (net::HttpHeader& header : refusal.headers) {
    if (header.name != "Content-Type" || !header.value.starts_with(kText)) {
      continue;
    }
    for (const net::BodyPiece& piece : refusal.body) {
      const Bytes bytes = net::bytes_of_piece(piece);
      text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    while (text.ends_with('\n')) {
      text.pop_back();
    }
    header.value = "application/json";
    refusal.body = {error_body(text)};
  }
  return refusal;
}

}  // namespace

Result<std::unique_ptr<HttpDoor>> HttpDoor::start(ModelServer& models, std::shared_ptr<SharedRegions> regions,
                                                  HttpDoorOptions options) {
  net::ServerOptions server = std::move(options.server);
  server.thread_name = "inference http";
  server.paths_without_token = {"/v2/health/live", "/v2/health/ready"};
  const AdmissionRules rules{.is_open = server.bearer_token.empty(),
                             .is_local = net::is_loopback(server.address)};
  const auto routes = std::make_shared<Routes>(models, std::move(regions), std::move(options.server_name),
                                               std::move(options.server_version));
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<LargeBodies> large_bodies, LargeBodies::start(server.io_threads));
  net::HttpHandler handler;
  handler.admit = [rules](const net::RequestHead& head) { return admit(head, rules); };
  handler.refused = as_error;
  handler.handle = [routes, large = large_bodies.get()](net::ServerRequest request,
                                                        net::Responder responder) {
    routes->handle(std::move(request), std::move(responder), *large);
  };
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<net::HttpServer> started,
                           net::HttpServer::start(std::move(server), std::move(handler)));
  return std::unique_ptr<HttpDoor>(new HttpDoor(std::move(large_bodies), std::move(started)));
}

}  // namespace forebay::serving
