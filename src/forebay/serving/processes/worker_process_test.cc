// Processes of models as the system sees them: their signals, their children, their end. They are those of
// process_model_test.cc.
#include "forebay/serving/processes/worker_process.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/net/local/local_socket.h"
#include "forebay/serving/processes/process_test_base.h"
#include "forebay/serving/processes/worker_message.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

constexpr int kWorkerPatienceMs = 30'000;

bool becomes_readable(int descriptor) {
  pollfd watched = {descriptor, POLLIN, 0};
  return ::poll(&watched, 1, kWorkerPatienceMs) == 1;
}

pid_t pid_answered(Model& model, const std::string& order) {
  const Result<InferResponse> response = ask_model(model, echo_order(order));
  return response.ok() ? values_held<int32_t>(response->outputs[1]).front() : -1;
}

Result<WorkerMessage> next_said(WorkerProcess& worker) {
  net::LocalMessage said;
  if (!becomes_readable(worker.socket())) {
    return internal_error("the worker says nothing");
  }
  FOREBAY_RETURN_IF_ERROR(net::receive_locally(worker.socket(), &said).status());
  return parse_worker_message({reinterpret_cast<const char*>(said.bytes.data()), said.bytes.size()});
}

TEST(WorkerProcess, ARequestThatMakesNoSenseIsAnsweredAndTheNextOneToo) {
  WorkerProcess worker = WorkerProcess::start(worker_in(kEchoWorkerTest, "echo"), "m", 0).value();
  ASSERT_TRUE(next_said(worker).ok());
  const std::string rest = R"(,"id":"","outputs":[],"freed":[])";
  for (const std::string& wrong :
       {std::string(R"("inputs":[],"parameters":{"scale":null})"),
        std::string(R"("inputs":[{"name":"x","datatype":"FP32","shape":[1],"offset":0,"size":4}])")}) {
    const std::string request = R"({"number":1,)" + wrong + rest + "}";
    ASSERT_TRUE(net::send_locally(worker.socket(), std::as_bytes(std::span(request))).value());
    const Result<WorkerMessage> said = next_said(worker);
    ASSERT_TRUE(said.ok()) << said.status();
    EXPECT_EQ(std::get<AnswerMessage>(*said).status.code(), StatusCode::kInvalidArgument) << wrong;
  }
  worker.say_goodbye();
  EXPECT_TRUE(worker.ends_within(kWorkerPatienceMs * kMillisecond));
  EXPECT_THAT(worker.obituary(), HasSubstr("exit code 0"));
}

TEST(WorkerProcess, SignalsToStopAreForTheServer) {
  const auto model = start_echo();
  const pid_t worker = pid_answered(*model, "");
  for (const int number : {SIGTERM, SIGINT}) {
    ASSERT_EQ(::kill(-worker, number), 0);
    EXPECT_EQ(pid_answered(*model, ""), worker);
  }
  EXPECT_EQ(model->failure_count(), 0);
}

TEST(WorkerProcess, WhatItHasStartedEndsWithIt) {
  for (const std::string end : {"crash", "exit", "close"}) {
    const auto model = start_echo();
    const FileDescriptor child(static_cast<int>(::syscall(SYS_pidfd_open, pid_answered(*model, "child"), 0)));
    ASSERT_TRUE(child.is_valid());
    if (end == "close") {
      model->close(0);
    } else {
      EXPECT_FALSE(ask_model(*model, echo_order(end)).ok());
    }
    EXPECT_TRUE(becomes_readable(child.get())) << end;
  }
}

/// From now on pidfd_open(2) fails in this process.
bool refuse_pidfds() {
  std::array<sock_filter, 4> steps = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {steps.size(), steps.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(WorkerProcess, OneThatCannotBeWatchedIsCollected) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  constexpr int kNoFilter = 2;
  const pid_t tester = ::fork();
  if (tester == 0) {
    if (!refuse_pidfds()) {
      ::_exit(kNoFilter);
    }
    const bool is_error = !WorkerProcess::start({.words = {"sleep", "60"}, .environment = {}}, "m", 0).ok();
    const bool is_childless = ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
    ::_exit(is_error && is_childless ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(wait_for_child(tester, &status), tester);
  if (WEXITSTATUS(status) == kNoFilter) {
    GTEST_SKIP() << "this system takes no seccomp filter";
  }
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace forebay::serving
