// Random calls through a cache over an upstream that fails, compared with a map of versioned objects.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::ReadRequest;
using storage::text_of;

constexpr uint64_t kKeys = 6;
constexpr int64_t kSecond = 1'000'000'000;

class CacheModel {
 public:
  explicit CacheModel(uint64_t seed) : random_(seed, 3) { open(); }

  void step() {
    const std::string key = fmt::format("k{}", random_.below(kKeys));
    switch (random_.below(16)) {
      case 0:
        change_behind(key);
        break;
      case 1:
        write_through(key);
        break;
      case 2:
        remove_through(key);
        break;
      case 3:
        clock_.advance_ns(static_cast<int64_t>(random_.below(kSecond)));
        break;
      case 4:
        upstream_->fail_randomly(random_.coin(0.3f) ? 0.3 : 0.0, random_.next_u64(),
                                 unavailable("mem://k: try later"));
        break;
      case 5:
        cache_->flush();
        break;
      case 6:
        if (random_.below(8) == 0) {
          open();
        }
        break;
      default:
        read(key);
    }
  }

  uint64_t answered() const { return answered_; }
  const std::shared_ptr<Cache>& cache() const { return cache_; }

 private:
  /// One state of an object; an absent one has no version.
  struct State {
    std::string version;
    std::string content;
    int64_t until_ns = -1;  // when it was replaced; -1: it is there
    bool is_replaced_through = false;
  };

  void open() {
    store_.reset();
    cache_.reset();
    CacheOptions options;
    options.directories = {{.path = directory_ / "cache", .quota_bytes = 5 << 20, .least_free_bytes = 0}};
    options.segment_bytes = 1 << 20;
    options.memory_bytes = random_.coin(0.5f) ? 1 << 20 : 0;
    cache_ = *Cache::open(options);
    store_ = cache_->store_over(upstream_, {.trusted_ns = kSecond, .clock = &clock_});
  }

  std::string random_content() {
    const uint64_t size = random_.coin(0.5f) ? random_.below(100'000) : random_.below(3 << 20);
    std::string content(size, '\0');
    const uint64_t salt = random_.next_u64();
    for (size_t i = 0; i < size; ++i) {
      content[i] = static_cast<char>((salt + i * 2654435761u) >> 13);
    }
    return content;
  }

  void remember(const std::string& key, State state, bool is_through) {
    std::vector<State>& states = objects_[key];
    if (!states.empty()) {
      states.back().until_ns = clock_.now_ns();
      states.back().is_replaced_through = is_through;
    }
    states.push_back(std::move(state));
  }

  void change_behind(const std::string& key) {
    std::string content = random_content();
    const ObjectStat stat = *write_now(*bucket_, key, as_bytes(content));
    remember(key, {.version = stat.version, .content = std::move(content)}, false);
  }
  void write_through(const std::string& key) {
    std::string content = random_content();
    const Result<ObjectStat> stat = write_now(*store_, key, as_bytes(content));
    ASSERT_TRUE(stat.ok()) << stat.status();
    remember(key, {.version = stat->version, .content = std::move(content)}, true);
  }
  void remove_through(const std::string& key) {
    if (remove_now(*store_, key).ok()) {
      remember(key, {}, true);
    }
  }

  /// Whether a read that names no version may see the state.
  bool may_be_seen(const State& state) const {
    return state.until_ns == -1 || (!state.is_replaced_through && clock_.now_ns() - state.until_ns < kSecond);
  }

  void read(const std::string& key) {
    const std::vector<State>& states = objects_[key];
    const State* named = nullptr;
    if (!states.empty() && random_.coin(0.5f)) {
      named = &states[random_.below(states.size())];
    }
    if (named != nullptr && named->version.empty()) {
      named = nullptr;
    }
    const uint64_t size = named != nullptr  ? named->content.size()
                          : !states.empty() ? states.back().content.size()
                                            : 1000;
    ReadRequest request = {.key = key, .offset_bytes = random_.coin(0.5f) ? 0 : random_.below(size + 1)};
    request.length_bytes = random_.coin(0.3f) ? storage::kToEnd : random_.below(size / 2 + 1);
    request.if_version = named != nullptr ? named->version : "";
    request.padding_bytes = random_.coin(0.5f) ? 64 : 0;
    const Result<ReadBytes> result = read_now(*store_, request);
    if (!result.ok()) {
      return;
    }
    ++answered_;
    bool is_right = false;
    for (const State& state : states) {
      const bool fits = state.version == result->version &&
                        (named != nullptr ? state.version == named->version : may_be_seen(state));
      is_right = is_right || (fits && is_part(*result, state.content, request));
    }
    EXPECT_TRUE(is_right) << key << ": " << request.length_bytes << " bytes at " << request.offset_bytes
                          << ", version '" << request.if_version << "', got " << result->size_bytes()
                          << " bytes of '" << result->version << "'; it has '"
                          << (states.empty() ? "" : states.back().version) << "'";
  }

  static bool is_part(const ReadBytes& read, const std::string& content, const ReadRequest& request) {
    return request.offset_bytes <= content.size() &&
           text_of(read) == content.substr(request.offset_bytes, request.length_bytes);
  }

  RandomStream random_;
  TemporaryDirectory directory_;
  SteppedClock clock_;
  std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> upstream_ =
      std::make_shared<storage::FaultInjectingStore>(bucket_);
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<storage::ObjectStore> store_;
  std::map<std::string, std::vector<State>> objects_;
  uint64_t answered_ = 0;
};

TEST(CacheModel, RandomCallsAgreeWithTheModel) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    CacheModel model(seed);
    for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
      model.step();
    }
    EXPECT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(model.answered(), 60u);
  }
}

}  // namespace
}  // namespace forebay::cache
