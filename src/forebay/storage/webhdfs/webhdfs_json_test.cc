#include "forebay/storage/webhdfs/webhdfs_json.h"

#include <gtest/gtest.h>

#include "forebay/storage/errors.h"

namespace forebay::storage {
namespace {

const std::string kFile =
    R"({"pathSuffix":"k \u00e9","type":"FILE","length":7,"modificationTime":1700,"fileId":255,"more":{"x":[1]}})";
const std::string kFolder =
    R"({"pathSuffix":"d","type":"DIRECTORY","length":0,"modificationTime":1701,"fileId":16,"childrenNum":3})";
const std::string kLink = R"({"pathSuffix":"z","type":"SYMLINK","length":0,"modificationTime":1})";

std::string batch(const std::string& entries, int remaining) {
  return R"({"DirectoryListing":{"partialListing":{"FileStatuses":{"FileStatus":[)" + entries +
         R"(]}},"remainingEntries":)" + std::to_string(remaining) + "}}";
}

TEST(WebhdfsJson, StatusesHaveSizeTimeAndInode) {
  const Result<WebhdfsStatus> file = parse_webhdfs_status(R"({"FileStatus":)" + kFile + "}");
  ASSERT_TRUE(file.ok()) << file.status();
  const ObjectStat stat = file->stat("a/k");
  EXPECT_EQ(stat.key, "a/k");
  EXPECT_EQ(stat.size_bytes, 7u);
  EXPECT_EQ(stat.modified_ns, 1'700'000'000);
  EXPECT_EQ(stat.version, "6a4-7-ff");
  EXPECT_EQ(size_in_webhdfs_version(stat.version), 7u);
  const Result<WebhdfsStatus> folder = parse_webhdfs_status(R"({"FileStatus":)" + kFolder + "}");
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_TRUE(folder->is_folder);
  EXPECT_EQ(folder->version(), "6a5-3-10");
  EXPECT_EQ(parse_webhdfs_status(R"({"FileStatus":)" + kLink + "}").status().code(), StatusCode::kNotFound);
}

TEST(WebhdfsJson, ListingsComeInBatchesOrWhole) {
  const std::string entries = kFile + "," + kFolder + "," + kLink;
  const Result<WebhdfsListing> part = parse_webhdfs_list(batch(entries, 2));
  ASSERT_TRUE(part.ok()) << part.status();
  ASSERT_EQ(part->entries.size(), 2u);
  EXPECT_EQ(part->entries[0].name, "k \xc3\xa9");
  EXPECT_EQ(part->last_name, "z");
  EXPECT_FALSE(part->is_last);
  EXPECT_TRUE(parse_webhdfs_list(batch(entries, 0))->is_last);
  const Result<WebhdfsListing> whole =
      parse_webhdfs_list(R"({"FileStatuses":{"FileStatus":[)" + entries + "]}}");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->entries.size(), 2u);
  EXPECT_TRUE(whole->is_last);
  EXPECT_TRUE(parse_webhdfs_list(batch("", 0))->entries.empty());
  // The listing of a file is the file, without a name.
  const std::string itself = R"({"pathSuffix":"","type":"FILE","length":7,"modificationTime":1})";
  EXPECT_TRUE(parse_webhdfs_list(batch(itself, 0))->entries.empty());
  EXPECT_EQ(parse_webhdfs_list(batch(itself + "," + kFile, 0)).status().code(), StatusCode::kDataLoss);
}

// A corpus of answers that no server should give.
TEST(WebhdfsJson, BrokenAnswersAreErrors) {
  const std::string broken[] = {
      "",
      "no json",
      "[]",
      "{}",
      "\"text\"",
      "{\"FileStatus\":",
      "{\"FileStatus\":1}",
      R"({"FileStatus":{}})",
      R"({"FileStatus":{"type":"FILE"}})",
      R"({"FileStatus":{"type":"FILE","length":-1,"modificationTime":1}})",
      R"({"FileStatus":{"type":"FILE","length":1.5,"modificationTime":1}})",
      R"({"FileStatus":{"type":"FILE","length":1e30,"modificationTime":1}})",
      R"({"FileStatus":{"type":"FILE","length":1,"modificationTime":99999999999999999}})",
      R"({"FileStatus":{"type":7,"length":1,"modificationTime":1}})",
      R"({"FileStatus":{"length":1,"modificationTime":1}})",
      R"({"FileStatus":{"pathSuffix":"..","type":"FILE","length":1,"modificationTime":1}})",
      R"({"FileStatus":{"pathSuffix":"a/b","type":"FILE","length":1,"modificationTime":1}})",
      R"({"FileStatus":{"pathSuffix":"\u0000","type":"FILE","length":1,"modificationTime":1}})",
      "{\"FileStatus\":{\"pathSuffix\":\"\xff\",\"type\":\"FILE\"}}",
      std::string(300'000, ' '),
      std::string(1000, '{'),
      std::string(1000, '[')};
  for (const std::string& text : broken) {
    EXPECT_EQ(parse_webhdfs_status(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 100);
    EXPECT_EQ(parse_webhdfs_boolean(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 100);
    EXPECT_EQ(parse_webhdfs_location(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 100);
    EXPECT_EQ(parse_webhdfs_list(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 100);
    EXPECT_EQ(webhdfs_failure({.status = 403, .body = text}).code, "") << text.substr(0, 100);
  }
  const std::string lists[] = {batch("1", 0),
                               batch("{}", 0),
                               batch("", 1),
                               batch(kFile + "," + R"({"type":"FILE","length":1,"modificationTime":1})", 0),
                               R"({"DirectoryListing":{"partialListing":[]}})",
                               R"({"FileStatuses":{"FileStatus":{}}})",
                               R"({"FileStatuses":[]})",
                               std::string(kMaxWebhdfsListBytes + 1, ' ')};
  for (const std::string& text : lists) {
    EXPECT_EQ(parse_webhdfs_list(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 100);
  }
  EXPECT_EQ(parse_webhdfs_boolean(R"({"boolean":"true"})").status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(parse_webhdfs_location(R"({"Location":""})").status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(parse_webhdfs_location(R"({"Location":")" + std::string(70'000, 'x') + "\"}").status().code(),
            StatusCode::kDataLoss);
  for (const char* version : {"", "1", "1-2", "1-2-", "1-2-3-4", "x-2-3", "-1-2-3", "1-2-3 ",
                              "10000000000000000-2-3", "no such version"}) {
    EXPECT_EQ(size_in_webhdfs_version(version), std::nullopt) << version;
  }
}

std::string exception(const std::string& name, const std::string& said = "m") {
  return R"({"RemoteException":{"exception":")" + name + R"(","javaClassName":"x","message":")" + said +
         "\"}}";
}

TEST(WebhdfsJson, ExceptionsAreErrorsOfStores) {
  const std::pair<std::string, StatusCode> known[] = {
      {"AccessControlException", StatusCode::kPermissionDenied},
      {"InvalidToken", StatusCode::kPermissionDenied},
      {"FileAlreadyExistsException", StatusCode::kAlreadyExists},
      {"PathIsNotEmptyDirectoryException", StatusCode::kFailedPrecondition},
      {"StandbyException", StatusCode::kUnavailable},
      {"RetriableException", StatusCode::kUnavailable},
      {"SafeModeException", StatusCode::kUnavailable},
      {"DSQuotaExceededException", StatusCode::kResourceExhausted},
      {"UnsupportedOperationException", StatusCode::kUnimplemented},
      {"IllegalArgumentException", StatusCode::kInvalidArgument},
      {"IOException", StatusCode::kFailedPrecondition},
      {"SomethingNewException", StatusCode::kFailedPrecondition}};
  for (const auto& [name, code] : known) {
    const Status status = webhdfs_error({.status = 403, .body = exception(name, "what it said")}, "uri");
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(message(status).find("uri: "), std::string_view::npos) << status;
    EXPECT_NE(message(status).find(name + ": what it said"), std::string_view::npos) << status;
  }
  const Status below = webhdfs_error(
      {.status = 403, .body = exception("AccessControlException", "/a/b (is not a directory)")}, "uri");
  EXPECT_EQ(below.code(), StatusCode::kFailedPrecondition) << below;
  EXPECT_EQ(webhdfs_error({.status = 404, .body = exception("FileNotFoundException")}, "uri").code(),
            StatusCode::kNotFound);
  EXPECT_EQ(webhdfs_error({.status = 500, .body = exception("IOException")}, "uri").code(),
            StatusCode::kUnavailable);
  const net::HttpResponse busy = {.status = 503, .headers = {{"Retry-After", "3"}}};
  EXPECT_EQ(retry_after_ns(webhdfs_error(busy, "uri")), 3'000'000'000);
  const Status wordy = webhdfs_error(
      {.status = 403, .body = exception("IOException", std::string(5000, 'x') + "\\nat org.apache")}, "uri");
  EXPECT_LT(message(wordy).size(), 500u);
}

}  // namespace
}  // namespace forebay::storage
