#include "forebay/storage/listing/parallel_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "fmt/format.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/list_work.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/testing/numbered_store.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

constexpr size_t kStreams = 16;
constexpr size_t kPageEntries = 100;  // a tenth of what services give, of a tenth of the objects

/// A listing in steps: in each, every stream that has something to ask for asks, then all are answered.
struct Stepped {
  uint64_t steps = 0;
  std::vector<std::string> keys;
  std::vector<std::string> folders;
};

Stepped step_through(ObjectStore& store, ListWork& work) {
  Stepped done;
  while (true) {
    std::vector<ListPiece> asked;
    while (asked.size() < kStreams) {
      std::optional<ListPiece> piece = work.next();
      if (!piece) {
        break;
      }
      asked.push_back(*std::move(piece));
    }
    if (asked.empty()) {
      std::ranges::sort(done.keys);
      std::ranges::sort(done.folders);
      return done;
    }
    ++done.steps;
    for (ListPiece& piece : asked) {
      if (!piece.stream) {
        piece.stream = store.open_list(piece.request);
      }
      ListPage page = *next_page_now(*piece.stream);
      work.take(std::move(piece), page);
      for (ObjectStat& object : page.objects) {
        done.keys.push_back(std::move(object.key));
      }
      done.folders.insert(done.folders.end(), page.prefixes.begin(), page.prefixes.end());
    }
  }
}

struct Layout {
  const char* what;
  uint64_t count;
  uint64_t folders;
  NumberedStore::Name name;
};

std::string three_bytes(uint64_t number) {  // any bytes but the slash
  std::string name;
  for (const uint64_t part : {number / 65025, number / 255 % 255, number % 255}) {
    name += static_cast<char>(part < '/' ? part : part + 1);
  }
  return name;
}

std::vector<Layout> layouts() {
  const auto format = [](auto text, auto... parts) { return fmt::format(fmt::runtime(text), parts...); };
  return {
      {"numbers", 100'000, 0, [=](uint64_t i) { return format("{:07}.jpg", i); }},
      {"few", 250, 0, [=](uint64_t i) { return format("{:09}.jpg", i); }},
      {"hexadecimal", 30'000, 0, [=](uint64_t i) { return format("{:08x}-{:04x}", i * 143160, i % 65536); }},
      {"large folders", 50'000, 503,
       [=](uint64_t i) {
         return format("{}/n{:08}/x_{}.JPEG", i < 5'000 ? "test" : "train", i / 100 * 7919, 100 + i % 100);
       }},
      {"small folders", 20'000, 5'000, [=](uint64_t i) { return format("d{:07}/{}", i / 4, i % 4); }},
      {"one large folder", 30'000, 4,
       [=](uint64_t i) {
         return i < 2 ? format("a/{}", i) : i < 29'998 ? format("b/c/{:08}.npy", i * 3) : format("d/{}", i);
       }},
      {"any bytes", 40'000, 0, [](uint64_t i) { return three_bytes(10 * i); }},
  };
}

class ListWorkTest : public ::testing::TestWithParam<size_t> {};

TEST_P(ListWorkTest, RangesGiveEachObjectOnceForFewPages) {
  const Layout layout = layouts()[GetParam()];
  SCOPED_TRACE(layout.what);
  NumberedStore store(layout.count, layout.name, kPageEntries);
  const Stepped done = step_through(store, *key_ranges({}, kStreams, 2 * kStreams));
  ASSERT_EQ(done.keys.size(), layout.count);
  for (uint64_t i = 0; i < layout.count; ++i) {
    ASSERT_EQ(done.keys[i], layout.name(i));
  }
  const uint64_t least = (layout.count + kPageEntries - 1) / kPageEntries;
  EXPECT_LE(store.pages(), least + std::max<uint64_t>(2 * kStreams, layout.folders));
  RecordProperty("pages", static_cast<int>(store.pages()));
  RecordProperty("steps", static_cast<int>(done.steps));
  if (least > 100) {
    EXPECT_LE(done.steps, least / 5) << "streams wait for each other; pages: " << store.pages();
  }
}

// A page for so many objects as one holds and one for each folder, however few there are.
TEST_P(ListWorkTest, WithoutSparePagesAListingCostsNoMoreThanItsFolders) {
  const Layout layout = layouts()[GetParam()];
  SCOPED_TRACE(layout.what);
  NumberedStore store(layout.count, layout.name, kPageEntries);
  const Stepped done = step_through(store, *key_ranges({}, kStreams, 0));
  ASSERT_EQ(done.keys.size(), layout.count);
  EXPECT_LE(store.pages(), (layout.count + kPageEntries - 1) / kPageEntries + layout.folders);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ListWorkTest, ::testing::Range<size_t>(0, 7));

TEST(ListWork, AWalkGivesEachFolderOnceForAPageEach) {
  NumberedStore store(120'000, [](uint64_t i) {
    return i < 20'000 ? fmt::format("a/{:06}", i)
                      : fmt::format("b/{:04}/{:02}/{:06}", i / 100, i / 50 % 2, i);
  });
  const Stepped done = step_through(store, *folder_walk({}));
  EXPECT_EQ(done.keys.size(), 120'000u);
  EXPECT_EQ(std::ranges::adjacent_find(done.keys), done.keys.end());
  EXPECT_EQ(done.folders.size(), 2 + 1000u + 2000u);
  EXPECT_EQ(std::ranges::adjacent_find(done.folders), done.folders.end());
  EXPECT_LE(store.pages(), (120'000 + 3002) / 1000 + 3003u);
}

TEST(ListWork, APrefixAndAStartAreKept) {
  NumberedStore store(100'000, [](uint64_t i) { return fmt::format("p/{:06}", i); });
  const Stepped done =
      step_through(store, *key_ranges({.prefix = "p/05", .start_after = "p/052499"}, kStreams, 2 * kStreams));
  ASSERT_EQ(done.keys.size(), 7500u);
  EXPECT_EQ(done.keys.front(), "p/052500");
  EXPECT_EQ(done.keys.back(), "p/059999");
}

TEST(ParallelList, ListsOnSeveralThreads) {
  NumberedStore store(250'000, [](uint64_t i) { return fmt::format("c{:03}/{:06}", i / 2500, i); });
  for (const bool with_folders : {false, true}) {
    std::vector<std::string> keys;
    std::set<std::string> folders;
    const ParallelListOptions options = {.prefix = "c", .with_folders = with_folders};
    const Status listed = parallel_list(store, options, [&](const ListPage& page) {
      for (const ObjectStat& object : page.objects) {
        keys.push_back(object.key);
      }
      folders.insert(page.prefixes.begin(), page.prefixes.end());
      return ok_status();
    });
    ASSERT_TRUE(listed.ok()) << listed;
    EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 250'000u);
    EXPECT_EQ(keys.size(), 250'000u);
    EXPECT_EQ(folders.size(), with_folders ? 100u : 0u);
  }
}

TEST(ParallelList, EndsWithTheFirstError) {
  NumberedStore store(1'000'000, [](uint64_t i) { return fmt::format("{:07}", i); });
  size_t calls = 0;
  const auto take = [&](const ListPage&) { return ++calls < 5 ? ok_status() : data_loss("no more"); };
  const Status status = parallel_list(store, {}, take);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_TRUE(message(status).starts_with(store.uri_of(""))) << status;
  EXPECT_EQ(calls, 5u);
}

TEST(ParallelList, IsCancelled) {
  NumberedStore store(1'000'000, [](uint64_t i) { return fmt::format("{:07}", i); });
  std::stop_source stop;
  size_t calls = 0;
  const auto take = [&](const ListPage&) {
    ++calls;
    stop.request_stop();
    return ok_status();
  };
  const Status status = parallel_list(store, {}, take, {.cancellation = stop.get_token()});
  EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
  EXPECT_EQ(calls, 1u);
}

TEST(ParallelList, ThrowsWhatTheTakerThrows) {
  NumberedStore store(100'000, [](uint64_t i) { return fmt::format("{:07}", i); });
  const auto take = [](const ListPage&) -> Status { throw std::bad_alloc(); };
  EXPECT_THROW(parallel_list(store, {}, take).IgnoreError(), std::bad_alloc);
}

TEST(ParallelList, WalksStoresWithDirectories) {
  const TemporaryDirectory directory;
  const auto store = std::make_shared<LocalStore>(LocalStoreOptions{.root = directory.path()});
  ASSERT_TRUE(store->features().has_directories);
  for (const char* const key : {"a/b/c", "a/d", "e"}) {
    ASSERT_TRUE(write_now(*store, key, {}).ok());
  }
  ASSERT_TRUE(make_directory_now(*store, "f/").ok());
  std::set<std::string> names;
  const auto take = [&](const ListPage& page) {
    for (const ObjectStat& object : page.objects) {
      names.insert(object.key);
    }
    names.insert(page.prefixes.begin(), page.prefixes.end());
    return ok_status();
  };
  ASSERT_TRUE(parallel_list(*store, {.with_folders = true}, take).ok());
  EXPECT_EQ(names, (std::set<std::string>{"a/", "a/b/", "a/b/c", "a/d", "e", "f/"}));
}

}  // namespace
}  // namespace forebay::storage
