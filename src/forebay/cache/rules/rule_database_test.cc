#include "forebay/cache/rules/rule_database.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cache {
namespace {

AdmissionRule pin_of(const std::string& path) {
  return {.prefix = path, .retention = {.is_pinned = true}};
}

class RuleDatabaseTest : public ::testing::Test {
 protected:
  std::string file() const { return directory_ / "home/cache_rules.json"; }
  RuleDatabase database() const {
    return RuleDatabase(file(), {}, [this] { return now_s_; });
  }
  Status add(const AdmissionRule& rule) const {
    return database().change([&](Rules& rules) {
      rules.push_back(rule);
      return ok_status();
    });
  }
  Rules rules() const {
    const Result<Rules> read = database().rules();
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? *read : Rules();
  }

  TemporaryDirectory directory_;
  uint32_t now_s_ = 1'790'000'000;
};

TEST_F(RuleDatabaseTest, KeepsAllThatARuleSays) {
  EXPECT_EQ(rules(), Rules());
  EXPECT_FALSE(std::filesystem::exists(directory_ / "home"));
  const Rules given = {{.prefix = "s3://b/train",
                        .is_cached = true,
                        .retention = {.priority = -128, .is_pinned = true},
                        .time_to_live_s = 3600,
                        .ttl_since_s = now_s_},
                       {.prefix = "https://host/\xff\x01 path", .is_cached = false},
                       {.prefix = "gs://b", .retention = {.priority = 127}, .quota_bytes = 1ULL << 63}};
  for (const AdmissionRule& rule : given) {
    ASSERT_TRUE(add(rule).ok());
  }
  EXPECT_EQ(rules(), given);
  EXPECT_EQ(*parse_rules(format_rules(given), "x"), given);
}

TEST_F(RuleDatabaseTest, NotesWhenATimeWasGiven) {
  const uint32_t given_s = now_s_;
  const auto set = [&](uint32_t time_to_live_s, int8_t priority) {
    EXPECT_TRUE(database()
                    .change([&](Rules& rules) {
                      rules.resize(1);
                      rules[0].prefix = "s3://b";
                      rules[0].time_to_live_s = time_to_live_s;
                      rules[0].retention.priority = priority;
                      return ok_status();
                    })
                    .ok());
    return rules().at(0).ttl_since_s;
  };
  EXPECT_EQ(set(60, 0), given_s);
  now_s_ += 30;
  EXPECT_EQ(set(60, 5), given_s) << "another change of the rule";
  EXPECT_EQ(set(90, 5), given_s + 30);
  EXPECT_EQ(set(0, 5), 0u);
}

TEST_F(RuleDatabaseTest, PathsHaveNoSlashesAtTheirEndsAndAreThereOnce) {
  ASSERT_TRUE(add(pin_of("s3://b/train//")).ok());
  EXPECT_EQ(rules(), Rules{pin_of("s3://b/train")});
  EXPECT_EQ(add(pin_of("s3://b/train/")).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(rules().size(), 1u);
}

// A pin of everything would leave nothing that may go.
TEST_F(RuleDatabaseTest, ARuleIsForAStoreOrWhatLiesBelowIt) {
  for (const std::string path : {"", "/", "s3", "s3:", "s3://", "s3:///", "://b", "data/slow"}) {
    EXPECT_EQ(add(pin_of(path)).code(), StatusCode::kInvalidArgument) << path;
  }
  EXPECT_TRUE(add(pin_of("s3://b")).ok());
  EXPECT_TRUE(add(pin_of("/mnt/slow")).ok());  // mounted with cache=on
  EXPECT_EQ(add(pin_of("s3://b/" + std::string(20'000, 'x'))).code(), StatusCode::kInvalidArgument);
}

TEST_F(RuleDatabaseTest, BrokenFilesAreRefusedAndNotOverwritten) {
  std::filesystem::create_directories(directory_ / "home");
  for (const std::string text :
       {"", "{", "[]", "{\"rules\": 1}", "{\"rules\": [1]}", "{\"rules\": [{}]}",
        R"({"rules": [{"path": "s3://b", "pinned": 1}]})", R"({"rules": [{"path": "s3://b", "prio": 1}]})",
        R"({"rules": [{"path": "s3://b", "priority": 128}]})",
        R"({"rules": [{"path": "s3://b", "priority": 18446744073709551615}]})",
        R"({"rules": [{"path": "s3://b", "priority": -129}]})",
        R"({"rules": [{"path": "s3://b", "priority": 0.5}]})",
        R"({"rules": [{"path": "s3://b", "ttl_s": 4294967295}]})",
        R"({"rules": [{"path": "s3://b", "quota_bytes": -1}]})",
        R"({"rules": [{"path": "s3://b", "ttl_s": -1}]})", R"({"rules": [{"path": "s3://"}]})",
        R"({"rules": [{"path": "s3://b"}, {"path": "s3://b/"}]})"}) {
    std::ofstream(file()) << text;
    const Status read = database().rules().status();
    EXPECT_FALSE(read.ok()) << text;
    EXPECT_NE(message(read).find(file()), std::string_view::npos) << text;
    EXPECT_FALSE(add(pin_of("s3://c")).ok()) << text;
    std::ifstream stream(file());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), text);
  }
}

TEST_F(RuleDatabaseTest, IsForTheUserAlone) {
  ASSERT_TRUE(add(pin_of("s3://b")).ok());
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "home")) {
    EXPECT_EQ(static_cast<int>(entry.status().permissions()), 0600) << entry.path();
  }
}

// What a writer left that was killed, or somebody has put there, is not written through.
TEST_F(RuleDatabaseTest, ALinkInTheNewFilesPlaceIsNotFollowed) {
  std::filesystem::create_directories(directory_ / "home");
  std::ofstream(directory_ / "precious") << "mine";
  std::filesystem::create_symlink(directory_ / "precious", file() + ".new");
  ASSERT_TRUE(add(pin_of("s3://b")).ok());
  std::ifstream stream(directory_ / "precious");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "mine");
  EXPECT_EQ(rules().size(), 1u);
}

TEST_F(RuleDatabaseTest, WritersWaitForEachOther) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(add(pin_of(fmt::format("s3://b/{}/{}", writer, i))).ok());
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(rules().size(), 40u);
}

// At each point in turn a process is killed: the rules are the old ones or the new ones, and can be changed.
TEST_F(RuleDatabaseTest, SurvivesKillsAtEveryPoint) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  for (const std::string_view deadly : storage::kReplacePoints) {
    const std::string path = fmt::format("s3://{}", deadly);
    const size_t before = rules().size();
    const pid_t child = ::fork();
    if (child == 0) {
      const RuleDatabase dying(file(), [&](std::string_view point) {
        if (point == deadly) {
          ::kill(::getpid(), SIGKILL);
        }
      });
      dying
          .change([&](Rules& rules) {
            rules.push_back(pin_of(path));
            return ok_status();
          })
          .IgnoreError();
      ::_exit(0);  // the point was not met
    }
    int status = 0;
    ASSERT_EQ(wait_for_child(child, &status), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << deadly;
    const bool is_in_place = deadly == "in place" || deadly == "folder durable";
    const Rules after = rules();
    EXPECT_EQ(std::ranges::count(after, path, &AdmissionRule::prefix), is_in_place ? 1 : 0) << deadly;
    EXPECT_EQ(after.size(), before + (is_in_place ? 1 : 0)) << deadly;
    ASSERT_TRUE(add(pin_of(path + "/again")).ok()) << deadly;
  }
}

}  // namespace
}  // namespace forebay::cache
