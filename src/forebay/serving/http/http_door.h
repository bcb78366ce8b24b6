// The HTTP door of the server: the Open Inference Protocol over HTTP before a ModelServer, and Prometheus's
// metrics. Source: KServe's Open Inference Protocol V2 (REST) with Triton's extensions of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "forebay/net/server/http_server.h"
#include "forebay/serving/http/large_bodies.h"
#include "forebay/serving/inference/model.h"
#include "forebay/serving/protocol/shared_regions.h"

namespace forebay::serving {

struct HttpDoorOptions {
  net::ServerOptions server;
  std::string server_name = "forebay";
  std::string server_version;
};

/// Serves until stop(). No thread is held for a request that waits; tensors of requests lie in the body as it
/// came, and answers are sent from the memory that models gave, where they are binary. A client that goes
/// away asks InferRequest::cancel to stop. Probes of health need no token.
///
/// Errors are {"error": "..."} with the HTTP status of http_status_of().
class HttpDoor {
 public:
  /// `models` must outlive the door. `regions` may be null: then shared memory is refused. Errors as those of
  /// HttpServer::start().
  static Result<std::unique_ptr<HttpDoor>> start(ModelServer& models, std::shared_ptr<SharedRegions> regions,
                                                 HttpDoorOptions options);

  uint16_t port() const { return server_->port(); }
  std::string url() const { return server_->url(); }
  /// As HttpServer::stop(). Requests that are still being parsed at the deadline are given up.
  bool stop(int64_t deadline_ns) {
    const bool were_all_answered = server_->stop(deadline_ns);
    large_bodies_->stop();
    return were_all_answered;
  }

 private:
  HttpDoor(std::unique_ptr<LargeBodies> large_bodies, std::unique_ptr<net::HttpServer> server)
      : large_bodies_(std::move(large_bodies)), server_(std::move(server)) {}

  std::unique_ptr<LargeBodies> large_bodies_;  // ends after the server, which uses it
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace forebay::serving
