// Bytes from upstream for shuffled epochs through a cache that holds part of the data: the planned policy
// against LRU, S3-FIFO and the offline optimum (MIN with bypass on the trace of the run).
//
//     epochs [--items N] [--epochs N] [--window N] [--item-bytes N] [--disk FOLDER] [--json]
//
// Everything is real but the remote store, which is a store in memory that counts: files of a data set, its
// index and order, the reader's plan, the cache. One job reads items of one size; two jobs read items of many
// sizes in orders of their own, one twice as fast as the other. Nothing is timed; reads are made one after
// the other, and what is fetched ahead is fetched between two of them, so every run in memory gives the same
// figures. With --disk, writes wait behind the reads, and figures differ in the third digit.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "forebay/base/random/random.h"
#include "forebay/cache/ahead/ahead_fetches.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/testing/offline_min.h"
#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/planning/read_ahead.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"

namespace {

using namespace forebay;

struct Settings {
  uint64_t items = 4000;
  uint64_t epochs = 3;
  uint64_t window = 32;
  uint64_t item_bytes = 16'384;  // of one job's items; the median of two jobs' items
  std::string disk;              // empty: a cache in memory
  bool is_json = false;
};

/// Ends the program with the error, if there is one.
template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "epochs: %s\n", std::string(result.status().message()).c_str());
    std::exit(1);
  }
  return *std::move(result);
}

/// Counts what is read upstream.
class CountingStore final : public storage::ForwardingStore {
 public:
  CountingStore() : ForwardingStore(std::make_shared<storage::MemoryStore>()) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    const bool is_demand = context.priority == storage::Priority::kDemand;
    ForwardingStore::read(std::move(request), context,
                          [this, is_demand, done = std::move(done)](Result<storage::ReadBytes> read) mutable {
                            bytes_ += read.ok() ? read->size_bytes() : 0;
                            demand_reads_ += is_demand ? 1 : 0;
                            done(std::move(read));
                          });
  }

  uint64_t bytes() const { return bytes_; }
  uint64_t demand_reads() const { return demand_reads_; }

 private:
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> demand_reads_{0};
};

/// Follows plans as FetchAhead does, but when it is told to, not in a thread.
class SteppedFollower final : public cache::PlanFollower {
 public:
  SteppedFollower(std::shared_ptr<cache::Future> future, std::shared_ptr<cache::AheadFetches> fetches)
      : future_(std::move(future)), fetches_(std::move(fetches)) {}

  void follow(const std::shared_ptr<storage::ObjectStore>& store,
              std::shared_ptr<storage::ReadPlan> plan) override {
    const auto id_of = [&store](const storage::PlannedObject& object) {
      return cache::object_id(store->uri_of(object.key), object.version);
    };
    future_->follow(plan,
                    std::make_shared<const cache::ObjectTable>(*plan->items(), id_of, [] { return true; }));
    if (fetches_) {
      fetches_->follow(store, std::move(plan));
    }
  }

  void step() {
    while (fetches_ && fetches_->fetch()) {
    }
  }

 private:
  const std::shared_ptr<cache::Future> future_;
  const std::shared_ptr<cache::AheadFetches> fetches_;
};

enum class Kind { kLru, kS3Fifo, kPlanned, kPlannedAhead };
constexpr std::pair<Kind, const char*> kKinds[] = {{Kind::kLru, "lru"},
                                                   {Kind::kS3Fifo, "s3_fifo"},
                                                   {Kind::kPlanned, "planned"},
                                                   {Kind::kPlannedAhead, "planned, fetching ahead"}};

/// A cache over a store that counts, with the files of a data set.
class Setup {
 public:
  Setup(const Settings& settings, Kind kind, const std::vector<uint64_t>& sizes, uint64_t capacity_bytes) {
    cache::CacheOptions options = {.memory_bytes = capacity_bytes};
    if (!settings.disk.empty()) {
      std::filesystem::remove_all(settings.disk);
      options.memory_bytes = 0;
      options.directories.push_back({.path = settings.disk, .quota_bytes = capacity_bytes});
    }
    options.make_policy = policy_of(kind, sizes, settings);
    options.plan_follower = follower_;
    cache_ = value_of(cache::Cache::open(std::move(options)));
    registry_.mount("mem://data/", store_over(cache_, upstream_, {.is_immutable = true}));
    dataset::FileSourceOptions files;
    files.registry = &registry_;
    for (size_t item = 0; item < sizes.size(); ++item) {
      const std::string key = "item" + std::to_string(item);
      const std::vector<std::byte> content(sizes[item]);
      value_of(storage::write_now(*upstream_, key, content));
      files.files.push_back("mem://data/" + key);
    }
    source_ = value_of(dataset::make_file_source(files));
  }

  const std::shared_ptr<dataset::Source>& source() const { return source_; }
  const CountingStore& upstream() const { return *upstream_; }
  void step() {
    if (follower_) {
      follower_->step();
    }
  }

 private:
  cache::PolicyFactory policy_of(Kind kind, const std::vector<uint64_t>& sizes, const Settings& settings) {
    if (kind == Kind::kLru) {
      return cache::lru_policy();
    }
    if (kind == Kind::kS3Fifo) {
      return cache::s3_fifo_policy();
    }
    auto future = std::make_shared<cache::Future>();
    auto room = std::make_shared<cache::PlannedRoom>();
    std::shared_ptr<cache::AheadFetches> fetches;
    if (kind == Kind::kPlannedAhead) {
      const cache::FetchAheadOptions ahead = {.ahead_bytes = settings.window * sizes.front()};
      fetches = std::make_shared<cache::AheadFetches>(future, room, ahead, [] {});
    }
    follower_ = std::make_shared<SteppedFollower>(future, std::move(fetches));
    return cache::planned_policy(std::move(future), std::move(room));
  }

  const std::shared_ptr<CountingStore> upstream_ = std::make_shared<CountingStore>();
  std::shared_ptr<SteppedFollower> follower_;
  std::shared_ptr<cache::Cache> cache_;
  storage::StoreRegistry registry_;
  std::shared_ptr<dataset::Source> source_;
};

/// A job that reads epochs in its own order.
class Job {
 public:
  Job(const Setup& setup, uint64_t seed, const Settings& settings)
      : source_(setup.source()),
        order_(value_of(dataset::Order::create(
            {.dataset_size = static_cast<uint64_t>(source_->size()), .seed = seed, .random_shuffle = true}))),
        end_(settings.epochs * settings.items),
        window_(settings.window),
        plans_(source_, order_, 0, settings.window) {}

  bool is_done() const { return cursor_ == end_; }

  /// Reads what its window has room for, and goes on by one.
  void step(std::vector<uint64_t>* trace) {
    for (; read_ < std::min(end_, cursor_ + window_); ++read_) {
      const uint64_t index = order_.at(read_).index;
      value_of(dataset::read_now(*source_, static_cast<int64_t>(index), {.may_be_view = true}));
      trace->push_back(index);
    }
    plans_.advance(++cursor_);
  }

 private:
  const std::shared_ptr<dataset::Source> source_;
  const dataset::Order order_;
  const uint64_t end_;
  const uint64_t window_;
  dataset::ReadAhead plans_;
  uint64_t cursor_ = 0;
  uint64_t read_ = 0;
};

struct Figures {
  double hit_rate = 0;  // of the readers' reads: those that did not wait for upstream
  double upstream_bytes = 0;
  double optimum_bytes = 0;
};

Figures run(const Settings& settings, Kind kind, int jobs, uint64_t percent) {
  RandomStream random(7, 0);
  std::vector<uint64_t> sizes;
  uint64_t all = 0;
  for (uint64_t item = 0; item < settings.items; ++item) {
    const auto mean = static_cast<double>(settings.item_bytes);
    const auto any = static_cast<uint64_t>(std::exp(0.6 * random.normal()) * mean) + 1;
    sizes.push_back(jobs == 1 ? settings.item_bytes : any);
    all += sizes.back();
  }
  const uint64_t capacity = all * percent / 100;
  Setup setup(settings, kind, sizes, capacity);
  std::vector<uint64_t> trace;
  Job first(setup, 1, settings);
  std::unique_ptr<Job> second = jobs == 2 ? std::make_unique<Job>(setup, 2, settings) : nullptr;
  while (!first.is_done() || (second && !second->is_done())) {
    const bool is_second = second && !second->is_done() && (first.is_done() || random.below(3) == 0);
    setup.step();
    (is_second ? *second : first).step(&trace);
  }
  const auto reads = static_cast<double>(trace.size());
  return {.hit_rate = 1 - static_cast<double>(setup.upstream().demand_reads()) / reads,
          .upstream_bytes = static_cast<double>(setup.upstream().bytes()),
          .optimum_bytes = static_cast<double>(
              cache::testing::OfflineMin(std::move(trace), sizes, capacity).fetched_bytes())};
}

Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--json") {
      settings.is_json = true;
      continue;
    }
    ++i;
    if (name == "--items") {
      settings.items = std::strtoull(value, nullptr, 10);
    } else if (name == "--epochs") {
      settings.epochs = std::strtoull(value, nullptr, 10);
    } else if (name == "--window") {
      settings.window = std::strtoull(value, nullptr, 10);
    } else if (name == "--item-bytes") {
      settings.item_bytes = std::strtoull(value, nullptr, 10);
    } else if (name == "--disk") {
      settings.disk = value;
    } else {
      std::fprintf(
          stderr,
          "usage: epochs [--items N] [--epochs N] [--window N] [--item-bytes N] [--disk FOLDER] [--json]\n");
      std::exit(2);
    }
  }
  return settings;
}

void print(const nlohmann::json& rows) {
  std::printf("%-6s %-7s %-26s %9s %14s %12s\n", "jobs", "cache", "policy", "hit rate", "upstream GB",
              "of optimum");
  for (const nlohmann::json& row : rows) {
    std::printf("%-6d %5d %% %-26s %8.1f%% %14.4f %11.3fx\n", row["jobs"].get<int>(),
                row["percent"].get<int>(), row["policy"].get<std::string>().c_str(),
                100 * row["hit_rate"].get<double>(), row["upstream_bytes"].get<double>() / 1e9,
                row["of_optimum"].get<double>());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  nlohmann::json rows = nlohmann::json::array();
  for (const int jobs : {1, 2}) {
    for (const uint64_t percent : {10, 25, 50, 75}) {
      for (const auto& [kind, name] : kKinds) {
        const Figures figures = run(settings, kind, jobs, percent);
        rows.push_back({{"jobs", jobs},
                        {"percent", percent},
                        {"policy", name},
                        {"hit_rate", figures.hit_rate},
                        {"upstream_bytes", figures.upstream_bytes},
                        {"optimum_bytes", figures.optimum_bytes},
                        {"of_optimum", figures.upstream_bytes / figures.optimum_bytes}});
      }
    }
  }
  if (settings.is_json) {
    std::printf("%s\n", rows.dump(2).c_str());
  } else {
    print(rows);
  }
  return 0;
}
