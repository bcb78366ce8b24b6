// A snapshot of many names: how long it takes to make and to open, its bytes a file, stats and listed entries
// a second in one process. Names are those of a large data set of pictures: folders, numbers, digests as
// versions.
//
//   names [--files 10000000] [--threads 1] [--rounds 5] [--json]
//
// Stats are of random names, through the store that the namespace uses, and each answer is checked.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/name_view.h"
#include "forebay/storage/listing/snapshot_refresh.h"
#include "forebay/storage/listing/snapshot_store.h"
#include "forebay/storage/memory/memory_store.h"

using namespace forebay;
using namespace forebay::storage;

namespace {

constexpr uint64_t kFilesOfAFolder = 1300;
constexpr uint64_t kStats = 2'000'000;

struct Settings {
  uint64_t files = 10'000'000;
  size_t threads = 1;
  int rounds = 5;
  bool json = false;
};

uint64_t mixed(uint64_t number) {
  number = (number ^ (number >> 31)) * 0x7fb5d329728ea185;
  number = (number ^ (number >> 27)) * 0x81dadef4bc2dd44d;
  return number ^ (number >> 33);
}

std::string key_of(uint64_t file) {
  const uint64_t folder = file / kFilesOfAFolder;
  return fmt::format("train/n{:08}/n{:08}_{}.JPEG", folder * 1013, folder * 1013,
                     100 + file % kFilesOfAFolder * 37);
}

ObjectStat stat_of(uint64_t file) {
  return {.key = key_of(file),
          .size_bytes = 20'000 + mixed(file) % 200'000,
          .modified_ns = static_cast<int64_t>(1'700'000'000 + mixed(file + 1) % 10'000'000) * 1'000'000'000,
          .version = fmt::format("{:016x}{:016x}", mixed(file + 2), mixed(file + 3))};
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Stats of random files, on each thread; a second, in all. Names are made before the time begins.
double stats_per_second(ObjectStore& store, const Settings& settings, uint64_t seed) {
  std::vector<std::vector<std::string>> keys(settings.threads);
  std::vector<std::vector<uint64_t>> sizes(settings.threads);
  for (size_t thread = 0; thread < settings.threads; ++thread) {
    for (uint64_t i = 0; i < kStats / settings.threads; ++i) {
      const ObjectStat stat = stat_of(mixed(seed + thread * kStats + i) % settings.files);
      keys[thread].push_back(stat.key);
      sizes[thread].push_back(stat.size_bytes);
    }
  }
  const double seconds = seconds_of([&] {
    std::vector<std::jthread> threads;
    for (size_t thread = 0; thread < settings.threads; ++thread) {
      threads.emplace_back([&, thread] {
        for (size_t i = 0; i < keys[thread].size(); ++i) {
          store.stat(std::move(keys[thread][i]), {}, [&](const Result<ObjectStat>& stat) {
            FOREBAY_CHECK(stat.ok() && stat->size_bytes == sizes[thread][i]);
          });
        }
      });
    }
  });
  return static_cast<double>(kStats / settings.threads * settings.threads) / seconds;
}

double entries_per_second(ObjectStore& store, const Settings& settings) {
  uint64_t count = 0;
  const double seconds = seconds_of([&] {
    const Status listed = list_pages_now(store, {}, [&](const ListPage& page) {
      count += page.objects.size();
      return ok_status();
    });
    FOREBAY_CHECK(listed.ok());
  });
  FOREBAY_CHECK(count == settings.files);
  return static_cast<double>(count) / seconds;
}

Settings settings_from(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] { return std::stoull(i + 1 < argc ? argv[++i] : "0"); };
    if (name == "--files") {
      settings.files = value();
    } else if (name == "--threads") {
      settings.threads = value();
    } else if (name == "--rounds") {
      settings.rounds = static_cast<int>(value());
    } else if (name == "--json") {
      settings.json = true;
    }
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = settings_from(argc, argv);
  const TemporaryDirectory directory;
  const std::string path = directory / "names";
  const auto fill = [&](EntrySorter& sorter) {
    for (uint64_t file = 0; file < settings.files; ++file) {
      FOREBAY_RETURN_IF_ERROR(sorter.add(entry_of(stat_of(file))));
    }
    return ok_status();
  };
  const double make_s = seconds_of([&] { FOREBAY_CHECK(refresh_snapshot(path, {}, fill).ok()); });
  const double refresh_s = seconds_of([&] { FOREBAY_CHECK(refresh_snapshot(path, {}, fill).ok()); });
  std::shared_ptr<const NameView> view;
  const double open_s = seconds_of([&] { view = *NameView::open(path); });
  const auto store = std::make_shared<SnapshotStore>(std::make_shared<MemoryStore>(), "", view);
  std::vector<double> stats;
  std::vector<double> entries;
  for (int round = 0; round < settings.rounds; ++round) {
    stats.push_back(stats_per_second(*store, settings, static_cast<uint64_t>(round) << 40));
    entries.push_back(entries_per_second(*store, settings));
  }
  const double bytes = static_cast<double>(view->base()->size_bytes()) / static_cast<double>(settings.files);
  std::printf(
      settings.json
          ? "{\"stats_per_s\": %.0f, \"entries_per_s\": %.0f, \"bytes_a_file\": %.1f, \"make_s\": %.2f, "
            "\"refresh_s\": %.2f, \"open_s\": %.3f}\n"
          : "%.0f stats a second, %.0f listed entries a second, %.1f bytes a file; made in %.2f s, "
            "refreshed without changes in %.2f s, opened in %.3f s\n",
      median(stats), median(entries), bytes, make_s, refresh_s, open_s);
  return 0;
}
