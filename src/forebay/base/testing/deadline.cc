// Part of every test program: a test that takes longer than its deadline ends the program with failure, after
// its name and the stacks of all threads have been printed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "forebay/base/sanitizers.h"

namespace forebay {
namespace {

// What takes longer hangs; sanitizers slow code down. FOREBAY_TEST_SLOWNESS=2 doubles it on a slow machine.
constexpr double kDeadline_s = kIsSanitized ? 480 : 120;
/// The program's status after a deadline: tools/run_programs.py knows it.
constexpr int kExitCode = 124;
constexpr unsigned kTimeForStacks_s = 60;

double deadline_s() {
  if (const char* const given = std::getenv("FOREBAY_TEST_DEADLINE_S"); given != nullptr) {
    return std::atof(given);
  }
  const char* const slowness = std::getenv("FOREBAY_TEST_SLOWNESS");
  return kDeadline_s * (slowness == nullptr ? 1.0 : std::atof(slowness));
}

// Written before the timer is set, read by its handler.
std::array<char, 512> message;
std::array<char, 16> process;

void write_all(const char* text) {
  if (::write(STDOUT_FILENO, text, std::strlen(text)) < 0) {
    ::_exit(kExitCode);
  }
}

/// Runs elfutils' eu-stack on this process, which goes on meanwhile. Only calls that a signal handler may
/// make.
void print_stacks() {
  const pid_t printer = ::fork();
  if (printer == 0) {
    ::alarm(kTimeForStacks_s);
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    ::execlp("eu-stack", "eu-stack", "-p", process.data(), static_cast<char*>(nullptr));
    write_all("no stacks: eu-stack is missing (Debian: elfutils)\n");
    ::_exit(127);
  }
  if (printer > 0) {
    ::waitpid(printer, nullptr, 0);
  }
}

void on_deadline(int) {
  write_all(message.data());
  print_stacks();
  ::_exit(kExitCode);
}

class Deadline : public ::testing::EmptyTestEventListener {
 public:
  Deadline() {
    ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    struct sigaction action = {};
    action.sa_handler = on_deadline;
    ::sigaction(SIGRTMAX, &action, nullptr);
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMAX;
    is_set_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  }

  void OnTestStart(const ::testing::TestInfo& test) override {
    std::fflush(stdout);
    std::snprintf(message.data(), message.size(), "[ DEADLINE ] %s.%s took longer than %.0f s\n",
                  test.test_suite_name(), test.name(), deadline_s());
    std::snprintf(process.data(), process.size(), "%d", static_cast<int>(::getpid()));
    set_timer(deadline_s());
  }

  void OnTestEnd(const ::testing::TestInfo&) override { set_timer(0); }

 private:
  void set_timer(double seconds) {
    itimerspec when = {};
    when.it_value.tv_sec = static_cast<time_t>(seconds);
    when.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(when.it_value.tv_sec)) * 1e9);
    if (is_set_) {
      ::timer_settime(timer_, 0, &when, nullptr);
    }
  }

  timer_t timer_ = {};
  bool is_set_ = false;
};

[[maybe_unused]] const bool is_listening = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new Deadline());
  return true;
}();

}  // namespace
}  // namespace forebay
