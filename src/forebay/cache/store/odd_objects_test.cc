// Objects and ranges that an upstream or an index may name though nobody should: sizes near 2^64, ranges far
// outside, URLs that differ only in what their URIs hide.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::CallContext;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::text_of;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

std::shared_ptr<Cache> odd_cache_in(const TemporaryDirectory& directory) {
  return *Cache::open(
      {.directories = {{.path = directory / "cache", .quota_bytes = 64 << 20, .least_free_bytes = 0}}});
}

TEST(OddObjects, ARangeBeyondAllIsNotPutOnAReadThatIsUnderWay) {
  const TemporaryDirectory directory;
  const std::string content(1000, 'x');
  const auto bucket = std::make_shared<storage::MemoryStore>();
  const auto upstream = std::make_shared<storage::FaultInjectingStore>(bucket);
  const std::string version = write_now(*bucket, "k", as_bytes(content))->version;
  const auto store = store_over(odd_cache_in(directory), upstream);
  upstream->hold_reads();
  std::string first;
  StatusCode second = StatusCode::kOk;
  store->read({.key = "k", .offset_bytes = 100, .length_bytes = 500, .if_version = version}, {},
              [&](Result<ReadBytes> read) { first = text_of(*read); });
  store->read({.key = "k", .offset_bytes = 100, .length_bytes = kMost - 50, .if_version = version}, {},
              [&](Result<ReadBytes> read) { second = read.status().code(); });
  upstream->release_reads();
  EXPECT_EQ(first, std::string(500, 'x'));
  EXPECT_EQ(second, StatusCode::kOutOfRange);
}

/// Says that all objects have as many bytes as can be counted, and has none of them.
class EndlessStore final : public storage::ForwardingStore {
 public:
  EndlessStore() : ForwardingStore(std::make_shared<storage::MemoryStore>()) {}
  void stat(std::string key, const CallContext&, storage::StatCallback done) override {
    done(ObjectStat{.key = std::move(key), .size_bytes = kMost - 1, .version = "v"});
  }
  void read(storage::ReadRequest request, const CallContext&, storage::ReadCallback done) override {
    requests.push_back(request);
    done(unavailable("mem://{}: try later", request.key));
  }
  std::vector<storage::ReadRequest> requests;
};

TEST(OddObjects, AnObjectThatIsSaidToBeEndlessIsNotTakenApart) {
  const TemporaryDirectory directory;
  const auto upstream = std::make_shared<EndlessStore>();
  const auto store = store_over(odd_cache_in(directory), upstream);
  EXPECT_EQ(read_now(*store, {.key = "k", .offset_bytes = kMost - 100, .length_bytes = 50}).status().code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(read_now(*store, {.key = "k"}).status().code(), StatusCode::kUnavailable);
  ASSERT_EQ(upstream->requests.size(), 2u);
  EXPECT_EQ(upstream->requests[1].length_bytes, storage::kToEnd);
}

/// A web server as a store shows it: keys are URLs, and URIs leave out what may be secret. All objects are of
/// one version, as where versions are times.
class WebStore final : public storage::ForwardingStore {
 public:
  WebStore() : ForwardingStore(std::make_shared<storage::MemoryStore>()) {}
  std::string uri_of(std::string_view key) const override {
    return "https://" + std::string(key.substr(key.rfind('@') + 1, key.find('?') - key.rfind('@') - 1));
  }
  void stat(std::string key, const CallContext&, storage::StatCallback done) override {
    done(ObjectStat{.key = key, .size_bytes = key.size(), .version = "monday"});
  }
  void read(storage::ReadRequest request, const CallContext&, storage::ReadCallback done) override {
    if (is_down) {
      done(unavailable("{}: the server does not answer", uri_of(request.key)));
      return;
    }
    const auto text = std::make_shared<const std::string>(request.key);
    ReadBytes bytes = {.owner = text, .bytes = as_bytes(*text), .version = "monday"};
    done(bytes);
  }
  bool is_down = false;
};

TEST(OddObjects, UrlsThatDifferInWhatTheirUrisHideAreDifferentObjects) {
  const TemporaryDirectory directory;
  const auto store = store_over(odd_cache_in(directory), std::make_shared<WebStore>());
  for (int round = 0; round < 2; ++round) {
    for (const std::string key :
         {"ann:pw@host/a?id=1", "ann:pw@host/a?id=2", "bob:pw@host/a?id=1", "host/a"}) {
      EXPECT_EQ(text_of(*read_now(*store, {.key = key})), key);
    }
  }
}

TEST(OddObjects, SecretsInUrlsAreNotOnDiskAndNotInErrors) {
  const TemporaryDirectory directory;
  const std::string key = "ann:secretword@host/a?signature=secretsign";
  const auto upstream = std::make_shared<WebStore>();
  std::shared_ptr<Cache> cache = odd_cache_in(directory);
  std::shared_ptr<storage::ObjectStore> store = store_over(cache, upstream);
  const storage::ReadRequest request = {.key = key, .length_bytes = key.size(), .if_version = "monday"};
  EXPECT_EQ(text_of(*read_now(*store, request)), key);
  cache->close();
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory / "cache")) {
    EXPECT_EQ(file.path().string().find("secret"), std::string::npos);
    if (file.is_regular_file()) {
      std::string text(file.file_size(), '\0');
      std::ifstream(file.path(), std::ios::binary)
          .read(text.data(), static_cast<std::streamsize>(text.size()));
      // The object's content is its URL; it is there once, and nothing else of the URL.
      const size_t content = text.find(key);
      if (content != std::string::npos) {
        text.erase(content, key.size());
      }
      EXPECT_EQ(text.find("secret"), std::string::npos) << file.path();
    }
  }
  upstream->is_down = true;
  store.reset();
  cache.reset();
  cache = odd_cache_in(directory);
  store = store_over(cache, upstream);
  EXPECT_EQ(text_of(*read_now(*store, request)), key);  // found again after a restart
  const Result<ReadBytes> other = read_now(*store, {.key = key + "2", .if_version = "monday"});
  EXPECT_EQ(message(other.status()).find("secret"), std::string_view::npos);
}

TEST(OddObjects, QuotasWithoutLimitDoNotAddUpToNone) {
  const TemporaryDirectory directory;
  uint64_t capacity = 0;
  CacheOptions options;
  options.directories = {{.path = directory / "a", .quota_bytes = kMost},
                         {.path = directory / "b", .quota_bytes = uint64_t{1} << 30}};
  options.make_policy = [&](uint64_t bytes) {
    capacity = bytes;
    return s3_fifo_policy()(bytes);
  };
  (*Cache::open(options))->close();
  EXPECT_EQ(capacity, kMost);
}

}  // namespace
}  // namespace forebay::cache
