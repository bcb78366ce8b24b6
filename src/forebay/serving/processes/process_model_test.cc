// Uses real processes: this program starts itself again as the worker of the model.
#include "forebay/serving/processes/process_model.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "forebay/base/clock.h"
#include "forebay/net/local/local_socket.h"
#include "forebay/serving/processes/process_test_base.h"
#include "forebay/serving/processes/worker_side.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMuchMemory = size_t{1} << 30;
constexpr size_t kManyOutputs = 2000;

// --- the worker ---

[[noreturn]] void hang() {
  for (;;) {
    ::pause();
  }
}

/// Gives its inputs back, x as y and words as they are, unless a parameter tells it to do otherwise.
class EchoProgram final : public WorkerProgram {
 public:
  Result<ReadyMessage> load() override {
    ReadyMessage ready;
    ready.platform = "echo";
    ready.inputs = {{"x", Datatype::kFp32, {-1}, {}}, {"words", Datatype::kBytes, {-1}, {}}};
    ready.outputs = {{"y", Datatype::kFp32, {-1}, {}},
                     {"words", Datatype::kBytes, {-1}, {}},
                     {"pid", Datatype::kInt32, {1}, {}}};
    return ready;
  }

  Result<std::vector<NamedTensor>> run(WorkerRequest request) override {
    const auto found = request.parameters.find("do");
    const std::string what = found == request.parameters.end() ? "" : std::get<std::string>(found->second);
    FOREBAY_RETURN_IF_ERROR(obey(what));
    std::vector<NamedTensor> outputs = std::move(request.inputs);
    if (what == "many") {
      outputs.resize(kManyOutputs, outputs.front());
    }
    for (NamedTensor& output : outputs) {
      output.name = output.name == "x" ? "y" : output.name;
    }
    outputs.push_back(
        tensor_holding<int32_t>("pid", Datatype::kInt32, {1}, {what == "child" ? child() : ::getpid()}));
    return outputs;
  }

 private:
  /// A process that goes on when this one ends.
  static pid_t child() {
    const pid_t started = ::fork();
    if (started == 0) {
      hang();
    }
    return started;
  }

  static Status obey(const std::string& what) {
    if (what == "crash") {
      fmt::print(stderr, "a line before\nthe last line\n");
      ::signal(SIGSEGV, SIG_DFL);
      ::raise(SIGSEGV);
    } else if (what == "exit") {
      ::_exit(3);
    } else if (what == "hang") {
      hang();
    } else if (what == "fail") {
      return out_of_range("no such class");
    } else if (what == "shout") {
      return out_of_range("{}", std::string(100'000, '\x01'));
    } else if (what == "allocate") {
      void* const much = ::malloc(kMuchMemory);
      return much == nullptr ? resource_exhausted("malloc gave nothing") : ok_status();
    }
    return ok_status();
  }
};

void send_raw(const std::string& text, int descriptor = -1) {
  const auto descriptors = descriptor < 0 ? std::span<const int>() : std::span<const int>(&descriptor, 1);
  (void)net::send_locally(kWorkerSocket, std::as_bytes(std::span(text)), descriptors);
}

/// Says that it is an echo, and answers the first request with `text` as it is; then waits to be ended.
void answer_raw(const std::string& text, int descriptor) {
  send_raw(to_json(*EchoProgram().load()));
  pollfd watched = {kWorkerSocket, POLLIN, 0};
  ::poll(&watched, 1, -1);
  net::LocalMessage asked;
  if (net::receive_locally(kWorkerSocket, &asked).ok()) {
    send_raw(text, descriptor);
    hang();
  }
}

int worker_main(const std::string& kind) {
  const bool is_marked = kind.starts_with("unless:") && ::access(kind.substr(7).c_str(), F_OK) == 0;
  if (kind == "fails" || is_marked) {
    fmt::print("cannot read the weights\n");
    std::fflush(stdout);
    return 4;
  }
  if (kind == "stuck") {
    hang();
  }
  if (kind == "unsealed") {
    const int memory = ::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    (void)::ftruncate(memory, 4096);
    answer_raw(R"({"kind":"answer","number":1,"slab":1,"slab_bytes":4096})", memory);
  }
  if (kind.starts_with("raw:")) {
    answer_raw(kind.substr(4), -1);
  }
  EchoProgram program;
  return serve_worker(program);
}

TEST(ProcessModel, WorkerProcess) {
  const char* const kind = std::getenv(kTestWorker);
  if (kind == nullptr) {
    GTEST_SKIP() << "started by the other tests";
  }
  ::_exit(worker_main(kind));
}

// --- the tests ---

TEST(ProcessModel, AnswersWithWhatTheProcessComputes) {
  const auto model = start_echo();
  EXPECT_EQ(model->metadata().platform, "echo");
  EXPECT_EQ(model->metadata().name, "m");
  EXPECT_EQ(model->metadata().outputs.size(), 3);
  InferRequest request = echo_request({1.5F, -2});
  const std::vector<std::string> words = {"", std::string("\0a", 2), "longer"};
  request.inputs.push_back(bytes_tensor("words", words).value());
  const Result<InferResponse> response = ask_model(*model, std::move(request));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->id, "7");
  EXPECT_EQ(response->version, "1");
  ASSERT_EQ(response->outputs.size(), 3);
  EXPECT_EQ(values_held<float>(response->outputs[0]), (std::vector<float>{1.5F, -2}));
  EXPECT_EQ(texts_held(response->outputs[1]), words);
  EXPECT_GT(response->timing.input_ns, 0);
  EXPECT_GT(response->timing.compute_ns, 0);
  EXPECT_GT(response->timing.output_ns, 0);
}

TEST(ProcessModel, EmptyTensorsAreAnswered) {
  const auto model = start_echo();
  InferRequest request;
  request.inputs.push_back(tensor_holding<float>("x", Datatype::kFp32, {0}, {}));
  request.outputs.push_back({.name = "y"});
  const Result<InferResponse> response = ask_model(*model, std::move(request));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->outputs[0].shape, std::vector<int64_t>{0});
}

TEST(ProcessModel, OutputsThatAreHeldDoNotChange) {
  ProcessModelOptions options = echo_options();
  options.most_shared_bytes = 64 << 10;  // far less than what is held below
  const auto model = start_echo(std::move(options));
  std::vector<InferResponse> held;
  constexpr int kHeld = 40;
  for (int i = 0; i < kHeld; ++i) {
    Result<InferResponse> response =
        ask_model(*model, echo_request(std::vector<float>(1000 + 50 * (i % 7), i)));
    ASSERT_TRUE(response.ok()) << i << response.status();
    held.push_back(*std::move(response));
  }
  for (int i = 0; i < kHeld; ++i) {
    EXPECT_EQ(values_held<float>(held[i].outputs[0]), std::vector<float>(1000 + 50 * (i % 7), i));
  }
  held.clear();
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, InputsBeyondTheLimitAreRefused) {
  ProcessModelOptions options = echo_options();
  options.most_shared_bytes = 64 << 10;
  const auto model = start_echo(std::move(options));
  const Status status = ask_model(*model, echo_request(std::vector<float>(20'000))).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  InferRequest chatty = echo_request({1});
  chatty.parameters["text"] = std::string(net::kMaxLocalBytes, 'x');
  EXPECT_EQ(ask_model(*model, std::move(chatty)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, AnErrorOfTheModelIsTheRequests) {
  const auto model = start_echo();
  const Status status = ask_model(*model, echo_order("fail")).status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(message(status), "model 'm': no such class");
  InferRequest request = echo_request({1});
  request.outputs.push_back({.name = "words"});
  EXPECT_THAT(error_told(ask_model(*model, std::move(request)).status()), HasSubstr("no output 'words'"));
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, ParametersThatAreNoFiniteNumbersAreRefused) {
  const auto model = start_echo();
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    InferRequest request = echo_request({1});
    request.parameters["scale"] = number;
    const Status status = ask_model(*model, std::move(request)).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(error_told(status), HasSubstr("parameter 'scale'"));
  }
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, WhatIsTooLongForAMessageIsAnErrorOfTheRequest) {
  const auto model = start_echo();
  EXPECT_EQ(ask_model(*model, echo_order("shout")).status().code(), StatusCode::kOutOfRange);
  for (int i = 0; i < 2; ++i) {
    const Status status = ask_model(*model, echo_order("many")).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(error_told(status), HasSubstr("names and shapes of the outputs take"));
  }
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, OutputsBeyondTheLimitAreAnErrorOfTheRequest) {
  ProcessModelOptions options = echo_options();
  options.most_shared_bytes = 8 << 10;
  const auto model = start_echo(std::move(options));
  for (int i = 0; i < 2; ++i) {
    const Status status = ask_model(*model, echo_request(std::vector<float>(2048))).status();  // and the pid
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
    EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  }
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, RequestsThatWaitHaveTheirDeadline) {
  ProcessModelOptions options = echo_options();
  options.queue.most_requests = 1;
  const auto model = start_echo(std::move(options));
  InferFuture hanging = begin_asking(*model, echo_order("hang"));
  Status late;
  do {  // until the process has taken the first
    InferRequest request = echo_request({1});
    request.deadline_ns = steady_clock().now_ns() - 1;
    late = ask_model(*model, std::move(request)).status();
  } while (absl::IsResourceExhausted(late));
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded);
  InferRequest waits = echo_request({1});
  waits.deadline_ns = soon_ns();
  EXPECT_EQ(ask_model(*model, std::move(waits)).status().code(), StatusCode::kDeadlineExceeded);
  InferFuture waiting = begin_asking(*model, echo_request({1}));
  EXPECT_EQ(ask_model(*model, echo_request({1})).status().code(), StatusCode::kResourceExhausted);
  model->close(0);
  EXPECT_THAT(error_told(awaited(std::move(hanging)).status()), HasSubstr("is being unloaded"));
  EXPECT_EQ(awaited(std::move(waiting)).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(ask_model(*model, echo_request({1})).status().code(), StatusCode::kUnavailable);
  model->close(0);
}

TEST(ProcessModel, ClosingWaitsForWhatIsUnderWay) {
  const auto model = start_echo();
  std::vector<InferFuture> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(begin_asking(*model, echo_request({static_cast<float>(i)})));
  }
  model->close(steady_clock().now_ns() + 60 * kSecond);
  for (InferFuture& future : all) {
    EXPECT_TRUE(awaited(std::move(future)).ok());
  }
}

TEST(ProcessModel, OneProcessHangsAndAnotherAnswers) {
  ProcessModelOptions options = echo_options();
  options.instances = 2;
  const auto model = start_echo(std::move(options));
  InferFuture hanging = begin_asking(*model, echo_order("hang"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  }
  EXPECT_FALSE(ask_model(*model, echo_order("exit")).ok());
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  model->close(0);
  EXPECT_FALSE(awaited(std::move(hanging)).ok());
}

}  // namespace
}  // namespace forebay::serving
