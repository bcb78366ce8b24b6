#include "forebay/storage/namespace/namespace_list.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "forebay/storage/testing/namespace_fixture.h"

namespace forebay::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NamespaceListTest : public NamespaceTest {
 protected:
  std::vector<std::string> keys(ListRequest request) const {
    std::vector<std::string> all;
    const size_t most = request.page_entries;
    const Status listed = list_pages_now(*store, std::move(request), [&](const ListPage& page) {
      EXPECT_TRUE(most == 0 || page.objects.size() + page.prefixes.size() <= most);
      std::vector<std::string> names = page.prefixes;
      for (const ObjectStat& object : page.objects) {
        names.push_back(object.key);
      }
      std::sort(names.begin(), names.end());
      EXPECT_TRUE(all.empty() || names.empty() || all.back() < names.front());
      all.insert(all.end(), names.begin(), names.end());
      return ok_status();
    });
    EXPECT_TRUE(listed.ok()) << listed;
    return all;
  }

  NamespaceListTest() {
    mount("/n", "mem://base");
    mount("/n/b", "mem://b");
    mount("/n/b/deep/er", "mem://deeper");
    mount("/n/z/only", "mem://only");
    for (const char* path :
         {"mem://base/a", "mem://base/b", "mem://base/b/hidden", "mem://base/b.txt", "mem://base/c/d",
          "mem://b/1", "mem://b/deep/2", "mem://b/deep/er/hidden", "mem://deeper/3", "mem://only/4"}) {
      put(path);
    }
  }
};

TEST_F(NamespaceListTest, MergesMountsIntoATree) {
  const std::vector<std::string> all = {"n/a",           "n/b.txt", "n/b/1",     "n/b/deep/2",
                                        "n/b/deep/er/3", "n/c/d",   "n/z/only/4"};
  for (const size_t page : {0, 1, 2, 3, 100}) {
    EXPECT_EQ(keys({.prefix = "n/", .page_entries = page}), all) << page;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<std::string> rest(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    EXPECT_EQ(keys({.prefix = "n/", .start_after = all[i]}), rest) << all[i];
  }
  EXPECT_THAT(keys({.prefix = "n/b"}), ElementsAre("n/b.txt", "n/b/1", "n/b/deep/2", "n/b/deep/er/3"));
  EXPECT_THAT(keys({.prefix = "n/b/deep/"}), ElementsAre("n/b/deep/2", "n/b/deep/er/3"));
  EXPECT_THAT(keys({.prefix = "n/b/deep/er/"}), ElementsAre("n/b/deep/er/3"));
}

TEST_F(NamespaceListTest, LeavesOutNamesThatNoPathLeadsTo) {
  mount("/odd", "mem://odd");
  for (const char* path : {"mem://odd/..", "mem://odd/../n/a", "mem://odd/.", "mem://odd/a//b",
                           "mem://odd/a/../../x", "mem://odd/a/b", "mem://odd/..c", "mem://odd//d"}) {
    put(path);
  }
  EXPECT_THAT(keys({.prefix = "odd/"}), ElementsAre("odd/..c", "odd/a/b"));
  EXPECT_THAT(keys({.prefix = "odd/", .delimiter = "/"}), ElementsAre("odd/..c", "odd/a/"));
  EXPECT_THAT(keys({.prefix = "odd/a/", .delimiter = "/"}), ElementsAre("odd/a/b"));
}

TEST_F(NamespaceListTest, ShowsMountPointsAsFolders) {
  const std::vector<std::string> all = {"n/a", "n/b.txt", "n/b/", "n/c/", "n/z/"};
  for (const size_t page : {0, 1, 2, 100}) {
    EXPECT_EQ(keys({.prefix = "n/", .delimiter = "/", .page_entries = page}), all) << page;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<std::string> rest(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    EXPECT_EQ(keys({.prefix = "n/", .delimiter = "/", .start_after = all[i]}), rest) << all[i];
  }
  EXPECT_THAT(keys({.prefix = "n/b", .delimiter = "/"}), ElementsAre("n/b.txt", "n/b/"));
  EXPECT_THAT(keys({.prefix = "n/b/", .delimiter = "/"}), ElementsAre("n/b/1", "n/b/deep/"));
  EXPECT_THAT(keys({.prefix = "n/b/deep/", .delimiter = "/"}), ElementsAre("n/b/deep/2", "n/b/deep/er/"));
  EXPECT_THAT(keys({.prefix = "n/z/", .delimiter = "/"}), ElementsAre("n/z/only/"));
}

TEST_F(NamespaceListTest, ShowsMountsAboveTheFileSystem) {
  std::filesystem::create_directories(directory / "real/sub");
  mount(directory / "real/mnt/x", "mem://only");
  put(directory / "real/file");
  const std::string root = (directory / "real/").substr(1);
  EXPECT_EQ(keys({.prefix = root, .delimiter = "/"}),
            (std::vector<std::string>{root + "file", root + "mnt/", root + "sub/"}));
  EXPECT_EQ(keys({.prefix = root}), (std::vector<std::string>{root + "file", root + "mnt/x/4"}));
}

// Pages come on other threads, so the listing goes on from there.
TEST_F(NamespaceTest, ListingsOfStoresWithThreadsAreMerged) {
  register_threads();
  mount("/n", "threads://base");
  mount("/n/b", "threads://b");
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(fmt::format("n/{}/{:02}", i % 3 == 1 ? "b" : i % 3 == 0 ? "a" : "c", i));
    put("/" + all.back());
  }
  std::sort(all.begin(), all.end());
  for (const size_t entries : {1, 3, 1000}) {
    const Result<ListPage> page = list_all_now(*store, {.prefix = "n/", .page_entries = entries});
    ASSERT_TRUE(page.ok()) << page.status();
    std::vector<std::string> keys;
    for (const ObjectStat& object : page->objects) {
      keys.push_back(object.key);
    }
    EXPECT_EQ(keys, all) << entries;
  }
}

/// Its pages come when the test says so.
class HeldListStore final : public ForwardingStore {
 public:
  HeldListStore() : ForwardingStore(std::make_shared<MemoryStore>()) {}

  std::unique_ptr<ListStream> open_list(ListRequest request) override {
    return std::make_unique<List>(this, inner().open_list(std::move(request)));
  }
  void let_go() { std::exchange(held_, nullptr)(); }

 private:
  class List final : public ListStream {
   public:
    List(HeldListStore* store, std::shared_ptr<ListStream> inner) : store_(store), inner_(std::move(inner)) {}
    void next(const CallContext& context, ListCallback done) override {
      store_->held_ = [inner = inner_, context, done = std::move(done)]() mutable {
        inner->next(context, std::move(done));
      };
    }

   private:
    HeldListStore* const store_;
    const std::shared_ptr<ListStream> inner_;
  };

  absl::AnyInvocable<void()> held_;
};

TEST_F(NamespaceTest, AListingMayBeDroppedBeforeItsPageComes) {
  const auto held = std::make_shared<HeldListStore>();
  const auto factory = [held](const Uri& uri, const StoreUse&) -> Result<ObjectAddress> {
    return ObjectAddress{held, uri.authority + uri.path};
  };
  ASSERT_TRUE(registry->register_scheme("held", factory).ok());
  mount("/n", "held://base");
  put("/n/a");
  std::unique_ptr<ListStream> listing = store->open_list({.prefix = "n/"});
  size_t objects = 0;
  listing->next({}, [&](const Result<ListPage>& page) { objects += page.ok() ? page->objects.size() : 0; });
  listing.reset();
  held->let_go();
  EXPECT_EQ(objects, 1u);
}

TEST_F(NamespaceListTest, ABrokenMountEndsTheListingByName) {
  mount("/n/y", "nosuch://bucket");
  const Status status = list_all_now(*store, {.prefix = "n/"}).status();
  EXPECT_THAT(std::string(message(status)), HasSubstr("/n/y"));
  EXPECT_THAT(keys({.prefix = "n/", .delimiter = "/"}), ::testing::Contains("n/y/"));  // its name is known
}

}  // namespace
}  // namespace forebay::storage
