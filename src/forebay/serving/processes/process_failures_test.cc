// What becomes of models whose processes crash, hang, or say what makes no sense. The processes are those of
// process_model_test.cc.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/serving/processes/process_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ProcessFailures, ACrashIsAnErrorAndTheProcessStartsAgain) {
  const auto model = start_echo();
  const Status crashed = ask_model(*model, echo_order("crash")).status();
  EXPECT_EQ(crashed.code(), StatusCode::kUnavailable);
  EXPECT_THAT(error_told(crashed),
              AllOf(HasSubstr("model 'm'"), HasSubstr("signal 11"), HasSubstr("the last line")));
  EXPECT_THAT(error_told(ask_model(*model, echo_order("exit")).status()), HasSubstr("exit code 3"));
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  EXPECT_EQ(model->failure_count(), 2);
  EXPECT_TRUE(model->status().ok());
}

TEST(ProcessFailures, AProcessThatHangsIsKilledAfterTheDeadline) {
  const auto model = start_echo();
  InferRequest request = echo_order("hang");
  request.deadline_ns = soon_ns();
  EXPECT_EQ(ask_model(*model, std::move(request)).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  EXPECT_EQ(model->failure_count(), 1);
}

TEST(ProcessFailures, ARunThatTakesTooLongIsKilledWithoutADeadline) {
  ProcessModelOptions options = echo_options();
  EXPECT_EQ(options.longest_run_ns, 600 * kSecond);
  options.longest_run_ns = 20 * kMillisecond;
  const auto model = start_echo(std::move(options));
  const Status status = ask_model(*model, echo_order("hang")).status();
  EXPECT_THAT(error_told(status), HasSubstr("it was killed, as it did not answer"));
}

TEST(ProcessFailures, WhatIsNoAnswerEndsTheProcess) {
  const std::string outside = R"({"kind":"answer","number":1,"outputs":)"
                              R"([{"name":"y","datatype":"FP32","shape":[1],"offset":0,"size":4}]})";
  for (const std::string& said :
       {std::string("garbage"), std::string(R"({"kind":"answer","number":2})"),
        std::string(R"({"kind":"answer","number":1,"slab":9})"),
        std::string(R"({"kind":"answer","number":1,"dropped":[9]})"),
        std::string(R"({"kind":"answer","number":1,"slab":1,"slab_bytes":4096})"), outside,
        std::string(R"({"kind":"failed","code":"INTERNAL","message":"odd"})")}) {
    ProcessModelOptions options = echo_options("raw:" + said);
    options.most_failures = 1;
    options.first_pause_ns = options.longest_pause_ns = 60 * kSecond;
    const auto model = start_echo(std::move(options));
    const Status status = ask_model(*model, echo_request({1})).status();
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << said << status;
    EXPECT_THAT(error_told(ask_model(*model, echo_request({1})).status()),
                HasSubstr("has failed 1 time in a row"));
    EXPECT_EQ(model->failure_count(), 1) << said;
  }
  ProcessModelOptions options = echo_options("unsealed");
  options.most_failures = 1;
  EXPECT_THAT(error_told(ask_model(*start_echo(std::move(options)), echo_request({1})).status()),
              HasSubstr("sealed"));
}

TEST(ProcessFailures, OutputsThatWereNotDeclaredAreErrors) {
  const std::string other = R"({"kind":"answer","number":1,"outputs":)"
                            R"([{"name":"y","datatype":"INT8","shape":[0],"offset":0,"size":0}]})";
  const auto model = start_echo(echo_options("raw:" + other));
  const Status status = ask_model(*model, echo_request({1})).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(error_told(status), HasSubstr("output 'y' is INT8 of shape [0]; it is declared FP32"));
}

TEST(ProcessFailures, AModelThatCannotBeLoadedSaysWhy) {
  EXPECT_THAT(error_told(ProcessModel::start(echo_options("fails")).status()),
              AllOf(HasSubstr("model 'm'"), HasSubstr("exit code 4"), HasSubstr("cannot read the weights")));
  ProcessModelOptions slow = echo_options("stuck");
  slow.start_patience_ns = 50 * kMillisecond;
  EXPECT_EQ(ProcessModel::start(std::move(slow)).status().code(), StatusCode::kDeadlineExceeded);
  ProcessModelOptions none = echo_options();
  none.command.words = {"/no/such/program"};
  EXPECT_EQ(ProcessModel::start(std::move(none)).status().code(), StatusCode::kNotFound);
}

TEST(ProcessFailures, TheProcessMayAllocateNoMoreThanItsLimit) {
  if (kIsSanitized) {
    GTEST_SKIP() << "sanitizers reserve memory of their own";
  }
  ProcessModelOptions options = echo_options();
  options.memory_limit_bytes = size_t{512} << 20;
  const auto model = start_echo(std::move(options));
  EXPECT_EQ(ask_model(*model, echo_order("allocate")).status().code(), StatusCode::kResourceExhausted);
}

TEST(ProcessFailures, AForkedChildCanUseNothingAndHangsNowhere) {
  auto model = start_echo();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_refused = absl::IsUnavailable(ask_model(*model, echo_request({1})).status());
    model->close(kNoDeadlineNs);
    model.reset();
    ::_exit(is_refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
}

TEST(ProcessFailures, TheProcessEndsWithItsParent) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto model = start_echo();
    const int32_t pid = values_held<int32_t>(ask_model(*model, echo_request({1})).value().outputs[1]).front();
    (void)!::write(pipe[1], &pid, sizeof(pid));
    for (;;) {
      ::pause();
    }
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
