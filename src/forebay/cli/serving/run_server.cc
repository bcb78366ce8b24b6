// Starts the server, says what it serves, and ends it in order at a signal.
#include "forebay/cli/serving/run_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <stop_token>
#include <string>

#include "forebay/base/clock.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/command/this_program.h"

namespace forebay::cli {
namespace {

using serving::InferenceService;
using serving::ModelIndexEntry;

int64_t deadline_after(double seconds) {
  constexpr double kMaxSeconds = 1e9;
  return steady_clock().now_ns() +
         std::llround(std::min(seconds, kMaxSeconds) * static_cast<double>(kSecond));
}

std::string line_of(const ModelIndexEntry& model) {
  return fmt::format("  {:<24} {:>4}  {}{}{}", model.name, model.version,
                     model.state.empty() ? "not loaded" : model.state, model.reason.empty() ? "" : ": ",
                     model.reason);
}

/// What cannot be written is not told: a reader that has gone ends no server.
void say(std::FILE* stream, const std::string& text) {
  std::fputs(text.c_str(), stream);
  std::fflush(stream);
}

/// Whether the error is the reason of a model, which is written beside its name.
bool is_told_of(const Status& error, const std::vector<ModelIndexEntry>& models) {
  return std::any_of(models.begin(), models.end(), [&](const ModelIndexEntry& model) {
    return std::string_view(model.reason).ends_with(message(error));
  });
}

std::string ready_json(const InferenceService& service, const std::vector<ModelIndexEntry>& models) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ModelIndexEntry& model : models) {
    rows.push_back(
        {{"name", model.name}, {"version", model.version}, {"state", model.state}, {"reason", model.reason}});
  }
  const nlohmann::json said = {{"http", service.http_url()},
                               {"http_port", service.http_port()},
                               {"grpc_port", service.grpc_port()},
                               {"models", std::move(rows)}};
  return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string ready_text(const InferenceService& service, const std::vector<ModelIndexEntry>& models) {
  std::string text;
  for (const ModelIndexEntry& model : models) {
    text += line_of(model) + "\n";
  }
  const std::string http = service.http_url().empty() ? "no HTTP" : service.http_url();
  const std::string grpc =
      service.grpc_port() == 0 ? "" : fmt::format(", gRPC at port {}", service.grpc_port());
  return text + fmt::format("forebay serve: {}{}; ctrl-C stops it\n", http, grpc);
}

}  // namespace

Status run_server(const ServeOptions& options) {
  const StopOnSignal signal;
  FOREBAY_ASSIGN_OR_RETURN(serving::ServiceOptions chosen, service_options(options, this_program()));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<InferenceService> service,
                           InferenceService::start(std::move(chosen)));
  const Status started = service->wait_until_started(deadline_after(options.start_s), signal.token());
  if (!signal.token().stop_requested()) {
    const std::vector<ModelIndexEntry> models = service->repository().index(/*only_ready=*/false);
    if (!started.ok() && !is_told_of(started, models)) {
      say(stderr, fmt::format("forebay serve: {}\n", message(started)));
    }
    say(stdout, options.as_json ? ready_json(*service, models) : ready_text(*service, models));
  }
  std::binary_semaphore is_over(0);
  const std::stop_callback end(signal.token(), [&] { is_over.release(); });
  is_over.acquire();
  say(stderr, fmt::format("forebay serve: stopping; requests under way have {:g} s\n", options.drain_s));
  service->stop(deadline_after(options.drain_s));
  return ok_status();
}

}  // namespace forebay::cli
