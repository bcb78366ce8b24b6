// The server as a whole: opened in an order in which nobody is told of a door that is not there, closed the
// other way round.
#include "forebay/serving/service/inference_service.h"

#include <thread>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/serving/protocol/model_json.h"
#include "forebay/serving/service/tensor_extensions.h"

namespace forebay::serving {
namespace {

/// Read by copies: a client that makes its file shorter while we read it in place would end the process.
std::shared_ptr<SharedRegions> shared_regions(const ServiceOptions& options) {
  if (!options.takes_shared_memory) {
    return nullptr;
  }
  return std::make_shared<SharedRegions>(SharedRegionsOptions{.reads_in_place = false});
}

}  // namespace

InferenceService::InferenceService(std::unique_ptr<Repository> repository, std::string trace_file)
    : repository_(std::move(repository)),
      server_(*repository_, process_trace()),
      trace_file_(std::move(trace_file)) {
  if (!trace_file_.empty()) {
    process_trace().start();
  }
}

Result<std::unique_ptr<InferenceService>> InferenceService::start(ServiceOptions options) {
  if (!options.http && !options.grpc) {
    return invalid_argument("a server without HTTP and gRPC cannot be asked anything");
  }
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<Repository> repository,
                           Repository::open(std::move(options.repository)));
  std::unique_ptr<InferenceService> service(
      new InferenceService(std::move(repository), std::move(options.trace_file)));
  const auto regions = shared_regions(options);
  if (options.http) {
    FOREBAY_ASSIGN_OR_RETURN(service->http_,
                             HttpDoor::start(service->server_, regions, *std::move(options.http)));
  }
  if (options.grpc) {
    options.grpc->extensions = tensor_extensions(regions);
    options.grpc->server_extensions = server_extensions();
    FOREBAY_ASSIGN_OR_RETURN(service->grpc_, GrpcDoor::start(service->server_, *std::move(options.grpc)));
  }
  return service;
}

InferenceService::~InferenceService() {
  stop(steady_clock().now_ns());
}

Status InferenceService::wait_until_started(int64_t deadline_ns, const std::stop_token& stop) {
  const Status started = repository_->wait_until_started(deadline_ns, stop);
  if (grpc_ != nullptr && !stop.stop_requested()) {
    grpc_->set_ready();
  }
  return started;
}

void InferenceService::stop(int64_t deadline_ns) {
  repository_->stop_loading();  // first: who waits for a load keeps a door from closing
  std::thread grpc([&] {
    if (grpc_ != nullptr) {
      grpc_->stop(deadline_ns);
    }
  });
  if (http_ != nullptr) {
    http_->stop(deadline_ns);
  }
  grpc.join();
  repository_->close(deadline_ns);
  write_trace();
}

void InferenceService::write_trace() {
  const std::string file = std::exchange(trace_file_, {});
  if (file.empty()) {
    return;
  }
  process_trace().stop();
  const Status written = process_trace().write_json(file);
  if (!written.ok()) {
    log_warning("the trace is not written: {}", message(written));
  }
}

}  // namespace forebay::serving
