// A worker in C++: one request after the other.
#include "forebay/serving/processes/worker_side.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/round_up.h"
#include "forebay/memory/copy.h"
#include "forebay/net/local/local_socket.h"
#include "forebay/serving/processes/own_slabs.h"
#include "forebay/serving/processes/worker_command.h"

namespace forebay::serving {
namespace {

/// Those who stop a service stop all its processes at once (kill(1) of the group, systemd); the parent
/// answers what is under way first, and ends us after that, by the socket.
void ignore_requests_to_stop() {
  ::signal(SIGTERM, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
}

/// What all slabs of outputs together may have.
uint64_t most_output_bytes() {
  const char* const given = std::getenv(kWorkerSharedBytes);
  return given == nullptr ? std::numeric_limits<uint64_t>::max() : std::strtoull(given, nullptr, 10);
}

/// False if the parent is gone already.
bool die_with_parent() {
  const char* const parent = std::getenv(kWorkerParent);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return parent == nullptr || std::atoi(parent) == ::getppid();
}

/// The next message; nothing once the parent has closed its end.
Result<std::optional<net::LocalMessage>> next_message() {
  for (;;) {
    pollfd watched = {kWorkerSocket, POLLIN, 0};
    ::poll(&watched, 1, -1);
    net::LocalMessage message;
    const Result<bool> is_there = net::receive_locally(kWorkerSocket, &message);
    if (absl::IsCancelled(is_there.status())) {
      return std::optional<net::LocalMessage>();
    }
    FOREBAY_RETURN_IF_ERROR(is_there.status());
    if (*is_there) {
      return std::optional<net::LocalMessage>(std::move(message));
    }
  }
}

Status say(const std::string& json, int slab = -1) {
  const bool has_slab = slab >= 0;
  FOREBAY_ASSIGN_OR_RETURN(
      const bool is_sent,
      net::send_locally(kWorkerSocket, std::as_bytes(std::span(json)),
                        has_slab ? std::span<const int>(&slab, 1) : std::span<const int>()));
  return is_sent ? ok_status() : unavailable("the server does not read");
}

class WorkerSide {
 public:
  explicit WorkerSide(WorkerProgram& program) : program_(program) {}

  Status serve() {
    for (;;) {
      FOREBAY_ASSIGN_OR_RETURN(std::optional<net::LocalMessage> message, next_message());
      if (!message) {
        return ok_status();
      }
      FOREBAY_RETURN_IF_ERROR(answer(*message));
    }
  }

 private:
  Status answer(net::LocalMessage& message) {
    const int64_t begun_ns = steady_clock().now_ns();
    const std::string_view text(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
    FOREBAY_ASSIGN_OR_RETURN(InferMessage infer, parse_infer_message(text));
    if (infer.slab_bytes > 0 && message.descriptors.size() == 1) {
      inputs_ = SharedSlab();
      FOREBAY_ASSIGN_OR_RETURN(inputs_,
                               SharedSlab::open(std::move(message.descriptors.front()), infer.slab_bytes));
    }
    outputs_.free(infer.freed);
    AnswerMessage reply;
    reply.number = infer.number;
    const Result<const SharedSlab*> slab = compute(infer, begun_ns, &reply);
    reply.status = slab.status();
    std::string json = to_json(reply);
    if (json.size() > net::kMaxLocalBytes) {
      outputs_.take_back(&reply);
      reply.status = resource_exhausted("names and shapes of the outputs take {} bytes; {} are possible",
                                        json.size(), net::kMaxLocalBytes);
      json = to_json(reply);
    }
    return say(json, reply.slab_bytes > 0 ? (*slab)->file() : -1);
  }

  /// Fills `reply`, but for its status. The slab that its outputs lie in; null where all are empty.
  Result<const SharedSlab*> compute(InferMessage& infer, int64_t begun_ns, AnswerMessage* reply) {
    FOREBAY_RETURN_IF_ERROR(infer.problem);
    FOREBAY_ASSIGN_OR_RETURN(WorkerRequest request, request_of(infer));
    const int64_t ready_ns = steady_clock().now_ns();
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<NamedTensor> computed, program_.run(std::move(request)));
    const int64_t computed_ns = steady_clock().now_ns();
    FOREBAY_ASSIGN_OR_RETURN(const SharedSlab* const slab, outputs_.place(computed, reply));
    reply->timing.input_ns = ready_ns - begun_ns;
    reply->timing.compute_ns = computed_ns - ready_ns;
    reply->timing.output_ns = steady_clock().now_ns() - computed_ns;
    return slab;
  }

  Result<WorkerRequest> request_of(InferMessage& infer) const {
    WorkerRequest request = {.id = std::move(infer.id),
                             .outputs = std::move(infer.outputs),
                             .parameters = std::move(infer.parameters)};
    const Bytes all = inputs_.bytes();
    const memory::BufferRef slab =
        memory::Buffer::wrap_read_only(all.data(), all.size(), memory::MemoryKind::kHost, [] {});
    for (PlacedTensor& placed : infer.inputs) {
      if (placed.size_bytes > all.size() || placed.offset_bytes > all.size() - placed.size_bytes) {
        return invalid_argument("input '{}' lies outside of its slab", placed.name);
      }
      NamedTensor tensor;
      tensor.name = std::move(placed.name);
      tensor.datatype = placed.datatype;
      tensor.shape = std::move(placed.shape);
      tensor.buffer = slab;
      tensor.offset_bytes = placed.offset_bytes;
      tensor.size_bytes = placed.size_bytes;
      FOREBAY_RETURN_IF_ERROR(check_size(tensor));
      request.inputs.push_back(std::move(tensor));
    }
    return request;
  }

  WorkerProgram& program_;
  SharedSlab inputs_;
  OwnSlabs outputs_{most_output_bytes()};
};

/// Loads the model. Its description as a message, which must fit into one.
Result<std::string> load_program(WorkerProgram& program) {
  FOREBAY_ASSIGN_OR_RETURN(const ReadyMessage ready, program.load());
  std::string json = to_json(ready);
  if (json.size() > net::kMaxLocalBytes) {
    return resource_exhausted(
        "names, shapes and labels of its inputs and outputs take {} bytes; {} are possible", json.size(),
        net::kMaxLocalBytes);
  }
  return json;
}

}  // namespace

int serve_worker(WorkerProgram& program) {
  ignore_requests_to_stop();
  if (!die_with_parent()) {
    return EXIT_FAILURE;
  }
  ::fcntl(kWorkerSocket, F_SETFD, FD_CLOEXEC);
  const Result<std::string> ready = load_program(program);
  if (!ready.ok()) {
    (void)say(to_json(FailedMessage{ready.status()}));
    return EXIT_FAILURE;
  }
  Status status = say(*ready);
  if (status.ok()) {
    status = WorkerSide(program).serve();
  }
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", message(status));
  }
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace forebay::serving
