#include "forebay/cache/policy/ghost_queue.h"

#include <gtest/gtest.h>

#include <deque>

#include "forebay/base/random/random.h"
#include "forebay/base/testing/rounds.h"

namespace forebay::cache {
namespace {

TEST(GhostQueue, RemembersTheLatestAsAPlainQueueDoes) {
  GhostQueue ghosts;
  std::deque<uint32_t> plain;
  RandomStream random(3, 0);
  const uint64_t steps = rounds(40'000, 400'000);
  for (uint64_t i = 0; i < steps; ++i) {
    const auto fingerprint = static_cast<uint32_t>(mix64(random.below(2000), 0));
    if (random.coin(0.5F)) {
      std::erase(plain, fingerprint);
      plain.push_back(fingerprint);
      ghosts.push(fingerprint);
      while (plain.size() > 700) {
        plain.pop_front();
      }
      ghosts.trim(700);
    } else {
      ASSERT_EQ(ghosts.take(fingerprint), std::erase(plain, fingerprint) > 0);
    }
    ASSERT_EQ(ghosts.size(), plain.size());
  }
}

}  // namespace
}  // namespace forebay::cache
