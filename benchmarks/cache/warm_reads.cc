// Warm reads of 100 KiB objects by several threads: from the cache, which has them on disk, and from the
// files themselves, by the store of local files and by plain preads. One program, rounds in turn.
//
//   warm_reads [--objects 2000] [--threads 4] [--rounds 7] [--json]
//
// Each object's bytes are summed, so that views are read as copies are.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/local/local_store.h"

using namespace forebay;

namespace {

constexpr size_t kObjectBytes = 100 << 10;
constexpr size_t kReadsAtOnce = 16;

struct Settings {
  size_t objects = 2000;
  size_t threads = 4;
  int rounds = 7;
  bool json = false;
};

uint64_t sum_of(Bytes bytes) {
  uint64_t sum = 0;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    sum += word;
  }
  return sum;
}

std::string key_of(size_t object) {
  return fmt::format("object_{:06}", object);
}

/// Reads all objects once, each thread its part; returns objects a second.
double measure(const Settings& settings, const std::function<uint64_t(size_t first, size_t count)>& read,
               uint64_t expected) {
  std::vector<std::thread> threads;
  std::vector<uint64_t> sums(settings.threads, 0);
  const auto begin = std::chrono::steady_clock::now();
  for (size_t thread = 0; thread < settings.threads; ++thread) {
    threads.emplace_back([&, thread] {
      const size_t end = settings.objects * (thread + 1) / settings.threads;
      for (size_t at = settings.objects * thread / settings.threads; at < end; at += kReadsAtOnce) {
        sums[thread] += read(at, std::min(kReadsAtOnce, end - at));
      }
    });
  }
  uint64_t sum = 0;
  for (size_t thread = 0; thread < settings.threads; ++thread) {
    threads[thread].join();
    sum += sums[thread];
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  FOREBAY_CHECK(sum == expected);
  return static_cast<double>(settings.objects) / seconds.count();
}

uint64_t read_by_store(storage::ObjectStore& store, const std::vector<std::string>& versions, size_t first,
                       size_t count) {
  std::vector<storage::ReadRequest> requests(count);
  for (size_t i = 0; i < count; ++i) {
    requests[i].key = key_of(first + i);
    requests[i].length_bytes = kObjectBytes;
    requests[i].if_version = versions[first + i];
  }
  uint64_t sum = 0;
  for (const Result<storage::ReadBytes>& read : read_many_now(store, std::move(requests))) {
    FOREBAY_CHECK(read.ok());
    sum += sum_of(read->bytes);
  }
  return sum;
}

uint64_t read_by_pread(const std::string& directory, size_t first, size_t count) {
  static thread_local std::vector<std::byte> buffer(kObjectBytes);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const int file = ::open((directory + "/" + key_of(first + i)).c_str(), O_RDONLY | O_CLOEXEC);
    FOREBAY_CHECK(::pread(file, buffer.data(), buffer.size(), 0) == static_cast<ssize_t>(kObjectBytes));
    ::close(file);
    sum += sum_of(buffer);
  }
  return sum;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Settings settings_from(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] { return std::stoul(i + 1 < argc ? argv[++i] : "0"); };
    if (name == "--objects") {
      settings.objects = value();
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
  const auto files = std::make_shared<storage::LocalStore>(storage::LocalStoreOptions{directory / "data"});
  const std::shared_ptr<cache::Cache> cache =
      *cache::Cache::open({.directories = {{.path = directory / "cache", .least_free_bytes = 0}}});
  const std::shared_ptr<storage::ObjectStore> cached = store_over(cache, files);
  std::vector<std::string> versions;
  uint64_t expected = 0;
  for (size_t i = 0; i < settings.objects; ++i) {
    std::vector<std::byte> content(kObjectBytes);
    for (size_t at = 0; at < content.size(); ++at) {
      content[at] = static_cast<std::byte>(at * 31 + i * 7 + at / 251);
    }
    expected += sum_of(content);
    versions.push_back(write_now(*files, key_of(i), content)->version);
  }
  for (size_t i = 0; i < settings.objects; i += kReadsAtOnce) {
    read_by_store(*cached, versions, i, std::min(kReadsAtOnce, settings.objects - i));
  }
  cache->flush();

  std::vector<double> by_pread;
  std::vector<double> by_files;
  std::vector<double> by_cache;
  for (int round = 0; round < settings.rounds; ++round) {
    const std::string data = directory / "data";
    by_pread.push_back(measure(
        settings, [&](size_t first, size_t count) { return read_by_pread(data, first, count); }, expected));
    by_files.push_back(measure(
        settings, [&](size_t first, size_t count) { return read_by_store(*files, versions, first, count); },
        expected));
    by_cache.push_back(measure(
        settings, [&](size_t first, size_t count) { return read_by_store(*cached, versions, first, count); },
        expected));
  }
  FOREBAY_CHECK(cache->statistics().upstream_reads == settings.objects);
  const double files_rate = median(by_files);
  const double pread_rate = median(by_pread);
  const double cache_rate = median(by_cache);
  std::printf(settings.json
                  ? "{\"cache_per_s\": %.0f, \"files_per_s\": %.0f, \"pread_per_s\": %.0f, "
                    "\"cache_by_files\": %.3f, \"cache_by_pread\": %.3f}\n"
                  : "objects a second: cache %.0f, local store %.0f, pread %.0f; cache / local store %.2f, "
                    "cache / pread %.2f\n",
              cache_rate, files_rate, pread_rate, cache_rate / files_rate, cache_rate / pread_rate);
  return 0;
}
