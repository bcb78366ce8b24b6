// The options of `forebay serve`, and what the server makes of them.
#include "forebay/cli/serving/serve_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

#include "forebay/base/usable_cpus.h"
#include "forebay/cli/machine/python.h"
#include "forebay/net/server/listener.h"
#include "forebay/serving/service/model_kinds.h"

namespace forebay::cli {
namespace {

constexpr int kHighestPort = 65535;
constexpr uint64_t kMaxBodyBytes = uint64_t{1} << 40;
constexpr uint64_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();  // of gRPC
constexpr uint64_t kBodiesAtOnce = 4;

/// The file's text without white space around it.
Result<std::string> read_token(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return not_found("the token's file {} cannot be read", path);
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const char* const kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) {
    return invalid_argument("the token's file {} is empty", path);
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string python_of(const ServeOptions& options) {
  const char* from_program = std::getenv("FOREBAY_SERVE_PYTHON");
  return !options.python.empty()   ? options.python
         : from_program != nullptr ? from_program
                                   : own_python().string();
}

int64_t nanoseconds(double seconds) {
  constexpr double kMaxSeconds = 1e9;
  return std::llround(std::min(seconds, kMaxSeconds) * static_cast<double>(kSecond));
}

serving::ModelControl control_of(const std::string& name) {
  return name == "poll"       ? serving::ModelControl::kPoll
         : name == "explicit" ? serving::ModelControl::kExplicit
                              : serving::ModelControl::kNone;
}

serving::RepositoryOptions repository_options(const ServeOptions& options, const std::string& program) {
  serving::KindOptions kinds;
  kinds.program = program;
  kinds.python = python_of(options);
  kinds.pipeline_threads = options.threads > 0 ? options.threads : usable_cpus();
  kinds.pipeline_memory_bytes = options.pipeline_memory_bytes;
  kinds.worker_memory_bytes = options.worker_memory_bytes;
  kinds.longest_run_ns = nanoseconds(options.longest_run_s);
  serving::RepositoryOptions repository;
  repository.root = options.repository;
  repository.kinds = serving::model_kinds(kinds);
  repository.control = control_of(options.control);
  repository.models_at_start = options.models;
  repository.poll_interval_ns = nanoseconds(options.poll_s);
  return repository;
}

serving::HttpDoorOptions http_options(const ServeOptions& options, const std::string& token) {
  serving::HttpDoorOptions http;
  http.server_version = options.version;
  http.server.address = options.address;
  http.server.port = static_cast<uint16_t>(options.http_port);
  http.server.allow_open = options.allow_open;
  http.server.certificate = {options.certificate, options.key};
  http.server.bearer_token = token;
  http.server.io_threads = static_cast<size_t>(options.http_threads);
  http.server.limits.body_bytes = options.most_body_bytes;
  http.server.limits.bodies_bytes = std::max(kGiB, kBodiesAtOnce * options.most_body_bytes);
  http.server.limits.lying_bytes = http.server.limits.bodies_bytes;
  return http;
}

std::string grpc_host(const std::string& address) {
  if (address == "*") {
    return "[::]";
  }
  const bool is_ipv6 = address.find(':') != std::string::npos && !address.starts_with('[');
  return is_ipv6 ? fmt::format("[{}]", address) : address;
}

serving::GrpcDoorOptions grpc_options(const ServeOptions& options, const std::string& token) {
  serving::GrpcDoorOptions grpc;
  grpc.server_version = options.version;
  grpc.address = fmt::format("{}:{}", grpc_host(options.address), options.grpc_port);
  grpc.tls = {options.certificate, options.key, ""};
  grpc.token = token;
  grpc.max_message_bytes = std::min(options.most_body_bytes, kMaxMessageBytes);
  grpc.max_memory_bytes = std::max(2 * kGiB, kBodiesAtOnce * options.most_body_bytes);
  grpc.max_unread_bytes = std::max(kGiB, kBodiesAtOnce * options.most_body_bytes);
  return grpc;
}

void add_door_options(CLI::App& command, ServeOptions& options) {
  command.add_option("--address", options.address,
                     "Where it listens: localhost, * for every address, or one in numbers");
  command.add_option("--http-port", options.http_port, "Of HTTP; 0: one that is free, -1: no HTTP")
      ->check(CLI::Range(-1, kHighestPort));
  command.add_option("--grpc-port", options.grpc_port, "Of gRPC; 0: one that is free, -1: no gRPC")
      ->check(CLI::Range(-1, kHighestPort));
  command.add_option("--certificate", options.certificate, "TLS: a file with the chain of certificates, PEM");
  command.add_option("--key", options.key, "TLS: a file with the key, PEM");
  command.add_option("--token-file", options.token_file,
                     "A file with the token that clients send: Authorization: Bearer TOKEN");
  command.add_flag(
      "--allow-open", options.allow_open,
      "Listen beyond this host without a token and a certificate: for networks that are trusted");
  command.add_flag("--no-shared-memory", options.without_shared_memory,
                   "Refuse tensors in shared memory of clients on this host");
}

void add_limits(CLI::App& command, ServeOptions& options) {
  const auto size = CLI::AsSizeValue(/*kb_is_1000=*/false);
  command
      .add_option("--max-body", options.most_body_bytes, "Most bytes of a request; over gRPC at most 2 GiB")
      ->transform(size)
      ->check(CLI::Range(uint64_t{1}, kMaxBodyBytes));
  command
      .add_option("--pipeline-memory", options.pipeline_memory_bytes,
                  "What each pipeline may use (0: no limit)")
      ->transform(size);
  command
      .add_option("--worker-memory", options.worker_memory_bytes,
                  "What each process of an ONNX or Python model may use (0: no limit)")
      ->transform(size);
  command
      .add_option("--threads", options.threads, "Of each pipeline (0: the CPUs that this process may use)")
      ->check(CLI::Range(0, 1024));
  command.add_option("--http-threads", options.http_threads, "That read requests and write answers")
      ->check(CLI::Range(1, 64));
  command
      .add_option(
          "--longest-run", options.longest_run_s,
          "Seconds that an ONNX or Python model may compute before its process is taken for hung and ended")
      ->check(CLI::PositiveNumber);
  command.add_option("--drain", options.drain_s, "Seconds that requests get to end at SIGTERM")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--start-limit", options.start_s, "Seconds in which the models must be loaded")
      ->check(CLI::PositiveNumber);
}

}  // namespace

void add_options(CLI::App& command, ServeOptions& options) {
  command.add_option("repository", options.repository, "A folder of models")->required();
  add_door_options(command, options);
  command
      .add_option(
          "--control", options.control,
          "Which models are loaded: none (all at the start), poll (all, looked at again and again), explicit "
          "(those that --load and clients name)")
      ->check(CLI::IsMember({"none", "poll", "explicit"}));
  command
      .add_option("--load", options.models, "With --control=explicit: a model to load at the start; '*': all")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--poll", options.poll_s, "Seconds from one look at the folder to the next")
      ->check(CLI::PositiveNumber);
  add_limits(command, options);
  command.add_option("--python", options.python,
                     "The Python for pipelines and models written in it, and whose onnxruntime is used");
  command.add_option("--trace", options.trace,
                     "A file for what ran when, requests and tasks, written at the end; Perfetto opens it");
  command.add_flag("--json", options.as_json, "Print where it listens and what is loaded as JSON");
}

Result<serving::ServiceOptions> service_options(const ServeOptions& options, const std::string& program) {
  std::string token;
  if (!options.token_file.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(token, read_token(options.token_file));
  }
  if (options.certificate.empty() != options.key.empty()) {
    return invalid_argument("--certificate and --key go together");
  }
  const bool is_safe = !token.empty() && !options.certificate.empty();
  if (!net::is_loopback(options.address) && !is_safe && !options.allow_open) {
    return invalid_argument(
        "--address {} is reached from other hosts: give --token-file, --certificate and --key, or "
        "--allow-open where the network is trusted",
        options.address);
  }
  serving::ServiceOptions service;
  service.repository = repository_options(options, program);
  service.takes_shared_memory = !options.without_shared_memory;
  service.trace_file = options.trace;
  if (options.http_port >= 0) {
    service.http = http_options(options, token);
  }
  if (options.grpc_port >= 0) {
    service.grpc = grpc_options(options, token);
  }
  return service;
}

}  // namespace forebay::cli
