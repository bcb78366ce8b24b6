// Scripted namenodes and datanodes: a store of HDFS whose servers say what a test tells them to.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/http_text.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/scripted_store.h"
#include "forebay/storage/webhdfs/webhdfs_store.h"

namespace forebay::storage {

/// `url`: "http://host:port".
inline std::string webhdfs_authority(const std::string& url) {
  return url.substr(url.find("://") + 3);
}

inline std::shared_ptr<WebhdfsStore> open_scripted_webhdfs(const std::string& authority,
                                                           net::HttpClient& client,
                                                           WebhdfsOptions options = {
                                                               .retries = kRetriesAtOnce}) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  return std::make_shared<WebhdfsStore>(std::make_shared<WebhdfsConnection>(
      *configure_webhdfs("webhdfs", authority, options, nothing), options, client));
}

inline std::string file_status(const std::string& name, size_t size_bytes, int modified_ms) {
  return R"({"pathSuffix":")" + name + R"(","type":"FILE","length":)" + std::to_string(size_bytes) +
         R"(,"modificationTime":)" + std::to_string(modified_ms) + R"(,"fileId":5})";
}

inline std::string status_reply(size_t size_bytes, int modified_ms) {
  return reply("200 OK", "", R"({"FileStatus":)" + file_status("", size_bytes, modified_ms) + "}");
}

inline std::string listing_reply(const std::string& entries, int remaining = 0) {
  return reply("200 OK", "",
               R"({"DirectoryListing":{"partialListing":{"FileStatuses":{"FileStatus":[)" + entries +
                   R"(]}},"remainingEntries":)" + std::to_string(remaining) + "}}");
}

inline std::string exception_reply(const std::string& status, const std::string& name) {
  return reply(status, "", R"({"RemoteException":{"exception":")" + name + R"(","message":"m"}})");
}

inline std::string boolean_reply(bool value) {
  return reply("200 OK", "", value ? R"({"boolean":true})" : R"({"boolean":false})");
}

inline std::string opened_part(const std::string& request, const std::string& content) {
  return reply(
      "200 OK", "",
      content.substr(std::stoul(query_value(request, "offset")), std::stoul(query_value(request, "length"))));
}

class WebhdfsFaults : public ::testing::Test {
 protected:
  std::shared_ptr<WebhdfsStore> open(WebhdfsOptions options = {}) {
    options.retries = kRetriesAtOnce;
    return open_scripted_webhdfs(webhdfs_authority(service_.url()), service_.client, options);
  }
  /// Both servers are namenodes of one cluster.
  std::shared_ptr<WebhdfsStore> open_both() {
    return open_scripted_webhdfs(webhdfs_authority(service_.url()) + "," + webhdfs_authority(other_.url()),
                                 service_.client);
  }
  void note(const std::string& request) {
    const MutexLock lock(mutex_);
    operations_.push_back(query_value(request, "op"));
  }
  std::vector<std::string> operations() {
    const MutexLock lock(mutex_);
    return operations_;
  }

  Mutex mutex_;  // requests may come by several connections
  std::vector<std::string> operations_ FOREBAY_GUARDED_BY(mutex_);
  ScriptedService service_;
  ScriptedService other_;
};

}  // namespace forebay::storage
