// Random calls by two processes to one daemon, which is ended and started again, over an upstream and a disk
// that fail; compared with a map of versioned objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "forebay/base/system_error.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/cache/testing/random_calls.h"
#include "forebay/storage/blocking.h"

namespace forebay::cache {
namespace {

/// A thread that fetches ahead may look at the clock after the test.
SteppedClock& clock() {
  static auto* const stepped = new SteppedClock;
  return *stepped;
}

/// The stores of two processes at one daemon. After a restart, each either goes on without it or comes back.
/// Meanwhile the disk fails, somebody removes files, and connections are lost.
struct HostedStores final : CachedStores {
  HostedStores() {
    daemon.stop();
    start();
    come_back(0);
    come_back(1);
  }

  size_t count() const override { return fronts.size(); }
  storage::ObjectStore& store(size_t number) override { return *fronts[number]; }
  // Messages of one process are taken in their order.
  void settle(size_t number) override { (void)stat_now(*fronts[number], "none"); }
  void flush() override { daemon.cache().flush(); }
  bool outlives_restart() const override { return true; }
  void restart(RandomStream& random) override {
    files->set_hook(nullptr);
    daemon.stop();
    start();
    for (size_t number = 0; number < fronts.size(); ++number) {
      if (random.coin(0.7f)) {
        come_back(number);
      }
    }
  }
  void disturb(RandomStream& random) override {
    ++disturbances;
    switch (random.below(4)) {
      case 0:
        return remove_a_file(random);
      case 1:
        return fail_with(random.coin(0.5f) ? ENOSPC : EIO);
      case 2:
        return files->set_hook(nullptr);
      default:
        return lose_connection(random.below(fronts.size()), random.coin(0.7f));
    }
  }

  void start() {
    CacheOptions options;
    options.directories = {{.path = daemon.cache_directory(), .quota_bytes = 5 << 20, .least_free_bytes = 0}};
    options.segment_bytes = 2 << 20;
    options.files = files;
    options.clock = &clock();
    daemon.start(std::move(options));
  }
  void come_back(size_t number) {
    clients[number] = *HostClient::connect(daemon.socket());
    fronts[number] = *HostStore::create(clients[number], daemon.upstream_store());
  }
  void remove_a_file(RandomStream& random) {
    std::vector<std::filesystem::path> paths;
    for (const char* const folder : {"/segments", "/objects"}) {
      for (const auto& file : std::filesystem::directory_iterator(daemon.cache_directory() + folder)) {
        paths.push_back(file.path());
      }
    }
    std::ranges::sort(paths);
    if (!paths.empty()) {
      std::filesystem::remove(paths[random.below(paths.size())]);
    }
  }
  void fail_with(int error) {
    files->set_hook([error](WritePoint, ChangePhase) { return errno_status(error, "a disk that fails"); });
  }
  /// By a message that makes no sense.
  void lose_connection(size_t number, bool comes_back) {
    HostBringRequest senseless = {.uri = "mem://"};
    senseless.ranges.resize(10 * kMostBroughtTogether);
    std::promise<void> lost;
    clients[number]->bring(std::move(senseless), {}, [&](const Result<HostBrought>&) { lost.set_value(); });
    lost.get_future().wait();
    if (comes_back) {
      clock().advance_ns(RandomCalls::kTrustedNs);  // what it wrote without the daemon is seen no sooner
      come_back(number);
    }
  }

  TemporaryDirectory directory;
  HostedCache daemon{directory.path(), clock()};
  std::shared_ptr<FaultyFiles> files = std::make_shared<FaultyFiles>();
  std::array<std::shared_ptr<HostClient>, 2> clients;
  std::array<std::shared_ptr<HostStore>, 2> fronts;
  uint64_t disturbances = 0;
};

TEST(HostModel, RandomCallsOfTwoProcessesAgreeWithTheModel) {
  for (uint64_t seed = 0; seed < rounds(6, 24); ++seed) {
    HostedStores stores;
    RandomCalls calls(seed, stores, stores.daemon.bucket(), stores.daemon.faulty_upstream(), clock());
    for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) {
      calls.step();
    }
    EXPECT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(calls.answered(), 60u);
    EXPECT_GT(stores.disturbances, 5u);
  }
}

}  // namespace
}  // namespace forebay::cache
