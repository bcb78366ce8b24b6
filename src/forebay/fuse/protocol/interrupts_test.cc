#include "forebay/fuse/protocol/interrupts.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "fmt/format.h"

namespace forebay::fuse {
namespace {

bool asks(int own, int shared, int blocked = 0) {
  const auto bit = [](int signal) { return signal == 0 ? uint64_t{0} : uint64_t{1} << (signal - 1); };
  return asks_to_end(
      fmt::format("Name:\tpython\nSigQ:\t0/1\nSigPnd:\t{:016x}\nShdPnd:\t{:016x}\nSigBlk:\t{:016x}\n",
                  bit(own), bit(shared), bit(blocked)));
}

TEST(Interrupts, SomeSignalsAskAProgramToEnd) {
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGKILL}) {
    EXPECT_TRUE(asks(signal, 0)) << signal;
    EXPECT_TRUE(asks(0, signal)) << signal;
    EXPECT_FALSE(asks(0, signal, signal)) << signal;
  }
  for (const int signal : {0, SIGALRM, SIGUSR1, SIGCHLD, SIGWINCH, SIGPROF, SIGURG}) {
    EXPECT_FALSE(asks(signal, signal)) << signal;
  }
  EXPECT_FALSE(asks_to_end(""));
}

TEST(Interrupts, WhoCannotBeLookedAtMayEnd) {
  EXPECT_FALSE(is_asked_to_end(static_cast<uint32_t>(::gettid())));
  EXPECT_TRUE(is_asked_to_end(0x7fffffff));
}

}  // namespace
}  // namespace forebay::fuse
