#include "forebay/cache/messages/gone_ranges.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/files/shared_ranges.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"

namespace forebay::cache {
namespace {

using namespace std::chrono_literals;

/// Mappings of files that lie, or lay, below a folder.
int mapped_below(const std::string& folder) {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) {
    found += line.find(folder) != std::string::npos ? 1 : 0;
  }
  return found;
}

// Daemon and process are one here, so both map the file.
TEST(GoneRangesTest, AProcessThatAsksForNothingUnmapsWhatTheCacheHasRemoved) {
  const TemporaryDirectory directory;
  HostedCache daemon(directory.path());
  const std::string content(3 * kMiB, 'x');
  ASSERT_TRUE(write_now(daemon.upstream(), "k", std::as_bytes(std::span(content))).ok());
  const std::shared_ptr<HostStore> store = daemon.new_store();
  for (int round = 0; round < 2; ++round) {  // from upstream, then from the file
    ASSERT_TRUE(read_now(*store, {.key = "k", .length_bytes = kMiB}).ok());
    daemon.cache().flush();
  }
  const std::string objects = daemon.cache_directory() + "/objects/";
  ASSERT_EQ(mapped_below(objects), 2);
  const std::shared_ptr<HostClient> other = *HostClient::connect(daemon.socket());
  EXPECT_GT(other->walk({.kind = WalkKind::kFree})->dropped, 0u);
  while (mapped_below(objects) > 0) {  // until the test's deadline
    std::this_thread::sleep_for(10ms);
  }
}

/// Counts how often it is told.
class CountingHolder final : public RangeHolder {
 public:
  void forget_gone_ranges() override { told.fetch_add(1); }
  std::atomic<int> told{0};
};

class StoppedTimer final : public Timer {
 public:
  int64_t now_ns() const override { return 0; }
  Id at(int64_t, absl::AnyInvocable<void()> then) override {
    due = std::move(then);
    ++put_off;
    return 1;
  }
  void hurry(Id) override {}

  absl::AnyInvocable<void()> due;
  int put_off = 0;
};

uint64_t add_range(const std::string& bytes) {
  return shared_ranges().add(std::as_bytes(std::span(bytes)), "/dev/null", -1);
}

TEST(GoneRangesTest, ManyAreToldOfTogether) {
  StoppedTimer timer;
  std::shared_ptr<GoneRanges> gone = GoneRanges::watch(timer);
  auto holder = std::make_shared<CountingHolder>();
  gone->add(holder);
  gone->add(std::make_shared<CountingHolder>());  // has gone
  const std::string one(10, 'a');
  const std::string other(10, 'b');
  const uint64_t first = add_range(one);
  const uint64_t second = add_range(other);
  shared_ranges().remove(first);
  shared_ranges().remove(second);
  shared_ranges().remove(second);
  EXPECT_EQ(timer.put_off, 1);
  timer.due();
  EXPECT_EQ(holder->told.load(), 1);
  shared_ranges().remove(add_range(one));
  EXPECT_EQ(timer.put_off, 2);
  gone.reset();
  timer.due();  // nobody watches any more
  EXPECT_EQ(holder->told.load(), 1);
  shared_ranges().remove(add_range(one));
  EXPECT_EQ(timer.put_off, 2);
}

}  // namespace
}  // namespace forebay::cache
