// Runs end with what they wrote, with their error, in time, or when nobody waits for them.
#include "forebay/serving/pipelines/python_run.h"

#include <gmock/gmock.h>

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

// Another interpreter that takes `-c TEXT FILE`; FILE is $0 there.
PythonRunOptions shell_options() {
  return {.python = "/bin/sh"};
}

TEST(PythonRun, GivesWhatIsInTheFile) {
  const Result<std::string> content = run_python({"-c", "echo said; echo saved > $0"}, "m", shell_options());
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(*content, "saved\n");
}

TEST(PythonRun, AnErrorHasTheLastLines) {
  const Status failed = run_python({"-c", "echo why; exit 3"}, "m.py", shell_options()).status();
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(failed)), HasSubstr("m.py"));
  EXPECT_THAT(std::string(message(failed)), HasSubstr("why"));
}

TEST(PythonRun, ARunThatExitsEarlyIsNamedAsOne) {
  const Status early = run_python({"-c", "echo bye; exit 0"}, "m.py", shell_options()).status();
  EXPECT_EQ(early.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(early)), ::testing::StartsWith("m.py: /bin/sh exited with code 0"));
  EXPECT_THAT(std::string(message(early)), HasSubstr("os._exit()"));
  EXPECT_THAT(std::string(message(early)), HasSubstr("bye"));
}

TEST(PythonRun, EndsWithItsPatience) {
  PythonRunOptions options = shell_options();
  options.patience_ns = kMillisecond;
  EXPECT_EQ(run_python({"-c", "exec sleep 100"}, "m.py", options).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST(PythonRun, EndsWhereNobodyWaits) {
  std::stop_source stop;
  stop.request_stop();
  PythonRunOptions options = shell_options();
  options.stop = stop.get_token();
  EXPECT_EQ(run_python({"-c", "exec sleep 100"}, "m.py", options).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace forebay::serving
