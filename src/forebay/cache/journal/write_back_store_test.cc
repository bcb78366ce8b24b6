#include "forebay/cache/journal/write_back_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "forebay/cache/journal/upload.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/cache/testing/written_back.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::list_all_now;
using storage::ListPage;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::stat_now;
using storage::write_now;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::WrittenBack;

size_t files_in(const std::string& folder, const std::string& ending) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.path().string().ends_with(ending) ? 1 : 0;
  }
  return count;
}

std::vector<std::string> keys_of(const Result<ListPage>& page) {
  std::vector<std::string> keys;
  for (const ObjectStat& stat : page->objects) {
    keys.push_back(stat.key);
  }
  keys.insert(keys.end(), page->prefixes.begin(), page->prefixes.end());
  return keys;
}

TEST(WriteBackStore, AnObjectIsReadBeforeItIsStoredAndAfter) {
  WrittenBack back;
  const std::string content(3 << 20, 'c');
  const Result<ObjectStat> stat = back.write("a/k", content);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(files_in(back.folder(), ".entry"), 1u);
  EXPECT_EQ(back.read_upstream("a/k").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(*back.read("a/k"), content);
  EXPECT_EQ(stat_now(*back.store(), "a/k")->version, stat->version);
  EXPECT_EQ(back.journal().status().objects, 1u);
  EXPECT_EQ(back.journal().status().bytes, content.size());
  const ReadBytes kept = *storage::read_now(*back.store(), {.key = "a/k"});

  back.upload();
  EXPECT_EQ(*back.read_upstream("a/k"), content);
  EXPECT_EQ(*back.read("a/k"), content);
  EXPECT_NE(stat_now(*back.store(), "a/k")->version, stat->version);
  EXPECT_EQ(*back.read("a/k", stat->version), content);  // by the name that its writer was told
  EXPECT_EQ(storage::text_of(kept), content);            // a view outlives the file
  EXPECT_TRUE(back.journal().is_empty());
  EXPECT_EQ(files_in(back.folder(), ".entry"), 0u);
  EXPECT_EQ(back.journal().status().bytes, 0u);
}

TEST(WriteBackStore, VersionsOfAnObjectAreStoredInTheirOrder) {
  WrittenBack back;
  std::vector<std::string> stored;
  back.upstream().after_write = [&](const std::string& key) {
    stored.push_back(*back.read_upstream(key));
    return ok_status();
  };
  std::vector<std::string> versions;
  for (const char* const content : {"one", "two", "three"}) {
    versions.push_back(back.write("k", content)->version);
    EXPECT_EQ(*back.read("k"), content);
  }
  EXPECT_EQ(back.read("k", versions[0]).status().code(), StatusCode::kAborted);  // it was replaced
  back.upload();
  EXPECT_THAT(stored, ElementsAre("one", "two", "three"));
  EXPECT_EQ(files_in(back.folder(), ".outcome"), 0u);
  EXPECT_EQ(back.journal().status().conflicts, 0u);
}

TEST(WriteBackStore, ConditionsAreThoseOfWhatWaits) {
  WrittenBack back;
  const ObjectStat first = *back.write("k", "one", {.if_absent = true});
  EXPECT_EQ(back.write("k", "x", {.if_absent = true}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(back.write("k", "x", {.if_version = "other"}).status().code(), StatusCode::kAborted);
  const ObjectStat second = *back.write("k", "two", {.if_version = first.version});
  back.upload();
  // Both names of what is there now are accepted.
  EXPECT_EQ(back.write("k", "x", {.if_version = first.version}).status().code(), StatusCode::kAborted);
  EXPECT_TRUE(back.write("k", "three", {.if_version = second.version}).ok());
  back.upload();
  EXPECT_EQ(*back.read_upstream("k"), "three");
  ASSERT_TRUE(write_now(back.bucket(), "other", as_bytes("theirs")).ok());
  EXPECT_EQ(back.write("other", "x", {.if_absent = true}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(files_in(back.folder(), ".new"), 0u);
}

TEST(WriteBackStore, WhatSomebodyElseHasWrittenIsNotOverwritten) {
  WrittenBack back;
  ASSERT_TRUE(write_now(back.bucket(), "k", as_bytes("old")).ok());
  const ObjectStat mine = *back.write("k", "mine");
  const ObjectStat next = *back.write("k", "mine, too");
  ASSERT_TRUE(write_now(back.bucket(), "k", as_bytes("theirs")).ok());
  back.upload();
  EXPECT_EQ(*back.read_upstream("k"), "theirs");
  const WriteBackStatus status = back.journal().status();
  EXPECT_EQ(status.conflicts, 2u);
  ASSERT_EQ(status.last_conflicts.size(), 2u);
  EXPECT_EQ(status.last_conflicts[0].uri, back.uri_of("k"));
  EXPECT_THAT(status.last_conflicts[0].kept_as, HasSubstr("k.forebay-conflict-"));
  const std::string prefix = back.uri_of("");
  EXPECT_EQ(*back.read_upstream(status.last_conflicts[0].kept_as.substr(prefix.size())), "mine");
  EXPECT_EQ(*back.read_upstream(status.last_conflicts[1].kept_as.substr(prefix.size())), "mine, too");
  EXPECT_EQ(*back.read("k"), "theirs");
  EXPECT_EQ(*back.read("k", mine.version), "mine");
  EXPECT_EQ(*back.read("k", next.version), "mine, too");
  EXPECT_TRUE(back.journal().is_empty());
}

TEST(WriteBackStore, AnObjectThatSomebodyHasRemovedIsKeptBeside) {
  WrittenBack back;
  ASSERT_TRUE(write_now(back.bucket(), "k", as_bytes("old")).ok());
  ASSERT_TRUE(back.write("k", "mine").ok());
  ASSERT_TRUE(storage::remove_now(back.bucket(), "k").ok());
  back.upload();
  EXPECT_EQ(back.journal().status().conflicts, 1u);
  EXPECT_EQ(back.read_upstream("k").status().code(), StatusCode::kNotFound);
}

TEST(WriteBackStore, AnUploadWhoseAnswerWasLostIsNoConflict) {
  WrittenBack back;
  const std::string content(9 << 20, 'c');
  int lost = 0;
  back.upstream().after_write = [&](const std::string&) {
    return ++lost <= 2 ? unavailable("the connection was reset") : ok_status();
  };
  ASSERT_TRUE(back.write("k", content).ok());
  ASSERT_TRUE(back.write("k", "next").ok());
  back.upload_all();
  EXPECT_EQ(*back.read_upstream("k"), "next");
  EXPECT_EQ(back.journal().status().conflicts, 0u);
  EXPECT_GE(lost, 2);
}

TEST(WriteBackStore, AStoreThatIsDownIsTriedAgainWithPauses) {
  WrittenBack back;
  bool is_down = true;
  int tries = 0;
  back.upstream().before_write = [&](const std::string&) {
    ++tries;
    return is_down ? unavailable("mem://: down") : ok_status();
  };
  ASSERT_TRUE(back.write("k", "one").ok());
  back.upload();
  EXPECT_EQ(tries, 1);
  back.timer().advance_ns(WriteBack::kFirstPauseNs - 1);
  back.upload();
  EXPECT_EQ(tries, 1);
  back.timer().advance_ns(1);
  back.upload();
  EXPECT_EQ(tries, 2);
  for (int i = 0; i < 100; ++i) {
    back.timer().advance_ns(WriteBack::kLongestPauseNs);
    back.upload();
  }
  EXPECT_EQ(tries, 102);  // it is never given up
  const WriteBackStatus status = back.journal().status();
  EXPECT_EQ(status.failing, 1u);
  EXPECT_THAT(status.last_error, HasSubstr("down"));
  EXPECT_EQ(*back.read("k"), "one");
  is_down = false;
  back.journal().hurry();
  back.timer().advance_ns(0);
  back.upload();
  EXPECT_EQ(*back.read_upstream("k"), "one");
  EXPECT_EQ(back.journal().status().failing, 0u);
}

TEST(WriteBackStore, WhileNobodyCanSayWhatIsThereNothingIsReplaced) {
  WrittenBack back;
  ASSERT_TRUE(write_now(back.bucket(), "k", as_bytes("old")).ok());
  back.upstream().before_stat = [](const std::string&) { return unavailable("mem://: down"); };
  EXPECT_TRUE(back.write("k", "mine").ok());
  EXPECT_TRUE(back.write("new", "mine").ok());
  back.upstream().before_stat = nullptr;
  back.upload();
  EXPECT_EQ(*back.read_upstream("k"), "old");
  EXPECT_EQ(*back.read_upstream("new"), "mine");
  EXPECT_EQ(back.journal().status().conflicts, 1u);
}

TEST(WriteBackStore, WhatMayNotBeLookedAtIsRefused) {
  WrittenBack back;
  back.upstream().before_stat = [](const std::string&) { return permission_denied("mem://k: no"); };
  EXPECT_EQ(back.write("k", "mine").status().code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(back.journal().is_empty());
  EXPECT_EQ(back.journal().status().bytes, 0u);
}

TEST(WriteBackStore, BeyondItsLimitItWritesThrough) {
  WrittenBack back;
  back.use.most_bytes = 10 << 20;
  back.open_again();
  const std::string six(6 << 20, '6');
  ASSERT_TRUE(back.write("a", six).ok());
  EXPECT_EQ(back.read_upstream("a").status().code(), StatusCode::kNotFound);
  const Result<ObjectStat> through = back.write("b", six);
  ASSERT_TRUE(through.ok()) << through.status();
  EXPECT_EQ(*back.read_upstream("b"), six);
  EXPECT_EQ(stat_now(back.bucket(), "b")->version, through->version);
  EXPECT_EQ(back.journal().status().through, 1u);
  EXPECT_EQ(back.journal().status().bytes, six.size());
  back.upload();
  ASSERT_TRUE(back.write("c", six).ok());  // there is room again
  EXPECT_EQ(back.read_upstream("c").status().code(), StatusCode::kNotFound);
}

// Half of it is in the journal when the limit is reached.
TEST(WriteBackStore, AnObjectInPartsGoesThroughWhereItsRoomEnds) {
  WrittenBack back;
  back.use.most_bytes = 3 << 20;
  back.open_again();
  Result<std::unique_ptr<storage::ObjectWriter>> writer = back.store()->open_writer("k", {});
  ASSERT_TRUE(writer.ok());
  std::string all;
  for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
    const std::string part(size_t{1300} << 10, letter);
    ASSERT_TRUE(storage::append_now(**writer, as_bytes(part)).ok());
    all += part;
  }
  EXPECT_EQ(back.read("k").status().code(), StatusCode::kNotFound);
  const Result<ObjectStat> stat = storage::commit_now(**writer);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(*back.read_upstream("k"), all);
  EXPECT_EQ(back.journal().status().bytes, 0u);
  EXPECT_EQ(files_in(back.folder(), ".new"), 0u);
}

TEST(WriteBackStore, WhatIsWrittenThroughComesAfterWhatWaits) {
  WrittenBack back;
  ASSERT_TRUE(back.write("k", "one").ok());
  const std::string large(size_t{65} << 20, 'l');
  bool is_done = false;
  back.store()->write("k", as_bytes(large), {}, {}, [&](const Result<ObjectStat>& stat) {
    EXPECT_TRUE(stat.ok()) << stat.status();
    is_done = true;
  });
  EXPECT_FALSE(is_done);
  EXPECT_EQ(*back.read("k"), "one");
  back.upload();
  EXPECT_TRUE(is_done);
  EXPECT_EQ(*back.read_upstream("k"), large);
}

TEST(WriteBackStore, ChangesWaitForWhatTheyChange) {
  WrittenBack back;
  ASSERT_TRUE(back.write("a", "one").ok());
  std::vector<std::string> done;
  back.store()->copy({.from = "a", .to = "b"}, {}, [&](const Result<ObjectStat>& stat) {
    EXPECT_TRUE(stat.ok()) << stat.status();
    done.emplace_back("copied");
  });
  back.store()->remove("a", {}, [&](const Status& status) {
    EXPECT_TRUE(status.ok()) << status;
    done.emplace_back("removed");
  });
  EXPECT_TRUE(done.empty());
  back.upload();
  EXPECT_THAT(done, ElementsAre("copied", "removed"));
  EXPECT_EQ(*back.read_upstream("b"), "one");
  EXPECT_EQ(back.read("a").status().code(), StatusCode::kNotFound);
}

TEST(WriteBackStore, AChangeHasTheErrorOfWhatItWaitsFor) {
  WrittenBack back;
  back.upstream().before_write = [](const std::string&) { return unavailable("mem://: down"); };
  ASSERT_TRUE(back.write("a", "one").ok());
  Status removed;
  back.store()->remove("a", {}, [&](Status status) { removed = std::move(status); });
  back.upload();
  EXPECT_EQ(removed.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(message(removed)), HasSubstr("waits to be stored"));
  storage::CallContext soon = {.deadline_ns = back.timer().now_ns() + 1000};
  Status late;
  back.store()->remove("a", soon, [&](Status status) { late = std::move(status); });
  back.timer().advance_ns(1000);
  EXPECT_FALSE(late.ok());
  EXPECT_EQ(*back.read("a"), "one");
}

TEST(WriteBackStore, ListingsShowWhatWaitsInItsPlace) {
  WrittenBack back;
  for (const char* const key : {"a", "c", "d/x", "f"}) {
    ASSERT_TRUE(write_now(back.bucket(), key, as_bytes("old")).ok());
  }
  for (const char* const key : {"b", "c", "d/y", "e/z", "g"}) {
    ASSERT_TRUE(back.write(key, "waits").ok());
  }
  EXPECT_THAT(keys_of(list_all_now(*back.store(), {})),
              ElementsAre("a", "b", "c", "d/x", "d/y", "e/z", "f", "g"));
  EXPECT_THAT(keys_of(list_all_now(*back.store(), {.delimiter = "/"})),
              ElementsAre("a", "b", "c", "f", "g", "d/", "e/"));
  EXPECT_THAT(keys_of(list_all_now(*back.store(), {.prefix = "d/"})), ElementsAre("d/x", "d/y"));
  EXPECT_THAT(keys_of(list_all_now(*back.store(), {.delimiter = "/", .start_after = "d/"})),
              ElementsAre("f", "g", "e/"));
  const Result<ListPage> all = list_all_now(*back.store(), {});
  EXPECT_EQ(all->objects[2].version, stat_now(*back.store(), "c")->version);
  for (size_t page = 1; page < 5; ++page) {
    std::vector<std::string> names;
    const Status status = list_pages_now(*back.store(), {.page_entries = page}, [&](const ListPage& some) {
      EXPECT_LE(some.objects.size(), page);
      for (const ObjectStat& stat : some.objects) {
        names.push_back(stat.key);
      }
      return ok_status();
    });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_THAT(names, ElementsAre("a", "b", "c", "d/x", "d/y", "e/z", "f", "g"));
  }
}

TEST(WriteBackStore, AnEarlierRunsObjectsAreReadAndStored) {
  WrittenBack back;
  const ObjectStat first = *back.write("k", "one");
  ASSERT_TRUE(back.write("k", "two").ok());
  back.open_again();
  EXPECT_EQ(*back.read("k"), "two");
  EXPECT_EQ(back.read("k", first.version).status().code(), StatusCode::kAborted);
  EXPECT_EQ(back.journal().status().objects, 2u);
  EXPECT_EQ(back.journal().status().bytes, 6u);
  back.uploads().step();  // one is stored
  back.uploads().step();  // and taken out; two comes after it
  back.open_again();
  back.upload();
  EXPECT_EQ(*back.read_upstream("k"), "two");
  EXPECT_EQ(back.journal().status().conflicts, 0u);
  EXPECT_EQ(files_in(back.folder(), ".outcome"), 0u);
}

TEST(WriteBackStore, AnUploadThatWasNotHeardOfIsFoundByTheNextRun) {
  WrittenBack back;
  ASSERT_TRUE(back.write("k", "one").ok());
  ASSERT_TRUE(back.write("k", "two").ok());
  back.uploads().step();  // stored; what follows from it is not done any more
  back.open_again();
  back.upload();
  EXPECT_EQ(*back.read_upstream("k"), "two");
  EXPECT_EQ(back.journal().status().conflicts, 0u);
}

TEST(WriteBackStore, AMountThatHasGoneKeepsItsObjectsWaiting) {
  WrittenBack back;
  ASSERT_TRUE(back.write("k", "one").ok());
  back.use.mount = "/elsewhere";
  back.open_again();
  const Result<ObjectStat> through = back.write("j", "two");  // nothing could store it later
  ASSERT_TRUE(through.ok()) << through.status();
  EXPECT_EQ(*back.read_upstream("j"), "two");
  EXPECT_EQ(back.journal().status().objects, 1u);
}

void flip_a_bit(const std::string& folder, uint64_t at) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".entry") {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(file.get() ^ 16);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
  }
}

TEST(WriteBackStore, DamagedContentIsNamedAndNeverStored) {
  WrittenBack back;
  ASSERT_TRUE(write_now(back.bucket(), "k", as_bytes("old")).ok());
  ASSERT_TRUE(back.write("k", std::string(2 << 20, 'c')).ok());
  flip_a_bit(back.folder(), 4096 + (1 << 20) + 7);
  back.open_again();
  const Status read = storage::read_now(*back.store(), {.key = "k", .offset_bytes = 1 << 20}).status();
  EXPECT_EQ(read.code(), StatusCode::kDataLoss) << read;
  EXPECT_THAT(std::string(message(read)), HasSubstr(back.uri_of("k")));
  EXPECT_TRUE(storage::read_now(*back.store(), {.key = "k", .length_bytes = 100}).ok());  // it is sound there
  ASSERT_TRUE(back.write("k", "next").ok());
  back.upload();
  EXPECT_EQ(*back.read_upstream("k"), "next");
  const WriteBackStatus status = back.journal().status();
  ASSERT_EQ(status.damaged.size(), 1u);
  EXPECT_EQ(status.damaged[0].uri, back.uri_of("k"));
  EXPECT_TRUE(std::filesystem::exists(status.damaged[0].file));
  EXPECT_EQ(status.conflicts, 0u);
}

TEST(WriteBackStore, ADamagedFooterIsNamedAtTheStart) {
  WrittenBack back;
  ASSERT_TRUE(back.write("k", "content").ok());
  flip_a_bit(back.folder(), 4096 + 7 + 64 + 20);
  back.open_again();
  back.upload();
  const WriteBackStatus status = back.journal().status();
  ASSERT_EQ(status.damaged.size(), 1u);
  EXPECT_EQ(status.damaged[0].uri, back.uri_of("k"));
  EXPECT_EQ(status.objects, 0u);
  EXPECT_EQ(back.read_upstream("k").status().code(), StatusCode::kNotFound);
}

TEST(WriteBackStore, AnotherProcessMayNotHaveTheJournal) {
  WrittenBack back;
  EXPECT_EQ(Journal::open(back.folder(), host_files()).status().code(), StatusCode::kFailedPrecondition);
}

TEST(WriteBackStore, TheJournalIsListedFromOutside) {
  WrittenBack back;
  ASSERT_TRUE(back.write("k", "content").ok());
  const Result<std::vector<JournalWaiting>> waiting = list_journal(*host_files(), back.folder());
  ASSERT_TRUE(waiting.ok()) << waiting.status();
  ASSERT_EQ(waiting->size(), 1u);
  EXPECT_EQ(waiting->front().uri, back.uri_of("k"));
  EXPECT_EQ(waiting->front().mount, "/data");
  EXPECT_TRUE(list_journal(*host_files(), "/none/such")->empty());
}

}  // namespace
}  // namespace forebay::cache
