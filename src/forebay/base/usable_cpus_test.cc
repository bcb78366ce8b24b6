#include "forebay/base/usable_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

namespace forebay {
namespace {

cpu_set_t only(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return set;
}

TEST(UsableCpus, AreThoseOfTheProcess) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(::getpid(), sizeof(before), &before), 0);
  EXPECT_EQ(usable_cpus(), CPU_COUNT(&before));
  const cpu_set_t one = only(::sched_getcpu());
  ASSERT_EQ(::sched_setaffinity(::getpid(), sizeof(one), &one), 0);
  EXPECT_EQ(usable_cpus(), 1);
  ASSERT_EQ(::sched_setaffinity(::getpid(), sizeof(before), &before), 0);
}

TEST(UsableCpus, AreNotThoseOfAThreadThatIsPinned) {
  const int all = usable_cpus();
  int found = 0;
  std::thread([&found] {
    const cpu_set_t one = only(::sched_getcpu());
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    found = usable_cpus();
  }).join();
  EXPECT_EQ(found, all);
}

}  // namespace
}  // namespace forebay
