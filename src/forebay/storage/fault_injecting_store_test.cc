#include "forebay/storage/fault_injecting_store.h"

#include "forebay/storage/errors.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/threads_store.h"

namespace forebay::storage {
namespace {

struct FaultlessFixture {
  std::shared_ptr<ObjectStore> store = std::make_shared<FaultInjectingStore>(std::make_shared<MemoryStore>());
};
FOREBAY_TEST_OBJECT_STORE(FaultInjecting, FaultlessFixture);

struct ThreadsFixture {
  std::shared_ptr<ObjectStore> store = std::make_shared<ThreadsStore>(std::make_shared<MemoryStore>());
};
FOREBAY_TEST_OBJECT_STORE(Threads, ThreadsFixture);

class FaultInjectingStoreTest : public ::testing::Test {
 protected:
  FaultInjectingStoreTest() {
    for (const char* key : {"a", "b", "c"}) {
      const std::string content = "0123456789";
      write_now(store_, key, as_bytes(content)).IgnoreError();
    }
  }
  StatusCode read(const std::string& key) { return read_now(store_, {.key = key}).status().code(); }

  FaultInjectingStore store_{std::make_shared<MemoryStore>()};
};

TEST_F(FaultInjectingStoreTest, FailsAsScripted) {
  store_.fail_reads("a", unavailable("scripted"), 2);
  store_.fail_reads("b", not_found("scripted"));
  EXPECT_EQ(read("a"), StatusCode::kUnavailable);
  EXPECT_EQ(read("a"), StatusCode::kUnavailable);
  EXPECT_EQ(read("a"), StatusCode::kOk);
  EXPECT_EQ(read("b"), StatusCode::kNotFound);
  EXPECT_EQ(read("c"), StatusCode::kOk);
  EXPECT_EQ(store_.read_count(), 5u);
  EXPECT_EQ(store_.read_count("a"), 3u);
}

TEST_F(FaultInjectingStoreTest, Truncates) {
  store_.truncate("a", 4);
  EXPECT_EQ(text_of(*read_now(store_, {.key = "a"})), "0123");
  EXPECT_EQ(stat_now(store_, "a")->size_bytes, 4u);
  EXPECT_EQ(read_now(store_, {.key = "a", .length_bytes = 5}).status().code(), StatusCode::kOutOfRange);
}

TEST_F(FaultInjectingStoreTest, SeededFailuresRepeat) {
  store_.fail_randomly(0.5, 7, unavailable("seeded"));
  std::vector<bool> first;
  std::vector<bool> second;
  for (std::vector<bool>* run : {&first, &second}) {
    for (uint64_t offset = 0; offset < 10; ++offset) {
      run->push_back(read_now(store_, {.key = "a", .offset_bytes = offset}).ok());
    }
  }
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::vector<bool>(10, true));
  EXPECT_NE(first, std::vector<bool>(10, false));
}

TEST_F(FaultInjectingStoreTest, ThrottlesAndSaysForHowLong) {
  store_.fail_reads("a", throttled("mem://a", 250'000'000), 1);
  const Status status = annotate(read_now(store_, {.key = "a"}).status(), "somewhere");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(retry_after_ns(status), 250'000'000);
  EXPECT_EQ(retry_after_ns(read_now(store_, {.key = "none"}).status()), std::nullopt);
}

TEST_F(FaultInjectingStoreTest, RemembersWhoReadAndHow) {
  const auto who = std::make_shared<Caller>(Caller{"job"});
  EXPECT_TRUE(read_now(store_, {.key = "a"}, {.priority = Priority::kPrefetch, .who = who}).ok());
  ASSERT_EQ(store_.reads().size(), 1u);
  EXPECT_EQ(store_.reads()[0].context.priority, Priority::kPrefetch);
  EXPECT_EQ(store_.reads()[0].context.who, who);
}

TEST_F(FaultInjectingStoreTest, AnswersThatWaitAreGivenWhenItGoes) {
  int answers = 0;
  {
    FaultInjectingStore store(std::make_shared<MemoryStore>());
    store.hold_reads();
    store.read({.key = "none"}, {}, [&answers](Result<ReadBytes>) { ++answers; });
    EXPECT_EQ(answers, 0);
  }
  EXPECT_EQ(answers, 1);
}

TEST_F(FaultInjectingStoreTest, AnswersWaitForTheirStep) {
  store_.hold_reads();
  std::string order;
  for (const char* key : {"a", "b", "c"}) {
    store_.read({.key = key}, {}, [&order, key](Result<ReadBytes>) { order += key; });
  }
  EXPECT_EQ(order, "");
  EXPECT_EQ(store_.held_reads(), 3u);
  EXPECT_TRUE(store_.step(2));
  EXPECT_TRUE(store_.step());
  EXPECT_EQ(order, "ca");
  store_.release_reads();
  EXPECT_EQ(order, "cab");
  EXPECT_FALSE(store_.step());
  EXPECT_EQ(read("a"), StatusCode::kOk);
}

}  // namespace
}  // namespace forebay::storage
