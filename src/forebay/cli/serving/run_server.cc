// Starts the server, says what it serves, and ends it in order at a signal.
#include "forebay/cli/serving/run_server.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <stop_token>
#include <string>

#include "forebay/base/clock.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/this_program.h"

namespace forebay::cli {
namespace {

using serving::InferenceService;
using serving::ModelIndexEntry;

int64_t deadline_after(double seconds) {
  constexpr double kMostSeconds = 1e9;
  return steady_clock().now_ns() +
         std::llround(std::min(seconds, kMostSeconds) * static_cast<double>(kSecond));
}

std::string line_of(const ModelIndexEntry& model) {
  return fmt::format("  {:<24} {:>4}  {}{}{}", model.name, model.version,
                     model.state.empty() ? "not loaded" : model.state, model.reason.empty() ? "" : ": ",
                     model.reason);
}

void say_ready(const InferenceService& service, bool as_json) {
  const std::vector<ModelIndexEntry> models = service.repository().index(/*only_ready=*/false);
  if (as_json) {
    nlohmann::json said = {{"http", service.http_url()},
                           {"http_port", service.http_port()},
                           {"grpc_port", service.grpc_port()},
                           {"models", nlohmann::json::array()}};
    for (const ModelIndexEntry& model : models) {
      said["models"].push_back({{"name", model.name},
                                {"version", model.version},
                                {"state", model.state},
                                {"reason", model.reason}});
    }
    fmt::print("{}\n", said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    for (const ModelIndexEntry& model : models) {
      fmt::print("{}\n", line_of(model));
    }
    const std::string http = service.http_url().empty() ? "no HTTP" : service.http_url();
    fmt::print("forebay serve: {}{}; ctrl-C stops it\n", http,
               service.grpc_port() == 0 ? "" : fmt::format(", gRPC at port {}", service.grpc_port()));
  }
  std::fflush(stdout);
}

}  // namespace

Status run_server(const ServeOptions& options) {
  const StopOnSignal signal;
  FOREBAY_ASSIGN_OR_RETURN(serving::ServiceOptions chosen, service_options(options, this_program()));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<InferenceService> service,
                           InferenceService::start(std::move(chosen)));
  const Status started = service->wait_until_started(deadline_after(options.start_s));
  if (!started.ok()) {
    fmt::print(stderr, "forebay serve: {}\n", message(started));
  }
  say_ready(*service, options.as_json);
  std::binary_semaphore is_over(0);
  const std::stop_callback end(signal.token(), [&] { is_over.release(); });
  is_over.acquire();
  fmt::print(stderr, "forebay serve: stopping; requests under way have {:g} s\n", options.drain_s);
  service->stop(deadline_after(options.drain_s));
  return ok_status();
}

}  // namespace forebay::cli
