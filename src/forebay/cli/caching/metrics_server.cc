#include "forebay/cli/caching/metrics_server.h"

#include <utility>

#include "forebay/base/metrics/metric_text.h"

namespace forebay::cli {
namespace {

constexpr size_t kMaxCollectors = 32;  // connected at once

net::ServerResponse answer_to(const net::RequestHead& head, const MetricsServer::Metrics& metrics,
                              const std::stop_token& stop) {
  if (head.method != "GET") {
    net::ServerResponse refusal = net::ServerResponse::of_text(405, "metrics can only be read");
    refusal.headers.push_back({"Allow", "GET"});
    return refusal;
  }
  if (head.target.path != "/" && head.target.path != "/metrics") {
    return net::ServerResponse::of_text(404, "metrics are at /metrics");
  }
  net::ServerResponse response;
  response.headers.push_back({"Content-Type", kMetricsType});
  response.append(metrics(stop));
  response.may_compress = true;
  return response;
}

}  // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string& path, Metrics metrics) {
  auto made = std::make_unique<MetricsServer>();
  net::ServerOptions options;
  options.unix_socket = path;
  options.limits.connections = kMaxCollectors;
  options.limits.body_bytes = 0;
  options.thread_name = "metrics";
  net::HttpHandler handler;
  handler.handle = [metrics = std::move(metrics), stop = made->end_.get_token()](net::ServerRequest request,
                                                                                 net::Responder responder) {
    responder.answer(answer_to(request.head, metrics, stop));
  };
  FOREBAY_ASSIGN_OR_RETURN(made->server_, net::HttpServer::start(std::move(options), std::move(handler)));
  return made;
}

// In a forked child, who waits for the end is a thread of the parent, which may have held the lock of the
// stop.
MetricsServer::~MetricsServer() {
  if (::getpid() == owner_) {
    end_.request_stop();
  }
}

}  // namespace forebay::cli
