// Random calls by two processes to one daemon, which is ended and started again, over an upstream, a disk and
// a host that fail; compared with a map of versioned objects.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/sanitizers.h"
#include "forebay/base/system_error.h"
#include "forebay/base/testing/no_descriptors.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/base/units.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/cache/testing/host_troubles.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/cache/testing/random_calls.h"
#include "forebay/storage/blocking.h"

namespace forebay::cache {
namespace {

constexpr uint32_t kTimeToLiveS = 60;
constexpr uint64_t kMaxJumpS = uint64_t{2} * 24 * 3600;

/// A thread that fetches ahead may look at the clock after the test.
SteppedClock& clock() {
  static auto* const stepped = new SteppedClock;
  return *stepped;
}
testing::StoppableClock& daemon_clock() {
  static auto* const stoppable = new testing::StoppableClock(clock());
  return *stoppable;
}
/// The processes' own, which stands still while their daemon does not.
SteppedTimer& timer() {
  static auto* const stepped = new SteppedTimer;
  return *stepped;
}
/// That of the wall, which the daemon keeps with what lives only for a time.
std::atomic<uint32_t>& wall_s() {
  static auto* const seconds = new std::atomic<uint32_t>(1'700'000'000);
  return *seconds;
}

/// The stores of two processes at one daemon. After a restart, each either goes on without it or comes back.
/// Meanwhile the disk fails, somebody removes files, connections are lost, the daemon stops and goes on,
/// a second one tries to start, a third process is killed, the wall's clock jumps, and descriptors, mappings
/// and shared memory run out.
struct HostedStores final : CachedStores {
  HostedStores() {
    daemon.stop();
    start();
    come_back(0);
    come_back(1);
    std::ofstream(users_file) << "mine";
  }
  ~HostedStores() override {
    calm();
    EXPECT_EQ(std::filesystem::file_size(users_file), 4u) << "what no cache has made";
  }

  size_t count() const override { return fronts.size(); }
  storage::ObjectStore& store(size_t number) override { return *fronts[number]; }
  // Messages of one process are taken in their order.
  void settle(size_t number) override { (void)stat_now(*fronts[number], "none"); }
  void flush() override { daemon.cache().flush(); }
  bool outlives_restart() const override { return true; }
  void restart(RandomStream& random) override {
    calm();
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
    switch (random.below(10)) {
      case 0:
        return remove_a_file(random);
      case 1:
        return fail_with(random.coin(0.5f) ? ENOSPC : EIO);
      case 2:
        return calm();
      case 3:
        if (!checks_types_by_descriptors()) {
          descriptors.emplace();
        }
        return;
      case 4:
        mappings.emplace();
        return;
      case 5:
        return stop_for_a_while(random.coin(0.5f));
      case 6:
        return jump(random);
      case 7:
        return refuse_another();
      case 8:
        return visit_and_die(random);
      default:
        return lose_connection(random.below(fronts.size()), random.coin(0.7f));
    }
  }

  void start() {
    CacheOptions options = directory_options();
    options.segment_bytes = 2 << 20;
    options.files = files;
    options.clock = &daemon_clock();
    options.unix_seconds = [] { return wall_s().load(); };
    options.admission = {
        {.prefix = daemon.upstream().uri_of("k1"), .is_cached = true, .time_to_live_s = kTimeToLiveS}};
    options.read_into = *shared_memory(4 << 20);  // less than is read at times
    daemon.start(std::move(options));
  }
  CacheOptions directory_options() const {
    CacheOptions options;
    options.directories = {{.path = daemon.cache_directory(), .quota_bytes = 5 << 20, .least_free_bytes = 0}};
    return options;
  }
  /// All is well again.
  void calm() {
    stopped = {};  // waits until it goes on
    descriptors.reset();
    mappings.reset();
    files->set_hook(nullptr);
  }
  /// Without a descriptor it stays without its daemon.
  void come_back(size_t number) {
    stopped = {};  // a process that begins waits for an answer by the same timer
    Result<std::shared_ptr<HostClient>> client = HostClient::connect(daemon.socket(), timer());
    EXPECT_TRUE(client.ok() || descriptors) << client.status();
    if (client.ok()) {
      clients[number] = *std::move(client);
      fronts[number] = *HostStore::create(clients[number], daemon.upstream_store());
    }
  }
  void remove_a_file(RandomStream& random) {
    std::vector<std::filesystem::path> paths;
    for (const char* const folder : {"/segments", "/objects"}) {
      std::error_code error;  // no descriptor is left
      for (const auto& file : std::filesystem::directory_iterator(daemon.cache_directory() + folder, error)) {
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
  /// The daemon stops as soon as it looks at the clock. It goes on at once, or when those who wait for it
  /// have lost their patience.
  void stop_for_a_while(bool is_long) {
    stopped = {};
    daemon_clock().stop();
    stopped = std::async(std::launch::async, [is_long] {
      daemon_clock().await_waiting();
      for (int64_t passed_ns = 0; is_long && passed_ns < 2 * kSecond;) {
        timer().advance_ns(HostClient::kMaxQuietNs / 5);
        passed_ns += HostClient::kMaxQuietNs / 5;
        std::this_thread::yield();
      }
      daemon_clock().go_on();
    });
  }
  static void jump(RandomStream& random) {
    const auto by_s = static_cast<uint32_t>(random.below(random.coin(0.5f) ? 2 * kTimeToLiveS : kMaxJumpS));
    wall_s() += random.coin(0.5f) ? by_s : -by_s;
  }
  /// Neither the directory nor the socket has a second owner.
  void refuse_another() const {
    if (descriptors) {
      return;  // a cache that can open no directory goes without
    }
    EXPECT_FALSE(Cache::open(directory_options()).ok());
    const auto no_store = [](const std::string&, const storage::StoreUse&) {
      return Result<storage::ObjectAddress>(not_found("no store"));
    };
    EXPECT_FALSE(
        HostServer::start({.socket = daemon.socket(), .cache = *Cache::open({}), .open = no_store}).ok());
  }
  /// A process that reads what there is and keeps it, until it is killed at any moment.
  void visit_and_die(RandomStream& random) {
    const auto life = std::chrono::microseconds(random.below(10'000));
    if (kIsSanitized) {
      return;  // fork_in_test.h
    }
    const pid_t child = ::fork();
    if (child == 0) {
      read_until_killed();
    }
    std::this_thread::sleep_for(life);
    ::kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(wait_for_child(child, &status), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it should have been killed, not ended with " << status;
  }
  [[noreturn]] void read_until_killed() {
    const Result<std::shared_ptr<HostClient>> client = HostClient::connect(daemon.socket());
    const std::shared_ptr<HostStore> store =
        client.ok() ? *HostStore::create(*client, daemon.upstream_store()) : nullptr;
    std::vector<Result<storage::ReadBytes>> views;
    for (int i = 0; store && i < 100; ++i) {
      views.push_back(read_now(*store, {.key = fmt::format("k{}", i % 6)}));
    }
    for (;;) {
      ::pause();
    }
  }
  /// By a message that makes no sense.
  void lose_connection(size_t number, bool comes_back) {
    HostBringRequest senseless = {.uri = "mem://"};
    senseless.ranges.resize(10 * kMaxBroughtTogether);
    std::promise<void> lost;
    clients[number]->bring(std::move(senseless), {}, [&](const Result<HostBrought>&) { lost.set_value(); });
    lost.get_future().wait();
    if (comes_back) {
      clock().advance_ns(RandomCalls::kTrustedNs);  // what it wrote without the daemon is seen no sooner
      come_back(number);
    }
  }

  TemporaryDirectory directory;
  HostedCache daemon{directory.path(), daemon_clock()};
  const std::string users_file = daemon.cache_directory() + "/notes.txt";
  std::shared_ptr<FaultyFiles> files = std::make_shared<FaultyFiles>();
  std::array<std::shared_ptr<HostClient>, 2> clients;
  std::array<std::shared_ptr<HostStore>, 2> fronts;
  std::optional<NoDescriptors> descriptors;
  std::optional<testing::NoMappings> mappings;
  std::future<void> stopped;
  uint64_t disturbances = 0;
};

TEST(HostModel, RandomCallsOfTwoProcessesAgreeWithTheModel) {
  for (uint64_t seed = 0; seed < rounds(6, 24); ++seed) {
    HostedStores stores;
    RandomCalls calls(seed, stores, stores.daemon.bucket(), stores.daemon.faulty_upstream(), clock());
    for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) {
      calls.step();
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(calls.answered(), 60u);
    EXPECT_GT(stores.disturbances, 5u);
  }
  EXPECT_TRUE(kIsSanitized || testing::refused_mappings() > 0);
}

}  // namespace
}  // namespace forebay::cache
