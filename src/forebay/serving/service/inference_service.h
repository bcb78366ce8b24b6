// The server as a whole: a repository of models behind its doors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "forebay/serving/grpc/grpc_door.h"
#include "forebay/serving/http/http_door.h"
#include "forebay/serving/repository/repository.h"

namespace forebay::serving {

struct ServiceOptions {
  RepositoryOptions repository;
  std::optional<HttpDoorOptions> http;
  std::optional<GrpcDoorOptions> grpc;
  bool takes_shared_memory = true;  // of clients on this host
};

/// Not to be used in a forked child.
class InferenceService {
 public:
  /// Opens the doors and begins to load the models; probes of liveness are answered at once. The errors of
  /// the doors and of Repository::open().
  static Result<std::unique_ptr<InferenceService>> start(ServiceOptions options);
  /// stop() without patience.
  ~InferenceService();

  std::string http_url() const { return http_ == nullptr ? "" : http_->url(); }
  int http_port() const { return http_ == nullptr ? 0 : http_->port(); }
  int grpc_port() const { return grpc_ == nullptr ? 0 : grpc_->port(); }
  const Repository& repository() const { return *repository_; }

  /// As Repository::wait_until_started().
  Status wait_until_started(int64_t deadline_ns, std::stop_token stop = {}) {
    return repository_->wait_until_started(deadline_ns, std::move(stop));
  }

  /// Takes no more requests, lets those under way end until `deadline_ns` (steady_clock()), and unloads the
  /// models. May be called again; not from an answer.
  void stop(int64_t deadline_ns);

 private:
  explicit InferenceService(std::unique_ptr<Repository> repository);

  const std::unique_ptr<Repository> repository_;
  std::unique_ptr<HttpDoor> http_;
  std::unique_ptr<GrpcDoor> grpc_;
};

}  // namespace forebay::serving
