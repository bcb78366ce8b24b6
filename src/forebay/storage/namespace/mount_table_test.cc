#include "forebay/storage/namespace/mount_table.h"
#include "forebay/storage/stores/store_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/storage/namespace/mount_file.h"

namespace forebay::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

MountTable table_of(const std::vector<std::string>& paths) {
  MountTable table;
  for (const std::string& path : paths) {
    EXPECT_TRUE(table.add({.path = path, .uri = "mem://" + path}).ok()) << path;
  }
  return table;
}

std::string path_covering(const MountTable& table, std::string_view key) {
  const MountEntry* const entry = table.covering(key);
  return entry == nullptr ? "" : entry->path;
}

std::vector<std::string> paths_below(const MountTable& table, std::string_view folder) {
  std::vector<std::string> paths;
  for (const MountEntry* entry : table.below(folder)) {
    paths.push_back(entry->path);
  }
  return paths;
}

TEST(MountTable, TheLongestPathWinsByWholeComponents) {
  const MountTable table = table_of({"/data", "/data/hot/set", "/data-2"});
  EXPECT_EQ(path_covering(table, "data"), "/data");
  EXPECT_EQ(path_covering(table, "data/"), "/data");
  EXPECT_EQ(path_covering(table, "data/x"), "/data");
  EXPECT_EQ(path_covering(table, "data/hot"), "/data");
  EXPECT_EQ(path_covering(table, "data/hot/set/0"), "/data/hot/set");
  EXPECT_EQ(path_covering(table, "data/hot/settled"), "/data");
  EXPECT_EQ(path_covering(table, "database/x"), "");
  EXPECT_EQ(path_covering(table, "data-2//x"), "/data-2");
  EXPECT_EQ(path_covering(table, ""), "");
  EXPECT_EQ(path_covering(table_of({"/"}), ""), "/");
  EXPECT_EQ(path_covering(table_of({"/", "/a"}), "b/c"), "/");
}

TEST(MountTable, FindsMountsBelow) {
  const MountTable table = table_of({"/", "/data", "/data/hot/set", "/data-2"});
  EXPECT_THAT(paths_below(table, ""), ElementsAre("/data", "/data-2", "/data/hot/set"));
  EXPECT_THAT(paths_below(table, "data/"), ElementsAre("/data/hot/set"));
  EXPECT_THAT(paths_below(table, "dat"), ElementsAre("/data", "/data-2", "/data/hot/set"));
  EXPECT_THAT(paths_below(table, "data/hot/set/"), ElementsAre());
}

TEST(MountEntry, KeysInTheUriOfABucketAreRefusedAndNotShown) {
  for (const std::string uri : {"s3://ID:hid/den@bucket/k", "s3://hidden@bucket"}) {
    const Status status = check_entry({.path = "/a", .uri = uri});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(message(status)), Not(HasSubstr("hid")));
  }
}

TEST(MountTable, OnePathIsOneMount) {
  MountTable table = table_of({"/data"});
  const Status again = table.add({.path = "/data", .uri = "mem://other"});
  EXPECT_EQ(again.code(), StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(message(again)), HasSubstr("mem:///data"));
  EXPECT_TRUE(table.remove("/data").ok());
  EXPECT_EQ(table.remove("/data").code(), StatusCode::kNotFound);
}

TEST(MountEntry, PathsAreNormalised) {
  EXPECT_EQ(*normal_path("/"), "/");
  EXPECT_EQ(*normal_path("//a/./b//"), "/a/b");
  EXPECT_EQ(*normal_path("/a/...\xff/b"), "/a/...\xff/b");
  for (const std::string& wrong :
       {std::string("a"), std::string(), std::string("/a/../b"), std::string("/.."), std::string("/a\0b", 4),
        "/" + std::string(5000, 'x')}) {
    EXPECT_EQ(normal_path(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(MountEntry, WrongEntriesAreRefused) {
  const auto code_of = [](const MountEntry& entry) { return check_entry(entry).code(); };
  EXPECT_EQ(code_of({.path = "/a", .uri = "mem://b"}), StatusCode::kOk);
  EXPECT_EQ(code_of({.path = "/a", .uri = "file:///b%20c"}), StatusCode::kOk);
  EXPECT_EQ(code_of({.path = "/a/", .uri = "mem://b"}), StatusCode::kInvalidArgument);
  for (const char* uri : {"", "/plain", "forebay:///a", "file:///%zz", "file://host/x"}) {
    EXPECT_EQ(code_of({.path = "/a", .uri = uri}), StatusCode::kInvalidArgument) << uri;
  }
  EXPECT_EQ(code_of({.path = "/a", .uri = "mem://b", .options = {{"", "x"}}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({.path = "/a", .uri = "mem://b", .options = {{"k", std::string("\0", 1)}}}),
            StatusCode::kInvalidArgument);
}

TEST(MountEntry, PasswordsStayOutOfUrisAndErrors) {
  const Status status = check_entry({.path = "/a", .uri = "http://user:hunter2@host/x"});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(status)), Not(HasSubstr("hunter2")));
}

TEST(MountEntry, SecretsAreNotShown) {
  StoreRegistry registry;
  const auto factory = [](const Uri&, const StoreUse&) -> Result<ObjectAddress> {
    return unavailable("closed");
  };
  ASSERT_TRUE(registry.register_scheme("x", factory, {{"region", ""}, {"password", "", true}}).ok());
  MountEntry entry = {
      .path = "/a", .uri = "x://b", .options = {{"region", "north"}, {"password", "hunter2"}}};
  EXPECT_EQ(shown_options(entry, registry), (StoreOptions{{"region", "north"}, {"password", "***"}}));
  EXPECT_TRUE(check_store(entry, registry).ok());
  entry.options["colour"] = "red";
  EXPECT_THAT(std::string(message(check_store(entry, registry))), HasSubstr("region, password"));
  entry.uri = "y://b";
  EXPECT_EQ(shown_options(entry, registry)["region"], "***");  // nobody knows what it is
  EXPECT_EQ(check_store(entry, registry).code(), StatusCode::kInvalidArgument);
}

TEST(MountFile, ReadsWhatItWrote) {
  MountTable table;
  ASSERT_TRUE(table
                  .add({.path = "/data/\xff\n\"",
                        .uri = "mem://b/\xe2\x82\xac",
                        .options = {{"k", "\xfe"}},
                        .read_only = true,
                        .immutable = true,
                        .bytes_per_s = 7,
                        .requests_per_s = 8})
                  .ok());
  ASSERT_TRUE(table.add({.path = "/other", .uri = "file:///x"}).ok());
  const Result<MountTable> read = parse_mounts(format_mounts(table), "f");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->entries(), table.entries());
}

TEST(MountFile, BrokenFilesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a mount table"},
      {"{}", "not a mount table"},
      {"[]", "not a mount table"},
      {"{\"mounts\": 1}", "not a mount table"},
      {"{\"mounts\": [], \"x\": 1}", "not a mount table"},
      {"{\"mounts\": [}", "not a mount table"},
      {"{\"mounts\": [1]}", "must be an object"},
      {"{\"mounts\": [{}]}", "not an absolute path"},
      {R"({"mounts": [{"path": 1, "uri": "mem://"}]})", "'path' must be text"},
      {R"({"mounts": [{"path": {"hex": "2"}, "uri": "mem://"}]})", "odd number"},
      {R"({"mounts": [{"path": {"hex": "2x"}, "uri": "mem://"}]})", "'hex' holds"},
      {R"({"mounts": [{"path": "/a/..", "uri": "mem://"}]})", "'..'"},
      {R"({"mounts": [{"path": "/a"}]})", "an empty path"},
      {R"({"mounts": [{"path": "/a", "uri": "mem://", "readonly": true}]})", "'readonly'"},
      {R"({"mounts": [{"path": "/a", "uri": "mem://", "read_only": 1}]})", "true or false"},
      {R"({"mounts": [{"path": "/a", "uri": "mem://", "bytes_per_s": -1}]})", "whole number"},
      {R"({"mounts": [{"path": "/a", "uri": "mem://", "options": []}]})", "'options'"},
      {R"({"mounts": [{"path": "/a", "uri": "mem://", "options": {"k": 1}}]})", "'k' must be text"},
      {R"({"mounts": [{"path": "/a", "uri": "mem://"}, {"path": "/a", "uri": "mem://"}]})", "mount 2"}};
  for (const auto& [text, words] : cases) {
    const Status status = parse_mounts(text, "the/file").status();
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_THAT(std::string(message(status)), ::testing::AllOf(HasSubstr("the/file"), HasSubstr(words)))
        << text;
  }
}

TEST(MountFile, DeepNestingIsNoStackOverflow) {
  EXPECT_FALSE(parse_mounts(std::string(1 << 20, '['), "f").ok());
}

}  // namespace
}  // namespace forebay::storage
