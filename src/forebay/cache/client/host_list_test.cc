#include "forebay/cache/client/host_list.h"

#include <gtest/gtest.h>

#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"

namespace forebay::cache {
namespace {

using storage::list_all_now;
using storage::ListPage;

class HostListTest : public ::testing::Test {
 protected:
  void put(storage::ObjectStore& store, const std::string& key) {
    ASSERT_TRUE(storage::write_now(store, key, std::as_bytes(std::span(key))).ok()) << key;
  }
  static std::set<std::string> names_in(const ListPage& page) {
    std::set<std::string> names(page.prefixes.begin(), page.prefixes.end());
    for (const storage::ObjectStat& object : page.objects) {
      names.insert(object.key);
    }
    return names;
  }
  static Result<std::set<std::string>> list(storage::ObjectStore& store, storage::ListRequest request) {
    FOREBAY_ASSIGN_OR_RETURN(const ListPage page, list_all_now(store, std::move(request)));
    return names_in(page);
  }

  const TemporaryDirectory directory_;
  HostedCache daemon_{directory_.path()};
};

TEST_F(HostListTest, ListingsAreThoseOfTheStore) {
  for (const char* const key : {"a/1", "a/2", "a/b/3", "a/c/4", "ab", "b/\xff\x01 x", "z"}) {
    put(daemon_.upstream(), key);
  }
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  for (const storage::ListRequest& request :
       std::vector<storage::ListRequest>{{},
                                         {.prefix = "a"},
                                         {.prefix = "a/", .delimiter = "/"},
                                         {.prefix = "a/", .start_after = "a/1"},
                                         {.prefix = "a/", .start_after = "Z"},
                                         {.delimiter = "/", .page_entries = 1},
                                         {.prefix = "none"}}) {
    const Result<ListPage> expected = list_all_now(daemon_.upstream(), request);
    const Result<ListPage> listed = list_all_now(*store, request);
    ASSERT_TRUE(listed.ok()) << listed.status();
    EXPECT_EQ(listed->prefixes, expected->prefixes);
    ASSERT_EQ(listed->objects.size(), expected->objects.size()) << request.prefix;
    for (size_t i = 0; i < listed->objects.size(); ++i) {
      EXPECT_EQ(listed->objects[i].key, expected->objects[i].key);
      EXPECT_EQ(listed->objects[i].size_bytes, expected->objects[i].size_bytes);
      EXPECT_EQ(listed->objects[i].version, expected->objects[i].version);
    }
  }
}

TEST_F(HostListTest, QuestionsForReadsAreThatForTheDaemonToo) {
  for (int i = 0; i < 5; ++i) {
    put(daemon_.upstream(), "k" + std::to_string(i));
  }
  daemon_.outages().set_outage(true);
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  const storage::CallContext for_read = {.is_for_read = true};
  EXPECT_EQ(stat_now(*store, "k1").status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(stat_now(*store, "k1", for_read).ok());
  EXPECT_EQ(list(*store, {}).status().code(), StatusCode::kUnavailable);
  const Result<ListPage> listed = list_all_now(*store, {.page_entries = 2}, for_read);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->objects.size(), 5U);
}

TEST_F(HostListTest, APageThatIsTooLongForAMessageComesInParts) {
  const std::string folder(500, 'd');
  for (int i = 0; i < 300; ++i) {
    put(daemon_.upstream(), folder + "/" + std::to_string(i) + (i % 2 == 0 ? "/x" : std::string(300, 'n')));
  }
  const storage::ListRequest request = {.prefix = folder + "/", .delimiter = "/"};
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  EXPECT_EQ(*list(*store, request), *list(daemon_.upstream(), request));
  // Each page ends before the next begins.
  const std::unique_ptr<storage::ListStream> stream = store->open_list(request);
  std::string last;
  size_t pages = 0;
  for (bool is_last = false; !is_last; ++pages) {
    std::promise<Result<ListPage>> answered;
    stream->next({}, [&](Result<ListPage> page) { answered.set_value(std::move(page)); });
    const Result<ListPage> page = answered.get_future().get();
    ASSERT_TRUE(page.ok()) << page.status();
    const std::set<std::string> names = names_in(*page);
    ASSERT_FALSE(names.empty());
    EXPECT_LT(last, *names.begin());
    last = *names.rbegin();
    is_last = page->is_last;
  }
  EXPECT_GT(pages, 1U);
}

TEST_F(HostListTest, EightProcessesCauseOneListing) {
  for (int i = 0; i < 50; ++i) {
    put(daemon_.upstream(), "k" + std::to_string(i));
  }
  daemon_.listed().hold();
  std::vector<std::thread> processes;
  for (int i = 0; i < 8; ++i) {
    processes.emplace_back([this] {
      const std::shared_ptr<HostStore> store = daemon_.new_store();
      EXPECT_EQ(list(*store, {})->size(), 50U);
    });
  }
  while (!daemon_.listed().step()) {
    std::this_thread::yield();
  }
  for (std::thread& process : processes) {
    process.join();
  }
  EXPECT_EQ(daemon_.listed().pages(), 1U);
  EXPECT_TRUE(storage::stat_now(*daemon_.new_store(), "k7").ok());  // as it was listed
}

TEST_F(HostListTest, WhatAProcessChangesIsListedAtOnce) {
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  EXPECT_TRUE(list(*store, {})->empty());
  put(*store, "a");
  EXPECT_EQ(*list(*store, {}), (std::set<std::string>{"a"}));
  put(*store, "b");
  EXPECT_EQ(list(*store, {})->size(), 2U);
  std::promise<Status> removed;
  store->remove("a", {}, [&](Status status) { removed.set_value(std::move(status)); });
  EXPECT_TRUE(removed.get_future().get().ok());
  EXPECT_EQ(*list(*store, {}), (std::set<std::string>{"b"}));
}

TEST_F(HostListTest, AListingGoesOnWithoutTheDaemon) {
  for (int i = 0; i < 9; ++i) {
    put(daemon_.upstream(), "k" + std::to_string(i));
  }
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  const std::unique_ptr<storage::ListStream> stream = store->open_list({.page_entries = 4});
  std::vector<std::string> names;
  for (bool is_last = false; !is_last;) {
    std::promise<Result<ListPage>> answered;
    stream->next({}, [&](Result<ListPage> page) { answered.set_value(std::move(page)); });
    const Result<ListPage> page = answered.get_future().get();
    ASSERT_TRUE(page.ok()) << page.status();
    for (const storage::ObjectStat& object : page->objects) {
      names.push_back(object.key);
    }
    is_last = page->is_last;
    daemon_.stop();
  }
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 9U);
}

}  // namespace
}  // namespace forebay::cache
