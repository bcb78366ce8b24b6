// The gRPC server: its address, credentials and limits, and how it ends.
#include "forebay/serving/grpc/grpc_door.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/compression.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/serving/grpc/door_state.h"
#include "forebay/serving/grpc/grpc_service.h"
#include "forebay/serving/grpc/listen_address.h"

namespace forebay::serving {
namespace {

// A connection whose peer has gone without a word is noticed by pings.
constexpr int kKeepaliveMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// How often a client may ping.
constexpr int kClientPingMs = 5'000;

/// gRPC's own lines, in the process's log. What it calls an error is mostly a client's: a failed handshake.
void log_of_grpc(gpr_log_func_args* line) {
  log_line(line->severity == GPR_LOG_SEVERITY_DEBUG ? LogLevel::kDebug : LogLevel::kInfo,
           fmt::format("gRPC: {}", line->message));
}

/// Likewise protobuf's, whose errors are fields of a client's that are no UTF-8. What is fatal comes before
/// an exception or the end of the process, perhaps of somebody else's doing.
void log_of_protobuf(google::protobuf::LogLevel level, const char*, int, const std::string& text) {
  log_line(level == google::protobuf::LOGLEVEL_FATAL ? LogLevel::kError : LogLevel::kDebug,
           fmt::format("protobuf: {}", text));
}

/// For the whole process, and with no lock of protobuf's: so once, not while others parse for another door.
void take_logs() {
  static std::once_flag are_taken;
  std::call_once(are_taken, [] {
    gpr_set_log_function(log_of_grpc);
    google::protobuf::SetLogHandler(log_of_protobuf);
  });
}

Result<std::string> read_pem(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || text.str().empty()) {
    return invalid_argument("TLS: '{}' cannot be read, or is empty", file);
  }
  return text.str();
}

Result<std::shared_ptr<grpc::ServerCredentials>> credentials_of(const DoorTls& tls) {
  if (tls.certificate_file.empty() && tls.key_file.empty()) {
    if (!tls.client_ca_file.empty()) {
      return invalid_argument("TLS: certificates of clients are asked for, but the server has none itself");
    }
    return grpc::InsecureServerCredentials();
  }
  if (tls.certificate_file.empty() || tls.key_file.empty()) {
    return invalid_argument("TLS needs both a certificate and a key");
  }
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair;
  FOREBAY_ASSIGN_OR_RETURN(pair.private_key, read_pem(tls.key_file));
  FOREBAY_ASSIGN_OR_RETURN(pair.cert_chain, read_pem(tls.certificate_file));
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back(std::move(pair));
  if (!tls.client_ca_file.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(options.pem_root_certs, read_pem(tls.client_ca_file));
    options.client_certificate_request = GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  }
  return grpc::SslServerCredentials(options);
}

Status check_options(const GrpcDoorOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_listen_address(options.address));
  if (options.max_message_bytes == 0 ||
      options.max_message_bytes > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return invalid_argument("max_message_bytes is {}; messages of gRPC have from 1 to 2^31 - 1",
                            options.max_message_bytes);
  }
  if (options.max_memory_bytes < options.max_message_bytes) {
    return invalid_argument("max_memory_bytes is {}, which is less than one message of {} bytes needs",
                            options.max_memory_bytes, options.max_message_bytes);
  }
  if (options.max_streams_per_connection <= 0 || options.max_requests == 0 ||
      options.max_requests_per_stream == 0) {
    return invalid_argument("the limits of streams and requests must be above 0");
  }
  return ok_status();
}

void set_limits(const GrpcDoorOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  builder.SetMaxSendMessageSize(-1);
  // What is packed is unpacked before its size is known: HTTP takes packed bodies, with a limit.
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder.SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
  builder.SetResourceQuota(grpc::ResourceQuota("forebay").Resize(options.max_memory_bytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_streams_per_connection);
  // Two servers on one port would each get some of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kClientPingMs);
}

}  // namespace

class GrpcDoor::Parts {
 public:
  Parts(ModelServer& models, GrpcDoorOptions options)
      : state_(std::make_shared<DoorState>(models, std::move(options))),
        service_(make_grpc_service(state_)) {}

  Status open() {
    const GrpcDoorOptions& options = state_->options();
    FOREBAY_ASSIGN_OR_RETURN(const auto credentials, credentials_of(options.tls));
    take_logs();
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(options.address, credentials, &port_);
    builder.RegisterService(service_.get());
    set_limits(options, builder);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return failed_precondition("gRPC: '{}' cannot be listened on: {}", options.address,
                                 options.tls.key_file.empty()
                                     ? "is it taken, or not an address of this machine?"
                                     : "is it taken, or are key and certificate no pair?");
    }
    set_serving(false);
    return ok_status();
  }

  int port() const { return port_; }

  void stop(int64_t deadline_ns) {
    if (server_ == nullptr) {
      return;
    }
    {
      const MutexLock lock(mutex_);
      is_stopping_ = true;
      set_serving(false);
    }
    state_->begin_stop();
    state_->wait_until_idle(deadline_ns);
    // Cancels what is left, such as health checks that watch.
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
  }

  void set_ready() {
    const MutexLock lock(mutex_);
    if (!is_stopping_) {
      set_serving(true);
    }
  }

 private:
  void set_serving(bool is_serving) {
    if (server_ == nullptr) {
      return;
    }
    grpc::HealthCheckServiceInterface* const health = server_->GetHealthCheckService();
    if (health != nullptr) {
      health->SetServingStatus(is_serving);
      health->SetServingStatus("inference.GRPCInferenceService", is_serving);
    }
  }

  const std::shared_ptr<DoorState> state_;
  const std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  Mutex mutex_;
  bool is_stopping_ FOREBAY_GUARDED_BY(mutex_) = false;
};

GrpcDoor::GrpcDoor(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {
}

GrpcDoor::~GrpcDoor() {
  stop(0);
}

Result<std::unique_ptr<GrpcDoor>> GrpcDoor::start(ModelServer& models, GrpcDoorOptions options) {
  FOREBAY_RETURN_IF_ERROR(check_options(options));
  auto parts = std::make_unique<Parts>(models, std::move(options));
  FOREBAY_RETURN_IF_ERROR(parts->open());
  return std::unique_ptr<GrpcDoor>(new GrpcDoor(std::move(parts)));
}

void GrpcDoor::set_ready() {
  parts_->set_ready();
}

int GrpcDoor::port() const {
  return parts_->port();
}

void GrpcDoor::stop(int64_t deadline_ns) {
  parts_->stop(deadline_ns);
}

}  // namespace forebay::serving
