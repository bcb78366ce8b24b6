// The routes of the protocol: /v2 and what lies below it, and /metrics.
#include "forebay/serving/http/routes.h"

#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "forebay/base/caught.h"
#include "forebay/base/metrics/metric_text.h"
#include "forebay/serving/http/admission.h"
#include "forebay/serving/http/metrics_text.h"
#include "forebay/serving/protocol/http_status.h"
#include "forebay/serving/protocol/model_json.h"
#include "forebay/serving/protocol/parse_request.h"
#include "forebay/serving/protocol/region_json.h"
#include "forebay/serving/protocol/write_response.h"

namespace forebay::serving {

/// A request on its way through the routes.
struct Routes::Call {
  net::ServerRequest request;
  net::Responder responder;
  LargeBodies* large_bodies;
  std::vector<std::string> segments;
  size_t taken = 0;

  const std::string& method() const { return request.head.method; }
  bool is_get() const { return method() == "GET" || method() == "HEAD"; }
  bool is_post() const { return method() == "POST"; }
  size_t left() const { return segments.size() - taken; }
  /// The next part; empty behind the last.
  std::string next() { return left() == 0 ? std::string() : segments[taken++]; }
  std::string_view body() const {
    const Bytes bytes = request.body_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

namespace {

constexpr const char* kJson = "application/json";

net::ServerResponse text_response(int status, std::string type, std::string text) {
  net::ServerResponse response;
  response.status = status;
  response.headers = {{"Content-Type", std::move(type)}};
  response.append(std::move(text));
  response.may_compress = true;
  return response;
}

net::ServerResponse json_response(std::string json) {
  return text_response(200, kJson, std::move(json));
}

net::ServerResponse error_response(const Status& status) {
  return text_response(http_status_of(status.code()), kJson, error_body(status));
}

net::ServerResponse response_of(Result<std::string> json) {
  return json.ok() ? json_response(*std::move(json)) : error_response(json.status());
}

net::ServerResponse empty_response(const Status& status) {
  return status.ok() ? net::ServerResponse() : error_response(status);
}

net::ServerResponse wrong_method(std::string allowed) {
  net::ServerResponse response =
      text_response(405, kJson, error_body("this path takes " + allowed + " alone"));
  response.headers.push_back({"Allow", std::move(allowed)});
  return response;
}

net::ServerResponse unknown_path(const net::RequestHead& head) {
  return text_response(404, kJson, error_body("the protocol has no path " + head.target.raw_path));
}

net::ServerResponse inference_response(ResponseBody body) {
  net::ServerResponse response;
  const bool is_binary = body.header_length.has_value();
  response.headers = {{"Content-Type", is_binary ? "application/octet-stream" : kJson}};
  if (is_binary) {
    response.headers.push_back({kHeaderLength, std::to_string(*body.header_length)});
  }
  // What is large and binary is not worth the time of the thread that answers.
  response.may_compress = !is_binary;
  response.append(std::move(body.json));
  for (const NamedTensor& piece : body.pieces) {
    if (piece.size_bytes > 0) {
      response.append(piece.buffer, piece.offset_bytes, piece.size_bytes);
    }
  }
  return response;
}

bool wants_classes(const AnswerForm& form) {
  for (const RequestedOutput& output : form.outputs) {
    if (output.class_count > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

Routes::Routes(ModelServer& models, std::shared_ptr<SharedRegions> regions, std::string name,
               std::string version)
    : models_(models), regions_(std::move(regions)), name_(std::move(name)), version_(std::move(version)) {
}

void Routes::handle(net::ServerRequest request, net::Responder responder, LargeBodies& large_bodies) const {
  Result<std::vector<std::string>> segments = net::path_segments(request.head.target.raw_path);
  if (!segments.ok()) {
    responder.answer(error_response(segments.status()));
    return;
  }
  if (!segments->empty() && segments->back().empty()) {
    segments->pop_back();
  }
  route(Call{std::move(request), std::move(responder), &large_bodies, *std::move(segments)});
}

void Routes::route(Call call) const {
  const std::string root = call.next();
  if (root == "metrics" && call.left() == 0) {
    const Result<std::vector<ModelStatistics>> statistics = models_.statistics("", "");
    call.responder.answer(text_response(
        200, kMetricsType,
        metrics_text(statistics.ok() ? *statistics : std::vector<ModelStatistics>(), counter_values())));
    return;
  }
  if (root != "v2") {
    call.responder.answer(unknown_path(call.request.head));
    return;
  }
  const std::string part = call.next();
  if (part.empty()) {
    const std::string json = server_metadata_json(name_, version_, server_extensions());
    call.responder.answer(call.is_get() ? json_response(json) : wrong_method("GET"));
  } else if (part == "health") {
    health(std::move(call));
  } else if (part == "models") {
    models(std::move(call));
  } else if (part == "repository") {
    repository(std::move(call));
  } else if (part == "systemsharedmemory") {
    shared_memory(std::move(call));
  } else if (part == "trace" || part == "logging") {
    call.responder.answer(error_response(unimplemented(
        "{} cannot be set while the server runs: start it with --trace FILE, and FOREBAY_LOG for its log",
        part == "trace" ? "traces" : "the log")));
  } else if (part == "cudasharedmemory") {
    device_memory(std::move(call));
  } else {
    call.responder.answer(unknown_path(call.request.head));
  }
}

void Routes::health(Call call) const {
  const std::string what = call.next();
  if (call.left() > 0 || (what != "live" && what != "ready")) {
    call.responder.answer(unknown_path(call.request.head));
    return;
  }
  const bool is_well = what == "live" ? models_.is_live() : models_.is_ready();
  call.responder.answer(is_well ? net::ServerResponse()
                                : error_response(unavailable("the server is not {} yet", what)));
}

void Routes::models(Call call) const {
  const std::string name = call.next();
  if (name == "stats" && call.left() == 0) {
    const Result<std::vector<ModelStatistics>> all = models_.statistics("", "");
    call.responder.answer(all.ok() ? json_response(statistics_json(*all)) : error_response(all.status()));
    return;
  }
  if (name.empty()) {
    call.responder.answer(unknown_path(call.request.head));
    return;
  }
  std::string version;
  if (call.left() > 0 && call.segments[call.taken] == "versions") {
    call.next();
    version = call.next();
  }
  model(std::move(call), name, version);
}

void Routes::model(Call call, const std::string& name, const std::string& version) const {
  const std::string what = call.next();
  if (call.left() > 0) {
    call.responder.answer(unknown_path(call.request.head));
    return;
  }
  if (what == "infer") {
    if (!call.is_post()) {
      call.responder.answer(wrong_method("POST"));
      return;
    }
    infer(std::move(call), name, version);
    return;
  }
  if (!call.is_get()) {
    call.responder.answer(wrong_method("GET"));
    return;
  }
  if (what.empty()) {
    const Result<ModelMetadata> metadata = models_.metadata(name, version);
    call.responder.answer(metadata.ok() ? json_response(model_metadata_json(*metadata))
                                        : error_response(metadata.status()));
  } else if (what == "ready") {
    const bool is_ready = models_.is_model_ready(name, version);
    call.responder.answer(is_ready ? net::ServerResponse()
                                   : error_response(unavailable("model '{}' is not ready", name)));
  } else if (what == "config") {
    call.responder.answer(response_of(models_.config_json(name, version)));
  } else if (what == "stats") {
    const Result<std::vector<ModelStatistics>> rows = models_.statistics(name, version);
    call.responder.answer(rows.ok() ? json_response(statistics_json(*rows)) : error_response(rows.status()));
  } else {
    call.responder.answer(unknown_path(call.request.head));
  }
}

void Routes::infer(Call call, const std::string& name, const std::string& version) const {
  const Result<std::optional<uint64_t>> header_length = header_length_of(call.request.head);
  if (!header_length.ok()) {
    call.responder.answer(error_response(header_length.status()));
    return;
  }
  const int64_t since_ns = call.request.come_at_ns;
  const uint64_t json_bytes = header_length->value_or(call.request.body_bytes().size());
  if (json_bytes <= LargeBodies::kLargeJsonBytes) {
    infer_parsed(call, name, version, *header_length, since_ns, {});
    return;
  }
  const auto kept = std::make_shared<Call>(std::move(call));
  const Status added =
      kept->large_bodies->add([self = shared_from_this(), kept, name, version, length = *header_length,
                               since_ns](const std::stop_token& stop) {
        // What is thrown is answered by the responder, as what is dropped.
        (void)caught([&] {
          if (!kept->responder.is_gone()) {
            self->infer_parsed(*kept, name, version, length, since_ns, stop);
          }
          return ok_status();
        });
      });
  if (!added.ok()) {
    kept->responder.answer(error_response(added));
  }
}

void Routes::infer_parsed(Call& call, const std::string& name, const std::string& version,
                          std::optional<uint64_t> header_length, int64_t since_ns,
                          const std::stop_token& stop) const {
  ParseOptions options;
  options.model = name;
  options.version = version;
  options.now_ns = since_ns;
  options.regions = regions_.get();
  options.stop = stop;
  ModelMetadata metadata;
  if (header_length == std::optional<uint64_t>(0)) {  // the body is the model's only input
    Result<ModelMetadata> found = models_.metadata(name, version);
    if (!found.ok()) {
      call.responder.answer(error_response(found.status()));
      return;
    }
    metadata = *std::move(found);
    options.metadata = &metadata;
  }
  const size_t lead = call.request.body_offset_bytes;
  const RequestBody body{call.request.body, lead, call.request.body_bytes().size(), lead};
  Result<ParsedRequest> parsed = parse_request(body, header_length, options);
  if (!parsed.ok()) {
    call.responder.answer(error_response(parsed.status()));
    return;
  }
  std::stop_source gone;
  call.responder.on_gone([gone]() mutable { gone.request_stop(); });
  parsed->request.cancel = gone.get_token();
  models_.infer(std::move(parsed->request), [self = shared_from_this(), form = std::move(parsed->form),
                                             responder = std::move(call.responder)](
                                                Result<InferResponse> answer) mutable {
    responder.answer(caught([&]() -> Result<net::ServerResponse> {
                       return self->answer_of(std::move(answer), form);
                     }).value_or(error_response(internal_error("the answer cannot be written"))));
  });
}

net::ServerResponse Routes::answer_of(Result<InferResponse> answer, const AnswerForm& form) const {
  if (!answer.ok()) {
    return error_response(answer.status());
  }
  std::optional<ModelMetadata> metadata;
  if (wants_classes(form)) {
    Result<ModelMetadata> found = models_.metadata(answer->model, answer->version);
    if (found.ok()) {
      metadata = *std::move(found);
    }
  }
  Result<ResponseBody> written =
      write_response(*std::move(answer), form, metadata ? &*metadata : nullptr, regions_.get());
  return written.ok() ? inference_response(*std::move(written)) : error_response(written.status());
}

void Routes::repository(Call call) const {
  if (!call.is_post()) {
    call.responder.answer(wrong_method("POST"));
    return;
  }
  const std::string part = call.next();
  if (part == "index" && call.left() == 0) {
    const Result<bool> only_ready = parse_index_request(call.body());
    call.responder.answer(only_ready.ok() ? json_response(index_json(models_.index(*only_ready)))
                                          : error_response(only_ready.status()));
    return;
  }
  const std::string name = call.next();
  const std::string action = call.next();
  if (part != "models" || call.left() > 0 || (action != "load" && action != "unload")) {
    call.responder.answer(unknown_path(call.request.head));
    return;
  }
  const Status accepted =
      action == "load" ? check_load_request(call.body()) : parse_unload_request(call.body()).status();
  if (!accepted.ok()) {
    call.responder.answer(error_response(accepted));
    return;
  }
  auto done = [responder = std::move(call.responder)](Status status) mutable {
    responder.answer(empty_response(status));
  };
  if (action == "load") {
    models_.load(name, std::move(done));
  } else {
    models_.unload(name, std::move(done));
  }
}

void Routes::shared_memory(Call call) const {
  if (regions_ == nullptr) {
    call.responder.answer(error_response(unimplemented("this server takes no shared memory")));
    return;
  }
  std::string action = call.next();
  std::string name;
  if (action == "region") {
    name = call.next();
    action = call.next();
  }
  const bool is_known =
      action == "status" || action == "unregister" || (action == "register" && !name.empty());
  if (!is_known || call.left() > 0) {
    call.responder.answer(unknown_path(call.request.head));
    return;
  }
  if (action == "status") {
    const Result<SharedRegion> one = name.empty() ? SharedRegion() : regions_->find(name);
    call.responder.answer(!one.ok() ? error_response(one.status())
                                    : json_response(regions_json(
                                          name.empty() ? regions_->all() : std::vector<SharedRegion>{*one})));
    return;
  }
  if (!call.is_post()) {
    call.responder.answer(wrong_method("POST"));
    return;
  }
  if (action == "register") {
    const Result<SharedRegion> region = parse_region_request(name, call.body());
    call.responder.answer(empty_response(region.ok() ? regions_->add(*region) : region.status()));
    return;
  }
  if (name.empty()) {
    regions_->remove_all();
  } else {
    regions_->remove(name);
  }
  call.responder.answer(net::ServerResponse());
}

void Routes::device_memory(Call call) const {
  const std::string& action = call.segments.back();
  if (action == "status") {
    call.responder.answer(json_response("[]"));
  } else if (action == "unregister") {
    call.responder.answer(net::ServerResponse());
  } else {
    call.responder.answer(error_response(unimplemented(
        "memory of a GPU cannot be registered here: send tensors, or register system shared memory")));
  }
}

}  // namespace forebay::serving
