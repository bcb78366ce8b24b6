// The gRPC door of the server: the Open Inference Protocol's GRPCInferenceService before a ModelServer.
// Source: KServe's Open Inference Protocol V2 (gRPC) with Triton's extensions of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forebay/serving/inference/model.h"

namespace forebay::serving {

/// A region of shared memory under the name that a client gave it.
struct RegionState {
  std::string name;
  std::string key;  // what shm_open() takes
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

/// What the protocol adds to tensors, the same behind every door. Each function is thread safe and does not
/// wait; one that is empty is answered with unimplemented.
struct TensorExtensions {
  /// The `class_count` highest values of each row as BYTES "value:index[:label]".
  std::function<Result<NamedTensor>(const NamedTensor& output, int64_t class_count,
                                    const ModelMetadata& model)>
      classify;
  /// Sets buffer and size of `input`; the buffer keeps the region mapped.
  std::function<Status(const SharedPlace& place, NamedTensor& input)> read_place;
  /// Writes to the beginning of `place`; invalid_argument where it is too small.
  std::function<Status(const SharedPlace& place, Bytes bytes)> write_place;
  std::function<Status(const RegionState& region)> add_region;
  /// All where `name` is empty; does nothing where there is none.
  std::function<Status(const std::string& name)> remove_region;
  /// All where `name` is empty; else that one, or not_found.
  std::function<Result<std::vector<RegionState>>(const std::string& name)> regions;
};

/// Files in PEM. Empty names: no TLS.
struct DoorTls {
  std::string certificate_file;  // the chain, the server's own certificate first
  std::string key_file;
  std::string client_ca_file;  // if named, clients must show a certificate that it vouches for
};

struct GrpcDoorOptions {
  /// "127.0.0.1:PORT", "[::1]:PORT", "localhost:PORT" or "unix:PATH"; no other names. Port 0: one that the
  /// kernel chooses; see port().
  std::string address = "127.0.0.1:8001";
  DoorTls tls;
  /// If set, every call needs the metadata `authorization: Bearer TOKEN`; health checks do not.
  std::string token;

  size_t max_message_bytes = size_t{256} << 20;  // of a request; packed ones are refused
  size_t max_memory_bytes = size_t{2} << 30;     // of all that gRPC holds; see below
  int max_streams_per_connection = 1024;         // calls at a time, of any kind
  size_t max_requests = 4096;                    // from arrival until the answer is sent; more are refused
  /// Of one ModelStreamInfer: so many under way or unread, and no more are read.
  size_t max_requests_per_stream = 128;
  size_t max_unread_bytes_per_stream = size_t{64} << 20;  // the same for bytes of its answers
  /// Of the answers of all calls, unary ones too: while more are unread, a stream with requests under way
  /// reads no further. An answer that would make them twice as many is not kept: its request is answered with
  /// resource_exhausted.
  size_t max_unread_bytes = size_t{1} << 30;

  // What ServerMetadata, TraceSetting and LogSettings answer. No setting can be changed.
  std::string server_name = "forebay";
  std::string server_version;
  std::vector<std::string> server_extensions;
  std::map<std::string, std::vector<std::string>> trace_settings = {{"trace_level", {"OFF"}}};
  Parameters log_settings;

  TensorExtensions extensions;
};

/// Serves until stop(). No thread is held for a request that waits. Requests keep the memory that they came
/// in, and answers are sent from the memory that models gave, where tensors allow it.
///
/// Errors of models and of the door reach clients as the gRPC status of the same name; within
/// ModelStreamInfer as the `error_message` of an answer, with the request's id, and the stream goes on. Its
/// answers come in the order in which they are ready. A client that goes away, or whose deadline passes, asks
/// InferRequest::cancel to stop.
///
/// Requests hold the memory of gRPC until models have let go of their inputs. Above max_memory_bytes gRPC
/// ends calls, or a connection: clients see RESOURCE_EXHAUSTED or UNAVAILABLE, and may try again.
///
/// grpc.health.v1 is offered beside: SERVING from set_ready() until stop() begins.
///
/// gRPC's threads do not survive fork(): the process that has a door must start others by exec only.
class GrpcDoor {
 public:
  /// `models` must outlive the door. failed_precondition where the address is taken or cannot be listened on,
  /// invalid_argument for options that make no sense, and what reading the files of TLS gives.
  static Result<std::unique_ptr<GrpcDoor>> start(ModelServer& models, GrpcDoorOptions options);

  GrpcDoor(const GrpcDoor&) = delete;
  GrpcDoor& operator=(const GrpcDoor&) = delete;
  /// As stop() at once.
  ~GrpcDoor();

  /// What probes of health are told from now on: that the models are there. Does nothing once stop() has
  /// begun. Thread safe.
  void set_ready();

  /// 0 for a Unix socket.
  int port() const;

  /// Takes no more requests (unavailable), waits until those under way are answered or `deadline_ns`
  /// (steady_clock()) has passed, ends what is left as cancelled and closes. May be called again. On no
  /// thread that answers requests.
  void stop(int64_t deadline_ns);

 private:
  class Parts;
  explicit GrpcDoor(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace forebay::serving
