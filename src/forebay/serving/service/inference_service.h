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
#include "forebay/serving/service/traced_server.h"

namespace forebay::serving {

struct ServiceOptions {
  RepositoryOptions repository;
  std::optional<HttpDoorOptions> http;
  std::optional<GrpcDoorOptions> grpc;
  bool takes_shared_memory = true;  // of clients on this host
  std::string trace_file;           // requests and tasks, for Perfetto, written by stop(); empty: none
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

  /// As Repository::wait_until_started(); from then on gRPC's probes of health are told that it serves.
  Status wait_until_started(int64_t deadline_ns, const std::stop_token& stop = {});

  /// Takes no more requests, lets those under way end until `deadline_ns` (steady_clock()), and unloads the
  /// models. May be called again; not from an answer.
  void stop(int64_t deadline_ns);

 private:
  InferenceService(std::unique_ptr<Repository> repository, std::string trace_file);
  void write_trace();

  const std::unique_ptr<Repository> repository_;
  TracedServer server_;
  std::string trace_file_;  // empty once it is written
  std::unique_ptr<HttpDoor> http_;
  std::unique_ptr<GrpcDoor> grpc_;
};

}  // namespace forebay::serving
