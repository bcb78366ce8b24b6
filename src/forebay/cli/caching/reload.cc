#include "forebay/cli/caching/reload.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "forebay/base/system_error.h"
#include "forebay/cli/command/this_program.h"

namespace forebay::cli {
namespace {

constexpr const char* kReloaded = "--reloaded";
std::atomic<bool> is_wanted{false};

void on_reload(int) {
  is_wanted.store(true);
}

}  // namespace

ReloadSignal::ReloadSignal() {
  struct sigaction action {};
  action.sa_handler = &on_reload;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR2, &action, nullptr);
}

ReloadSignal::~ReloadSignal() {
  ::signal(SIGUSR2, SIG_IGN);
}

bool ReloadSignal::take() {
  return is_wanted.exchange(false);
}

ProgramStart ProgramStart::of_process() {
  std::error_code error;
  return {.program = this_program(), .folder = std::filesystem::current_path(error).string()};
}

Status run_again(const ProgramStart& start) {
  std::vector<std::string> words = words_of_process();
  words.resize(std::max<size_t>(words.size(), 1));
  words[0] = start.program;
  if (std::ranges::find(words, kReloaded) == words.end()) {
    words.emplace_back(kReloaded);
  }
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  if (::chdir(start.folder.c_str()) != 0) {  // its words may name files from there
    return errno_status(errno, start.folder);
  }
  std::fflush(nullptr);
  ::execv(start.program.c_str(), pointers.data());
  return errno_status(errno, start.program);
}

}  // namespace forebay::cli
