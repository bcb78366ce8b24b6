// Which path and method of the protocol does what.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "forebay/net/server/server_request.h"
#include "forebay/serving/http/large_bodies.h"
#include "forebay/serving/inference/model.h"
#include "forebay/serving/protocol/parse_request.h"
#include "forebay/serving/protocol/shared_regions.h"

namespace forebay::serving {

/// Thread safe. Owned by a shared pointer: answers may come when the server has gone.
class Routes : public std::enable_shared_from_this<Routes> {
 public:
  Routes(ModelServer& models, std::shared_ptr<SharedRegions> regions, std::string name, std::string version);

  /// Answers now or, for inference and for loading, later. Long JSON of inference is parsed by
  /// `large_bodies`.
  void handle(net::ServerRequest request, net::Responder responder, LargeBodies& large_bodies) const;

 private:
  /// The path's parts that no route has taken yet.
  using Parts = std::span<const std::string>;
  struct Call;

  void route(Call call) const;
  void health(Call call) const;
  void models(Call call) const;
  void model(Call call, const std::string& name, const std::string& version) const;
  void infer(Call call, const std::string& name, const std::string& version) const;
  void infer_parsed(Call& call, const std::string& name, const std::string& version,
                    std::optional<uint64_t> header_length, int64_t since_ns,
                    const std::stop_token& stop) const;
  net::ServerResponse answer_of(Result<InferResponse> answer, const AnswerForm& form) const;
  void repository(Call call) const;
  void shared_memory(Call call) const;
  void device_memory(Call call) const;

  ModelServer& models_;
  const std::shared_ptr<SharedRegions> regions_;
  const std::string name_;
  const std::string version_;
};

}  // namespace forebay::serving
