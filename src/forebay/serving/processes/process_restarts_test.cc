// That a model whose processes fail is started again for ever, and what requests are told meanwhile. The
// processes are those of process_model_test.cc.
#include <filesystem>
#include <fstream>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/serving/processes/process_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kRestartPatienceNs = 60 * kSecond;

ProcessModelOptions options_without_restarts() {
  ProcessModelOptions options = echo_options();
  options.most_failures = 1;
  options.first_pause_ns = options.longest_pause_ns = kRestartPatienceNs;
  return options;
}

bool recovers(Model& model) {
  const int64_t until_ns = steady_clock().now_ns() + kRestartPatienceNs;
  while (steady_clock().now_ns() < until_ns) {
    if (ask_model(model, echo_request({1})).ok()) {
      return true;
    }
  }
  return false;
}

TEST(ProcessRestarts, AModelThatCannotBeLoadedAnyMoreRefusesUntilItCan) {
  const TemporaryDirectory folder;
  const std::string mark = folder / "broken";
  ProcessModelOptions options = echo_options("unless:" + mark);
  options.most_failures = 3;
  const auto model = start_echo(std::move(options));
  std::ofstream(mark) << "";
  EXPECT_FALSE(ask_model(*model, echo_order("exit")).ok());
  const Status refused = ask_model(*model, echo_request({1})).status();  // it waits for the third failure
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_THAT(error_told(refused),
              AllOf(HasSubstr("times in a row and is being started again"), HasSubstr("read the weights")));
  EXPECT_EQ(static_cast<Model&>(*model).status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(error_told(ask_model(*model, echo_request({1})).status()), HasSubstr("read the weights"));
  std::filesystem::remove(mark);
  EXPECT_TRUE(recovers(*model));
  EXPECT_TRUE(model->status().ok()) << model->status();
}

TEST(ProcessRestarts, ProcessesThatAreWellGoOn) {
  ProcessModelOptions options = options_without_restarts();
  options.instances = 2;
  const auto model = start_echo(std::move(options));
  EXPECT_FALSE(ask_model(*model, echo_order("exit")).ok());
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  EXPECT_TRUE(model->status().ok());
  EXPECT_FALSE(ask_model(*model, echo_order("exit")).ok());
  EXPECT_THAT(error_told(ask_model(*model, echo_request({1})).status()),
              AllOf(HasSubstr("has failed 1 time in a row"), HasSubstr("exit code 3")));
  EXPECT_FALSE(model->status().ok());
  model->close(0);
  EXPECT_THAT(error_told(model->status()), HasSubstr("is being unloaded"));
}

TEST(ProcessRestarts, AnAnswerEndsARowOfFailures) {
  ProcessModelOptions options = echo_options();
  options.most_failures = 2;
  const auto model = start_echo(std::move(options));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ask_model(*model, echo_order("exit")).ok());
    EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
  }
}

TEST(ProcessRestarts, ALongLifeEndsARowOfFailures) {
  ProcessModelOptions options = echo_options();
  options.most_failures = 2;
  options.steady_after_ns = 0;
  const auto model = start_echo(std::move(options));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(error_told(ask_model(*model, echo_order("exit")).status()), HasSubstr("exit code 3"));
  }
  EXPECT_TRUE(ask_model(*model, echo_request({1})).ok());
}

}  // namespace
}  // namespace forebay::serving
