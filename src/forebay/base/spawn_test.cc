// What a program begins with: descriptors, signals, its environment.
#include "forebay/base/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay {
namespace {

class SpawnTest : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;

  /// What a program wrote.
  std::string output_of(Spawn& spawn, const Words& words,
                        const std::optional<Words>& environment = std::nullopt) {
    const std::string path = directory_ / "said";
    spawn.open(STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const Result<pid_t> child = spawn.run(words.front(), words, environment);
    EXPECT_TRUE(child.ok()) << child.status();
    EXPECT_EQ(::waitpid(child.value_or(-1), nullptr, 0), child.value_or(0));
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string said(Spawn& spawn, const std::string& text,
                   const std::optional<Words>& environment = std::nullopt) {
    return output_of(spawn, {"sh", "-c", text}, environment);
  }

  struct SignalSets {
    uint64_t blocked = 0;
    uint64_t ignored = 0;
  };
  static uint64_t bit_of(int signal) { return uint64_t{1} << (signal - 1); }
  /// Without those of real time, two of which belong to the C library. No shell: it would change them.
  SignalSets signals_of(Spawn& spawn) {
    constexpr uint64_t kStandard = (uint64_t{1} << 31) - 1;
    const std::string status = output_of(spawn, {"cat", "/proc/self/status"});
    const auto set = [&status](const std::string& name) {
      const size_t at = status.find(name);
      return at == std::string::npos ? ~uint64_t{0}
                                     : std::stoull(status.substr(at + name.size()), nullptr, 16);
    };
    return {set("SigBlk:") & kStandard, set("SigIgn:") & kStandard};
  }

  const TemporaryDirectory directory_;
};

TEST_F(SpawnTest, DescriptorsAreGiven) {
  std::ofstream(directory_ / "first") << "one";
  std::ofstream(directory_ / "second") << "two";
  const FileDescriptor first(::open((directory_ / "first").c_str(), O_RDONLY));  // inherited by others
  const FileDescriptor second(::open((directory_ / "second").c_str(), O_RDONLY));
  Spawn spawn;
  // Each as the number that the other has here.
  ASSERT_TRUE(spawn.give(first.get(), second.get()).ok());
  ASSERT_TRUE(spawn.give(second.get(), first.get()).ok());
  EXPECT_EQ(said(spawn, fmt::format("cat <&{}; cat <&{}", second.get(), first.get())), "onetwo");
}

TEST_F(SpawnTest, NoOthersAreGivenBetweenThemNorBehind) {
  const FileDescriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  // Inherited by others.
  const FileDescriptor between(::fcntl(file.get(), F_DUPFD, 40));
  const FileDescriptor behind(::fcntl(file.get(), F_DUPFD, between.get() + 10));
  const int first = between.get() - 1;
  const int second = between.get() + 1;
  Spawn spawn;
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  ASSERT_TRUE(spawn.give(file.get(), first).ok());
  ASSERT_TRUE(spawn.give(file.get(), second).ok());
  std::istringstream listed(output_of(spawn, {"ls", "/proc/self/fd"}));
  const std::set<int> given(std::istream_iterator<int>(listed), {});
  // 3 is that by which it lists them: the lowest that is free.
  EXPECT_EQ(given, (std::set<int>{0, 1, 2, 3, first, second}));
}

TEST_F(SpawnTest, HighNumbersAreGivenAsWell) {
  std::ofstream(directory_ / "first") << "one";
  std::ofstream(directory_ / "second") << "two";
  const FileDescriptor first(::open((directory_ / "first").c_str(), O_RDONLY | O_CLOEXEC));
  const FileDescriptor second(::open((directory_ / "second").c_str(), O_RDONLY | O_CLOEXEC));
  for (int number = 63; number < 68; ++number) {
    for (const int other : {number - 1, number + 1}) {
      Spawn spawn;
      ASSERT_TRUE(spawn.give(first.get(), number).ok());
      ASSERT_TRUE(spawn.give(second.get(), other).ok());
      const auto path = [](int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); };
      EXPECT_EQ(output_of(spawn, {"cat", path(number), path(other)}), "onetwo") << number << " " << other;
    }
  }
}

TEST_F(SpawnTest, FewNumbersAreEnough) {
  const FileDescriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const FileDescriptor next(::dup(file.get()));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next.get() + 8);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  Spawn spawn;
  const Status given = spawn.give(file.get(), 3);
  const std::string answer = said(spawn, "echo here");
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(given.ok()) << given;
  EXPECT_EQ(answer, "here\n");
}

TEST_F(SpawnTest, DescriptorsThatCannotBeGivenAreErrors) {
  Spawn spawn;
  spawn.open(-1, "/dev/null", O_RDONLY);
  EXPECT_EQ(spawn.run("true", {"true"}).status().code(), StatusCode::kInvalidArgument);
  Spawn too_high;
  ASSERT_TRUE(too_high.give(STDERR_FILENO, (1 << 30) - 1).ok());
  EXPECT_FALSE(too_high.run("true", {"true"}).ok());
  Spawn absent;
  absent.open(STDIN_FILENO, "/none/such", O_RDONLY);
  EXPECT_EQ(absent.run("true", {"true"}).status().code(), StatusCode::kNotFound);
}

TEST_F(SpawnTest, SignalsAreAsIfNothingHadHappened) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler = ::signal(SIGUSR2, SIG_IGN);
  Spawn clean;
  const SignalSets none = signals_of(clean);
  Spawn blocking;
  blocking.block(blocked);
  const SignalSets kept = signals_of(blocking);
  ::signal(SIGUSR2, handler);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(none.blocked, 0U);
  EXPECT_EQ(none.ignored, 0U);
  EXPECT_EQ(kept.blocked, bit_of(SIGUSR1));
  EXPECT_EQ(kept.ignored & bit_of(SIGUSR2), bit_of(SIGUSR2));
}

TEST_F(SpawnTest, TheEnvironmentIsOursOrWhatIsGiven) {
  Spawn own;
  EXPECT_EQ(said(own, "echo $FOREBAY_SPAWN $HOME", std::vector<std::string>{"FOREBAY_SPAWN=x"}), "x\n");
  Spawn ours;
  EXPECT_EQ(said(ours, "echo $PATH"), std::string(::getenv("PATH")) + "\n");
}

TEST_F(SpawnTest, ErrorsNameTheProgram) {
  Spawn spawn;
  const Status missing = spawn.run("/none/such", {"such"}).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(std::string(message(missing)).find("/none/such"), std::string::npos);
}

}  // namespace
}  // namespace forebay
