// Uses real processes: this program starts itself again as the worker of the model.
#include "forebay/serving/processes/process_model.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "forebay/base/clock.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/net/local/local_socket.h"
#include "forebay/serving/processes/process_test_base.h"
#include "forebay/serving/processes/worker_side.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kWorkerTest = "ProcessModel.WorkerProcess";
constexpr size_t kMuchMemory = size_t{1} << 30;

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
    FOREBAY_RETURN_IF_ERROR(
        obey(found == request.parameters.end() ? "" : std::get<std::string>(found->second)));
    std::vector<NamedTensor> outputs = std::move(request.inputs);
    for (NamedTensor& output : outputs) {
      output.name = output.name == "x" ? "y" : output.name;
    }
    outputs.push_back(tensor_with<int32_t>("pid", Datatype::kInt32, {1}, {::getpid()}));
    return outputs;
  }

 private:
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
  if (kind == "fails") {
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

ProcessModelOptions options_for(const std::string& kind = "echo") {
  ProcessModelOptions options;
  options.name = "m";
  options.version = "1";
  options.command = worker_in(kWorkerTest, kind);
  options.first_pause_ns = kMillisecond;
  options.longest_pause_ns = kMillisecond;
  options.kill_after_ns = 10 * kMillisecond;
  options.end_patience_ns = kind == "echo" ? kSecond : 0;
  return options;
}

std::unique_ptr<ProcessModel> start_echo(ProcessModelOptions options = options_for()) {
  Result<std::unique_ptr<ProcessModel>> model = ProcessModel::start(std::move(options));
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

InferRequest request_of(std::vector<float> values, const std::string& what = "") {
  InferRequest request;
  request.model = "m";
  request.id = "7";
  const auto count = static_cast<int64_t>(values.size());
  request.inputs.push_back(tensor_with("x", Datatype::kFp32, {count}, values));
  if (!what.empty()) {
    request.parameters["do"] = what;
  }
  return request;
}

InferRequest request_to(const std::string& what) {
  return request_of({1}, what);
}

int64_t soon_ns() {
  return steady_clock().now_ns() + 20 * kMillisecond;
}

TEST(ProcessModel, AnswersWithWhatTheProcessComputes) {
  const auto model = start_echo();
  EXPECT_EQ(model->metadata().platform, "echo");
  EXPECT_EQ(model->metadata().name, "m");
  EXPECT_EQ(model->metadata().outputs.size(), 3);
  InferRequest request = request_of({1.5F, -2});
  const std::vector<std::string> words = {"", std::string("\0a", 2), "longer"};
  request.inputs.push_back(bytes_tensor("words", words).value());
  const Result<InferResponse> response = infer(*model, std::move(request));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->id, "7");
  EXPECT_EQ(response->version, "1");
  ASSERT_EQ(response->outputs.size(), 3);
  EXPECT_EQ(values_in<float>(response->outputs[0]), (std::vector<float>{1.5F, -2}));
  EXPECT_EQ(texts_in(response->outputs[1]), words);
  EXPECT_GT(response->timing.input_ns, 0);
  EXPECT_GT(response->timing.compute_ns, 0);
  EXPECT_GT(response->timing.output_ns, 0);
}

TEST(ProcessModel, EmptyTensorsAreAnswered) {
  const auto model = start_echo();
  InferRequest request;
  request.inputs.push_back(tensor_with<float>("x", Datatype::kFp32, {0}, {}));
  request.outputs.push_back({.name = "y"});
  const Result<InferResponse> response = infer(*model, std::move(request));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->outputs[0].shape, std::vector<int64_t>{0});
}

TEST(ProcessModel, OutputsThatAreHeldDoNotChange) {
  ProcessModelOptions options = options_for();
  options.most_shared_bytes = 64 << 10;  // far less than what is held below
  const auto model = start_echo(std::move(options));
  std::vector<InferResponse> held;
  constexpr int kHeld = 40;
  for (int i = 0; i < kHeld; ++i) {
    Result<InferResponse> response = infer(*model, request_of(std::vector<float>(1000 + 50 * (i % 7), i)));
    ASSERT_TRUE(response.ok()) << i << response.status();
    held.push_back(*std::move(response));
  }
  for (int i = 0; i < kHeld; ++i) {
    EXPECT_EQ(values_in<float>(held[i].outputs[0]), std::vector<float>(1000 + 50 * (i % 7), i));
  }
  held.clear();
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, InputsBeyondTheLimitAreRefused) {
  ProcessModelOptions options = options_for();
  options.most_shared_bytes = 64 << 10;
  const auto model = start_echo(std::move(options));
  const Status status = infer(*model, request_of(std::vector<float>(20'000))).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  InferRequest chatty = request_of({1});
  chatty.parameters["text"] = std::string(net::kMostLocalBytes, 'x');
  EXPECT_EQ(infer(*model, std::move(chatty)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(infer(*model, request_of({1})).ok());
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, AnErrorOfTheModelIsTheRequests) {
  const auto model = start_echo();
  const Status status = infer(*model, request_to("fail")).status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(message(status), "model 'm': no such class");
  InferRequest request = request_of({1});
  request.outputs.push_back({.name = "words"});
  EXPECT_THAT(error_text(infer(*model, std::move(request)).status()), HasSubstr("no output 'words'"));
  EXPECT_TRUE(infer(*model, request_of({1})).ok());
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(ProcessModel, ACrashIsAnErrorAndTheProcessStartsAgain) {
  const auto model = start_echo();
  const Status crashed = infer(*model, request_to("crash")).status();
  EXPECT_EQ(crashed.code(), StatusCode::kUnavailable);
  EXPECT_THAT(error_text(crashed),
              AllOf(HasSubstr("model 'm'"), HasSubstr("signal 11"), HasSubstr("the last line")));
  EXPECT_THAT(error_text(infer(*model, request_to("exit")).status()), HasSubstr("exit code 3"));
  EXPECT_TRUE(infer(*model, request_of({1})).ok());
  EXPECT_EQ(model->failure_count(), 2);
  EXPECT_TRUE(model->status().ok());
}

TEST(ProcessModel, AfterManyFailuresTheModelIsGivenUp) {
  ProcessModelOptions options = options_for();
  options.most_failures = 2;
  const auto model = start_echo(std::move(options));
  EXPECT_FALSE(infer(*model, request_to("exit")).ok());
  EXPECT_TRUE(infer(*model, request_of({1})).ok());  // which begins the count anew
  EXPECT_FALSE(infer(*model, request_to("exit")).ok());
  EXPECT_FALSE(infer(*model, request_to("exit")).ok());
  const Status after = infer(*model, request_of({1})).status();
  EXPECT_EQ(after.code(), StatusCode::kUnavailable);
  EXPECT_THAT(error_text(after), AllOf(HasSubstr("2 failures"), HasSubstr("exit code 3")));
  EXPECT_FALSE(model->status().ok());
}

TEST(ProcessModel, AProcessThatHangsIsKilledAfterTheDeadline) {
  const auto model = start_echo();
  InferRequest request = request_to("hang");
  request.deadline_ns = soon_ns();
  EXPECT_EQ(infer(*model, std::move(request)).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(infer(*model, request_of({1})).ok());
  EXPECT_EQ(model->failure_count(), 1);
}

TEST(ProcessModel, ARunThatTakesTooLongIsKilledWithoutADeadline) {
  ProcessModelOptions options = options_for();
  options.longest_run_ns = 20 * kMillisecond;
  const auto model = start_echo(std::move(options));
  const Status status = infer(*model, request_to("hang")).status();
  EXPECT_THAT(error_text(status), HasSubstr("it was killed, as it did not answer"));
}

TEST(ProcessModel, RequestsThatWaitHaveTheirDeadline) {
  ProcessModelOptions options = options_for();
  options.queue.most_requests = 1;
  const auto model = start_echo(std::move(options));
  InferFuture hanging = begin_infer(*model, request_to("hang"));
  Status late;
  do {  // until the process has taken the first
    InferRequest request = request_of({1});
    request.deadline_ns = steady_clock().now_ns() - 1;
    late = infer(*model, std::move(request)).status();
  } while (absl::IsResourceExhausted(late));
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded);
  InferRequest waits = request_of({1});
  waits.deadline_ns = soon_ns();
  EXPECT_EQ(infer(*model, std::move(waits)).status().code(), StatusCode::kDeadlineExceeded);
  InferFuture waiting = begin_infer(*model, request_of({1}));
  EXPECT_EQ(infer(*model, request_of({1})).status().code(), StatusCode::kResourceExhausted);
  model->close(0);
  EXPECT_THAT(error_text(answer_of(std::move(hanging)).status()), HasSubstr("is being unloaded"));
  EXPECT_EQ(answer_of(std::move(waiting)).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(infer(*model, request_of({1})).status().code(), StatusCode::kUnavailable);
  model->close(0);
}

TEST(ProcessModel, ClosingWaitsForWhatIsUnderWay) {
  const auto model = start_echo();
  std::vector<InferFuture> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(begin_infer(*model, request_of({static_cast<float>(i)})));
  }
  model->close(steady_clock().now_ns() + 60 * kSecond);
  for (InferFuture& future : all) {
    EXPECT_TRUE(answer_of(std::move(future)).ok());
  }
}

TEST(ProcessModel, OneProcessHangsAndAnotherAnswers) {
  ProcessModelOptions options = options_for();
  options.instances = 2;
  const auto model = start_echo(std::move(options));
  InferFuture hanging = begin_infer(*model, request_to("hang"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(infer(*model, request_of({1})).ok());
  }
  EXPECT_FALSE(infer(*model, request_to("exit")).ok());
  EXPECT_TRUE(infer(*model, request_of({1})).ok());
  model->close(0);
  EXPECT_FALSE(answer_of(std::move(hanging)).ok());
}

TEST(ProcessModel, WhatIsNoAnswerEndsTheProcess) {
  const std::string outside = R"({"kind":"answer","number":1,"outputs":)"
                              R"([{"name":"y","datatype":"FP32","shape":[1],"offset":0,"size":4}]})";
  for (const std::string& said :
       {std::string("garbage"), std::string(R"({"kind":"answer","number":2})"),
        std::string(R"({"kind":"answer","number":1,"slab":9})"),
        std::string(R"({"kind":"answer","number":1,"dropped":[9]})"),
        std::string(R"({"kind":"answer","number":1,"slab":1,"slab_bytes":4096})"), outside,
        std::string(R"({"kind":"failed","code":"INTERNAL","message":"odd"})")}) {
    ProcessModelOptions options = options_for("raw:" + said);
    options.most_failures = 1;
    const auto model = start_echo(std::move(options));
    const Status status = infer(*model, request_of({1})).status();
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << said << status;
    EXPECT_THAT(error_text(infer(*model, request_of({1})).status()), HasSubstr("given up"));
    EXPECT_EQ(model->failure_count(), 1) << said;
  }
  ProcessModelOptions options = options_for("unsealed");
  options.most_failures = 1;
  EXPECT_THAT(error_text(infer(*start_echo(std::move(options)), request_of({1})).status()),
              HasSubstr("sealed"));
}

TEST(ProcessModel, OutputsThatWereNotDeclaredAreErrors) {
  const std::string other = R"({"kind":"answer","number":1,"outputs":)"
                            R"([{"name":"y","datatype":"INT8","shape":[0],"offset":0,"size":0}]})";
  const auto model = start_echo(options_for("raw:" + other));
  const Status status = infer(*model, request_of({1})).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(error_text(status), HasSubstr("output 'y' is INT8 of shape [0]; it is declared FP32"));
}

TEST(ProcessModel, AModelThatCannotBeLoadedSaysWhy) {
  EXPECT_THAT(error_text(ProcessModel::start(options_for("fails")).status()),
              AllOf(HasSubstr("model 'm'"), HasSubstr("exit code 4"), HasSubstr("cannot read the weights")));
  ProcessModelOptions slow = options_for("stuck");
  slow.start_patience_ns = 50 * kMillisecond;
  EXPECT_EQ(ProcessModel::start(std::move(slow)).status().code(), StatusCode::kDeadlineExceeded);
  ProcessModelOptions none = options_for();
  none.command.words = {"/no/such/program"};
  EXPECT_EQ(ProcessModel::start(std::move(none)).status().code(), StatusCode::kNotFound);
}

TEST(ProcessModel, TheProcessMayAllocateNoMoreThanItsLimit) {
  if (kIsSanitized) {
    GTEST_SKIP() << "sanitizers reserve memory of their own";
  }
  ProcessModelOptions options = options_for();
  options.memory_limit_bytes = kMuchMemory / 2;
  const auto model = start_echo(std::move(options));
  EXPECT_EQ(infer(*model, request_to("allocate")).status().code(), StatusCode::kResourceExhausted);
}

TEST(ProcessModel, AForkedChildCanUseNothingAndHangsNowhere) {
  auto model = start_echo();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_refused = absl::IsUnavailable(infer(*model, request_of({1})).status());
    model->close(kNoDeadlineNs);
    model.reset();
    ::_exit(is_refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(infer(*model, request_of({1})).ok());
}

TEST(ProcessModel, TheProcessEndsWithItsParent) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto model = start_echo();
    const int32_t pid = values_in<int32_t>(infer(*model, request_of({1})).value().outputs[1]).front();
    (void)!::write(pipe[1], &pid, sizeof(pid));
    hang();
  }
  ::close(pipe[1]);
  int32_t worker = 0;
  ASSERT_EQ(::read(pipe[0], &worker, sizeof(worker)), sizeof(worker));
  ::close(pipe[0]);
  const FileDescriptor watched(static_cast<int>(::syscall(SYS_pidfd_open, worker, 0)));
  ::kill(parent, SIGKILL);
  int status = 0;
  wait_for_child(parent, &status);
  pollfd ended = {watched.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 30'000), 1);
}

}  // namespace
}  // namespace forebay::serving
