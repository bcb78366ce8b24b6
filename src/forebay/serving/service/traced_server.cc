// Requests as spans: their model, when they came and were answered, where the time went.
#include "forebay/serving/service/traced_server.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "forebay/serving/protocol/timing_json.h"

namespace forebay::serving {
namespace {

std::string span_arguments(const std::string& id, const Result<InferResponse>& answer) {
  nlohmann::json arguments = nlohmann::json::object();
  if (answer.ok()) {
    arguments = timing_json(answer->timing);
    if (!answer->steps.empty()) {
      arguments["steps"] = steps_json(*answer);
    }
  } else {
    arguments["error"] = std::string(message(answer.status()));
  }
  arguments["id"] = id;
  return arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void TracedServer::infer(InferRequest request, InferAnswer answer) {
  if (!trace_.is_on()) {
    server_.infer(std::move(request), std::move(answer));
    return;
  }
  const int64_t begin_ns = trace_.now_ns();
  std::string model = request.model;
  std::string id = request.id;
  server_.infer(std::move(request), [this, begin_ns, model = std::move(model), id = std::move(id),
                                     answer = std::move(answer)](Result<InferResponse> result) mutable {
    trace_.record("request", model, begin_ns, trace_.now_ns(), span_arguments(id, result));
    answer(std::move(result));
  });
}

}  // namespace forebay::serving
