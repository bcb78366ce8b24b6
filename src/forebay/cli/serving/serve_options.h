// What `forebay serve` is told on its command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/units.h"
#include "forebay/serving/service/inference_service.h"

namespace CLI {
class App;
}

namespace forebay::cli {

struct ServeOptions {
  std::string version;  // of the program
  std::string repository;
  std::string address = "localhost";
  int http_port = 8000;  // 0: one that is free; -1: no HTTP
  int grpc_port = 8001;
  bool allow_open = false;
  std::string certificate;
  std::string key;
  std::string token_file;
  std::string control = "none";
  std::vector<std::string> models;
  double poll_s = 15;
  int threads = 0;  // of each pipeline; 0: as many as this process may use
  int http_threads = 2;
  uint64_t most_body_bytes = 256 * kMiB;
  uint64_t pipeline_memory_bytes = 0;
  uint64_t worker_memory_bytes = 0;
  double longest_run_s = 600;
  double drain_s = 30;
  double start_s = 600;
  std::string python;
  std::string trace;
  bool without_shared_memory = false;
  bool as_json = false;
};

void add_options(CLI::App& command, ServeOptions& options);

/// What the server is started with; reads the token. `program` is the path of forebay-serve.
Result<serving::ServiceOptions> service_options(const ServeOptions& options, const std::string& program);

}  // namespace forebay::cli
