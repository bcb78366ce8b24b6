#include "forebay/storage/local/local_store.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/wait_for_child.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <semaphore>
#include <thread>

#include "forebay/storage/local/file_version.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/local/local_list.h"
#include "forebay/storage/local/local_read.h"
#include "forebay/storage/local/local_writer.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

struct LocalStoreFixture {
  TemporaryDirectory directory;
  std::shared_ptr<ObjectStore> store = std::make_shared<LocalStore>(
      LocalStoreOptions{.root = directory / "root", .sync_writes = true, .derived_root = directory / "side"});
};
FOREBAY_TEST_OBJECT_STORE(Local, LocalStoreFixture);

class LocalStoreTest : public ::testing::Test {
 protected:
  void put(const std::string& key, const std::string& content) {
    ASSERT_TRUE(write_now(store_, key, as_bytes(content)).ok());
  }
  /// Drops the file's pages from the page cache, if the file system can.
  void evict(const std::string& key) {
    const int file = ::open((directory_ / key).c_str(), O_RDONLY);
    ::fsync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }

  static std::vector<std::string> keys_of(const ListPage& page) {
    std::vector<std::string> keys;
    for (const ObjectStat& object : page.objects) {
      keys.push_back(object.key);
    }
    return keys;
  }

  TemporaryDirectory directory_;
  LocalStore store_{{.root = directory_.path()}};
};

TEST_F(LocalStoreTest, ACopyThatNobodyWantsEnds) {
  put("from", std::string(3 << 20, 'x'));
  const OpenFile file = *open_file(directory_ / "from", "from");
  std::stop_source stop;
  const auto writer = *LocalWriter::create(directory_ / "to", "to", {}, false);
  EXPECT_TRUE(writer->append_file(file, {.cancellation = stop.get_token()}).ok());
  stop.request_stop();
  EXPECT_EQ(writer->append_file(file, {.cancellation = stop.get_token()}).code(), StatusCode::kCancelled);
}

TEST_F(LocalStoreTest, CachedReadsAnswerInline) {
  put("k", std::string(100'000, 'x'));
  read_now(store_, {.key = "k"}).IgnoreError();
  const std::thread::id caller = std::this_thread::get_id();
  bool is_inline = false;
  store_.read({.key = "k"}, {},
              [&](Result<ReadBytes> read) { is_inline = read.ok() && std::this_thread::get_id() == caller; });
  if (store_.page_cache_misses() == 0) {
    EXPECT_TRUE(is_inline);
  }
}

TEST_F(LocalStoreTest, UncachedReadsArriveWhole) {
  std::string content(3'000'000, '\0');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 31 + i / 4096);
  }
  put("k", content);
  for (int round = 0; round < 5; ++round) {
    evict("k");
    std::vector<ReadRequest> requests;
    for (uint64_t offset = 0; offset < content.size(); offset += 70'001) {
      requests.push_back({.key = "k", .offset_bytes = offset});
    }
    const std::vector<Result<ReadBytes>> results = read_many_now(store_, requests);
    for (size_t i = 0; i < results.size(); ++i) {
      ASSERT_TRUE(results[i].ok()) << results[i].status();
      ASSERT_EQ(text_of(*results[i]), content.substr(i * 70'001));
    }
  }
}

TEST_F(LocalStoreTest, ReadsWithoutIoUring) {
  LocalStore plain({.root = directory_.path(), .use_io_uring = false});
  const std::string content(1'000'000, 'p');
  put("k", content);
  evict("k");
  EXPECT_EQ(text_of(*read_now(plain, {.key = "k"})), content);
}

TEST_F(LocalStoreTest, GoingWaitsForReadsInFlight) {
  put("k", std::string(500'000, 'x'));
  std::atomic<int> answers = 0;
  {
    LocalStore store({.root = directory_.path()});
    for (int i = 0; i < 50; ++i) {
      evict("k");
      store.read({.key = "k"}, {}, [&](Result<ReadBytes> read) { answers += read.ok(); });
    }
  }
  EXPECT_EQ(answers, 50);
}

TEST_F(LocalStoreTest, ReadsInAForkedChild) {
  if (kIsAddressSanitized) {
    GTEST_SKIP() << "AddressSanitizer's allocator does not support a fork() beside threads";
  }
  put("k", std::string(500'000, 'x'));
  evict("k");
  ASSERT_TRUE(read_now(store_, {.key = "k"}).ok());
  evict("k");
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // a hang is a failure, not a stuck build
    ::_exit(read_now(store_, {.key = "k"}).ok() ? 0 : 1);
  }
  int status = -1;
  wait_for_child(child, &status);
  EXPECT_EQ(status, 0);
}

TEST_F(LocalStoreTest, OnlyRegularFilesAreObjects) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(directory_ / "folder");
  EXPECT_EQ(read_now(store_, {.key = "pipe"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_now(store_, {.key = "folder"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(stat_now(store_, "folder").status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(list_now(store_, {})->objects.empty());
}

TEST_F(LocalStoreTest, KeysStayBelowTheRoot) {
  EXPECT_EQ(read_now(store_, {.key = "../etc/passwd"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_now(store_, {.key = "a/../../b"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_now(store_, {.key = std::string("a\0b", 3)}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(list_now(store_, {.prefix = "../"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_now(store_, {.key = ""}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(LocalStoreTest, ListingEndsInALoopOfLinks) {
  put("d/k", "x");
  std::filesystem::create_directory_symlink(directory_.path(), directory_ / "d/up");
  std::filesystem::create_directory_symlink("d", directory_ / "twin");
  std::filesystem::create_symlink("nowhere", directory_ / "broken");
  const Result<ListPage> page = list_now(store_, {});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(keys_of(*page), (std::vector<std::string>{"broken", "d/k", "twin/k"}));
  EXPECT_EQ(page->objects[0].size_bytes, 0u);
  const Status missing = read_now(store_, {.key = "broken"}).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(message(missing).find("a link to something that is not there"), std::string_view::npos)
      << missing;
  EXPECT_TRUE(remove_now(store_, "broken").ok());
  EXPECT_EQ(keys_of(*list_now(store_, {.delimiter = "/"})), std::vector<std::string>{});
}

TEST_F(LocalStoreTest, AFolderMayBeNamedByDots) {
  put("d/k", "x");
  put("d/sub/k", "x");
  const std::string root = directory_ / "";
  LocalStore anywhere;
  for (const char* way : {"", "./", "d/../", "d/.././d/../", "d/sub/../../"}) {
    const std::string prefix = root + way;
    EXPECT_EQ(keys_of(*list_now(anywhere, {.prefix = prefix})),
              (std::vector<std::string>{prefix + "d/k", prefix + "d/sub/k"}));
  }
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory_ / "d/sub");
  for (const char* way : {"./", ".././sub/"}) {
    EXPECT_EQ(keys_of(*list_now(anywhere, {.prefix = way})),
              std::vector<std::string>{way + std::string("k")});
  }
  EXPECT_EQ(keys_of(*list_now(anywhere, {.prefix = "../"})), (std::vector<std::string>{"../k", "../sub/k"}));
  std::filesystem::current_path(before);
}

TEST_F(LocalStoreTest, ACopyIsReadByWhomTheFileIsReadBy) {
  const mode_t before = ::umask(022);
  put("k", "x");
  for (const mode_t mode : {0600u, 0755u, 0640u}) {
    ASSERT_EQ(::chmod((directory_ / "k").c_str(), mode), 0);
    ASSERT_TRUE(copy_now(store_, {.from = "k", .to = "copy"}).ok());
    struct stat status {};
    ASSERT_EQ(::stat((directory_ / "copy").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, mode);
  }
  ::umask(before);
}

TEST_F(LocalStoreTest, SaysBeforeWhereNothingMayBeWritten) {
  put("sub/k", "x");
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((directory_ / "sub").c_str(), 0555), 0);
  EXPECT_TRUE(store_.check_write("new/folder/k", false).ok());
  EXPECT_EQ(store_.check_write("../k", false).code(), StatusCode::kInvalidArgument);
  std::thread([&] {
    ASSERT_TRUE(::geteuid() != 0 || ::syscall(SYS_setresuid, -1, 65534, -1) == 0);  // of this thread alone
    EXPECT_EQ(store_.check_write("sub/k", true).code(), StatusCode::kPermissionDenied);
  }).join();
  ASSERT_EQ(::chmod((directory_ / "sub").c_str(), 0755), 0);
}

TEST_F(LocalStoreTest, FilesAreOpenedToBeWaitedFor) {
  put("k", "x");
  const Result<OpenFile> file = open_file(directory_ / "k", "k");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(::fcntl(file->descriptor.get(), F_GETFL) & O_NONBLOCK, 0);
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(open_file(directory_ / "pipe", "pipe").status().code(), StatusCode::kInvalidArgument);
}

TEST_F(LocalStoreTest, AFileThatIsRewrittenWhileItIsReadIsNoAnswer) {
  put("k", "one");
  const std::string path = directory_ / "k";
  put("later", "two");
  for (const bool is_rewritten : {true, false}) {
    auto read = LocalRead::open(path, "k", {.key = "k"});
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_TRUE((*read)->read_resident().ok());
    if (is_rewritten) {
      std::fstream(path, std::ios::in | std::ios::out) << "two";
      const timespec times[2] = {{1, 0}, {1, 0}};  // whatever the clock's tick is
      ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    } else {
      std::filesystem::rename(directory_ / "later", path);  // what was opened is still all there
    }
    StatusCode code = StatusCode::kUnknown;
    (*read)->set_done([&](const Result<ReadBytes>& bytes) { code = bytes.status().code(); });
    (*read)->finish(ok_status());
    EXPECT_EQ(code, is_rewritten ? StatusCode::kAborted : StatusCode::kOk);
  }
}

TEST_F(LocalStoreTest, AFolderThatLinksToItselfIsListedOnce) {
  put("k", "x");
  put("d/k", "x");
  std::filesystem::create_directory_symlink(".", directory_ / "self");
  std::filesystem::create_directory_symlink("..", directory_ / "d/up");
  EXPECT_EQ(keys_of(*list_now(store_, {})), (std::vector<std::string>{"d/k", "k"}));
  EXPECT_EQ(keys_of(*list_now(store_, {.prefix = "d/"})), std::vector<std::string>{"d/k"});
  const Result<ListPage> folded = list_now(store_, {.delimiter = "/"});
  EXPECT_EQ(folded->prefixes, std::vector<std::string>{"d/"});
  LocalStore anywhere;
  EXPECT_EQ(keys_of(*list_now(anywhere, {.prefix = directory_ / "d/"})),
            std::vector<std::string>{directory_ / "d/k"});
}

TEST_F(LocalStoreTest, AWrittenFileHasTheVersionThatWriteTold) {
  for (const bool if_absent : {true, false}) {
    const std::string content = "x";
    const Result<ObjectStat> written = write_now(store_, "k", as_bytes(content), {.if_absent = if_absent});
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(stat_now(store_, "k")->version, written->version);
  }
}

TEST_F(LocalStoreTest, FilesBeingWrittenCollideWithNoOtherProcess) {
  for (int i = 0; i < 1000; ++i) {  // files that a process with the same number on another host is writing
    std::ofstream(directory_ / fmt::format("{}{}-{}", kTemporaryPrefix, getpid(), i)) << "theirs";
  }
  put("k", "ours");
  EXPECT_EQ(text_of(*read_now(store_, {.key = "k"})), "ours");
}

TEST_F(LocalStoreTest, LargeDirectoriesAreListedInLittleMemory) {
  std::vector<std::string> expected;
  for (int i = 0; i < 500; ++i) {
    expected.push_back(fmt::format("{}/{:03}", i % 3, i));
    put(expected.back(), "x");
  }
  std::ranges::sort(expected);
  for (const size_t names : {1, 7, 100, 1000}) {
    LocalList list(directory_.path(), {.page_entries = 50}, names);
    std::vector<std::string> keys;
    bool is_last = false;
    while (!is_last) {
      list.next({}, [&](Result<ListPage> page) {
        ASSERT_TRUE(page.ok()) << page.status();
        EXPECT_LE(page->objects.size(), 50u);
        const std::vector<std::string> more = keys_of(*page);
        keys.insert(keys.end(), more.begin(), more.end());
        is_last = page->is_last;
      });
    }
    EXPECT_EQ(keys, expected) << names;
  }
}

TEST_F(LocalStoreTest, PlansAreReadAheadWhileReadsMiss) {
  put("k", std::string(1000, 'x'));
  std::binary_semaphore asked(0);
  std::atomic<uint64_t> positions = 0;
  auto plan = std::make_shared<ReadPlan>(0, UINT64_MAX, [&](uint64_t, std::vector<PlannedRange>* ranges) {
    ranges->push_back({"k", 0, 1000, {}});
    if (positions.fetch_add(1) == 0) {
      asked.release();
    }
  });
  Readahead readahead([this](std::string_view key) { return directory_ / std::string(key); });
  readahead.follow(plan);
  plan->advance(1);
  readahead.note_miss();
  plan->advance(2);
  asked.acquire();
  plan->retract();
  EXPECT_LT(positions, 2000u);  // only a window of the endless plan
}

TEST_F(LocalStoreTest, ReadaheadBeginsBehindWhatTheReaderHasUnderWay) {
  put("k", std::string(1000, 'x'));
  std::binary_semaphore asked(0);
  std::atomic<uint64_t> first = UINT64_MAX;
  auto plan = std::make_shared<ReadPlan>(
      0, UINT64_MAX,
      [&](uint64_t position, std::vector<PlannedRange>* ranges) {
        ranges->push_back({"k", 0, 1000, {}});
        if (first.exchange(std::min(first.load(), position)) == UINT64_MAX) {
          asked.release();
        }
      },
      500);
  Readahead readahead([this](std::string_view key) { return directory_ / std::string(key); });
  readahead.follow(plan);
  readahead.note_miss();
  plan->advance(7);
  asked.acquire();
  plan->retract();
  EXPECT_EQ(first, 507u);
}

TEST_F(LocalStoreTest, ManyStatsAreAnsweredInOrderOnTheCallersThread) {
  std::vector<std::string> keys;
  for (int i = 0; i < 100; ++i) {
    keys.push_back("k" + std::to_string(i));
    if (i % 10 != 3) {
      put(keys.back(), std::string(static_cast<size_t>(i), 'x'));
    }
  }
  size_t next = 0;
  store_.stat_many(keys, {}, [&, caller = std::this_thread::get_id()](size_t i, Result<ObjectStat> stat) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(i, next++);
    if (i % 10 == 3) {
      EXPECT_EQ(stat.status().code(), StatusCode::kNotFound);
    } else {
      EXPECT_EQ(stat->size_bytes, i);
    }
  });
  EXPECT_EQ(next, keys.size());
}

TEST_F(LocalStoreTest, NothingIsDerivedWhereNobodyNamedAPlace) {
  ::unsetenv("FOREBAY_CACHE_DIR");
  ASSERT_NE(::getenv("HOME"), nullptr);
  EXPECT_EQ(store_.derived("k", "1", "kind").status().code(), StatusCode::kUnimplemented);
  ::setenv("FOREBAY_CACHE_DIR", (directory_ / "side").c_str(), 1);
  const Result<ObjectAddress> side = store_.derived("k", "1", "kind");
  ::unsetenv("FOREBAY_CACHE_DIR");
  ASSERT_TRUE(side.ok()) << side.status();
  EXPECT_TRUE(side->key.starts_with(directory_ / "side/derived/kind/")) << side->key;
}

TEST_F(LocalStoreTest, ADirectoryHasAVersionThatItsEntriesChange) {
  put("d/k", "x");
  const Result<ObjectStat> before = stat_now(store_, "d/");
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->size_bytes, 0u);
  EXPECT_EQ(stat_now(store_, "d/")->version, before->version);
  std::filesystem::remove_all(directory_ / "d");
  EXPECT_EQ(stat_now(store_, "d/").status().code(), StatusCode::kNotFound);
  put("d", "a file");
  EXPECT_EQ(stat_now(store_, "d/").status().code(), StatusCode::kNotFound);
}

TEST_F(LocalStoreTest, TheLastOwnerMayGoInACallback) {
  put("k", std::string(500'000, 'x'));
  constexpr int kReads = 20;
  std::counting_semaphore<> answered(0);
  std::shared_ptr<LocalStore> store =
      std::make_shared<LocalStore>(LocalStoreOptions{.root = directory_.path()});
  LocalStore& reads = *store;
  std::vector<std::shared_ptr<LocalStore>> owners(kReads, store);
  store.reset();
  for (int i = 0; i < kReads; ++i) {
    evict("k");
    reads.read({.key = "k"}, {}, [&answered, owner = std::move(owners[i])](Result<ReadBytes> read) mutable {
      EXPECT_TRUE(read.ok()) << read.status();
      owner.reset();
      answered.release();
    });
  }
  for (int i = 0; i < kReads; ++i) {
    answered.acquire();
  }
}

}  // namespace
}  // namespace forebay::storage
