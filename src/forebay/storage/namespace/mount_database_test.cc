#include "forebay/storage/namespace/mount_database.h"
#include "forebay/base/testing/wait_for_child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

using ::testing::HasSubstr;

MountEntry entry_at(const std::string& path) {
  return {.path = path, .uri = "mem://x" + path};
}

class MountDatabaseTest : public ::testing::Test {
 protected:
  std::string file() const { return directory_ / "home/mounts.json"; }
  MountDatabase database() const { return MountDatabase({.file = file()}); }

  std::vector<std::string> paths() const {
    Result<MountTableRef> table = database().table();
    EXPECT_TRUE(table.ok()) << table.status();
    std::vector<std::string> paths;
    for (const auto& [path, entry] : (*table)->entries()) {
      paths.push_back(path);
    }
    return paths;
  }

  void write_file(const std::string& text) const {
    std::filesystem::create_directories(directory_ / "home");
    std::ofstream(file()) << text;
  }

  TemporaryDirectory directory_;
};

using Paths = std::vector<std::string>;

TEST_F(MountDatabaseTest, IsEmptyAndWritesNothingUntilThereIsAMount) {
  EXPECT_EQ(paths(), Paths{});
  EXPECT_FALSE(std::filesystem::exists(directory_ / "home"));
}

TEST_F(MountDatabaseTest, KeepsMounts) {
  ASSERT_TRUE(database().add(entry_at("/a")).ok());
  ASSERT_TRUE(database().add(entry_at("/a/b")).ok());
  EXPECT_EQ(paths(), (Paths{"/a", "/a/b"}));
  EXPECT_EQ(database().add(entry_at("/a")).code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(database().remove("/a").ok());
  EXPECT_EQ(paths(), (Paths{"/a/b"}));
  EXPECT_EQ(database().remove("/a").code(), StatusCode::kNotFound);
  EXPECT_EQ(database().add({.path = "b", .uri = "mem://"}).code(), StatusCode::kInvalidArgument);
}

TEST_F(MountDatabaseTest, RefusesWhatTheFileCannotHold) {
  MountEntry entry = entry_at("/a");
  entry.options["\xff"] = "x";
  EXPECT_EQ(database().add(entry).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(paths(), Paths{});
}

// A child that was forked while the table was being changed has the lock's file open, too.
TEST_F(MountDatabaseTest, AForkedChildDoesNotKeepTheLock) {
  int ends_child[2];
  ASSERT_EQ(pipe(ends_child), 0);
  pid_t child = 0;
  MountDatabase forking({.file = file(), .at_point = [&](std::string_view point) {
                           if (point == "locked" && (child = fork()) == 0) {
                             char byte = 0;
                             close(ends_child[1]);
                             _exit(static_cast<int>(read(ends_child[0], &byte, 1)));
                           }
                         }});
  ASSERT_TRUE(forking.add(entry_at("/a")).ok());
  const FileDescriptor lock(open((file() + ".lock").c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  close(ends_child[0]);
  close(ends_child[1]);
  ASSERT_EQ(wait_for_child(child, nullptr), child);
}

TEST_F(MountDatabaseTest, IsForTheUserAlone) {
  ASSERT_TRUE(database().add(entry_at("/a")).ok());
  namespace fs = std::filesystem;
  const auto mode = [](const std::string& path) { return static_cast<int>(fs::status(path).permissions()); };
  EXPECT_EQ(mode(directory_ / "home"), 0700);
  for (const auto& entry : fs::directory_iterator(directory_ / "home")) {
    EXPECT_EQ(mode(entry.path()), 0600) << entry.path();
  }
}

TEST_F(MountDatabaseTest, ReadersSeeTheChangesOfOthers) {
  MountDatabase reader = database();
  const auto size = [&] { return (*reader.table())->entries().size(); };
  EXPECT_EQ(size(), 0u);
  for (size_t i = 1; i <= 50; ++i) {  // quicker than the file system's clock ticks
    ASSERT_TRUE(database().add(entry_at("/" + std::to_string(i))).ok());
    EXPECT_EQ(size(), i);
  }
  ASSERT_TRUE(database().remove("/1").ok());
  ASSERT_TRUE(database().add(entry_at("/1")).ok());
  EXPECT_TRUE((*reader.table())->covering("1") != nullptr);
  const MountTableRef kept = *reader.table();
  EXPECT_EQ(*reader.table(), kept);  // not read again
  std::filesystem::remove(file());
  EXPECT_EQ(size(), 0u);
}

TEST_F(MountDatabaseTest, WritersWaitForEachOther) {
  constexpr int kWriters = 8;
  constexpr int kMounts = 10;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < kMounts; ++i) {
        EXPECT_TRUE(database().add(entry_at(fmt::format("/{}/{}", writer, i))).ok());
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(paths().size(), static_cast<size_t>(kWriters * kMounts));
}

// At each point in turn a process is killed: the table is the old one or the new one, and can be changed.
TEST_F(MountDatabaseTest, SurvivesKillsAtEveryPoint) {
  Paths expected;
  for (const std::string_view deadly : kMountWritePoints) {
    const std::string path = fmt::format("/{}", expected.size());
    const pid_t child = fork();
    if (child == 0) {
      MountDatabase dying({.file = file(), .at_point = [&](std::string_view point) {
                             if (point == deadly) {
                               kill(getpid(), SIGKILL);
                             }
                           }});
      dying.add(entry_at("/new")).IgnoreError();
      _exit(0);  // the point was not met
    }
    int status = 0;
    ASSERT_EQ(wait_for_child(child, &status), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << deadly;
    const bool is_in_place = deadly == "in place" || deadly == "folder durable";
    const Paths after = paths();
    EXPECT_EQ(std::ranges::count(after, "/new"), is_in_place ? 1 : 0) << deadly;
    EXPECT_EQ(after.size(), expected.size() + (is_in_place ? 1 : 0)) << deadly;
    if (is_in_place) {
      ASSERT_TRUE(database().remove("/new").ok());
    }
    ASSERT_TRUE(database().add(entry_at(path)).ok()) << deadly;
    expected.push_back(path);
    EXPECT_EQ(paths(), expected) << deadly;
  }
}

TEST_F(MountDatabaseTest, ABrokenTableIsAnErrorUntilItIsMended) {
  write_file("{\"mounts\": [");
  MountDatabase reader = database();
  EXPECT_EQ(reader.table().status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(reader.add(entry_at("/a")).code(), StatusCode::kDataLoss);  // and is not overwritten
  std::filesystem::remove(file());
  EXPECT_TRUE(reader.table().ok());
}

TEST_F(MountDatabaseTest, AStaticFileIsReadAndNeverChanged) {
  write_file(R"({"mounts": [{"path": "/a", "uri": "mem://x"}]})");
  MountDatabase fixed({.file = file(), .is_static = true});
  EXPECT_EQ((*fixed.table())->entries().size(), 1u);
  const Status refused = fixed.add(entry_at("/b"));
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(refused)), HasSubstr(file()));
  std::filesystem::remove(file());
  EXPECT_EQ(fixed.table().status().code(), StatusCode::kNotFound);
}

TEST_F(MountDatabaseTest, WithoutAPlaceThereAreNoMounts) {
  MountDatabase nowhere({.why_no_file = failed_precondition("set FOREBAY_HOME")});
  EXPECT_TRUE((*nowhere.table())->is_empty());
  EXPECT_EQ(nowhere.add(entry_at("/a")).code(), StatusCode::kFailedPrecondition);
}

TEST_F(MountDatabaseTest, AFullOrForbiddenFolderIsNamed) {
  write_file("");
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  EXPECT_FALSE(database().table().ok());
  EXPECT_FALSE(database().add(entry_at("/a")).ok());
}

TEST_F(MountDatabaseTest, ConcurrentReadersSeeWholeTables) {
  std::atomic<bool> ends{false};
  MountDatabase shared = database();
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!ends.load()) {
        EXPECT_TRUE(shared.table().ok());
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(database().add(entry_at("/" + std::to_string(i))).ok());
  }
  ends.store(true);
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_EQ((*shared.table())->entries().size(), 50u);
}

}  // namespace
}  // namespace forebay::storage
