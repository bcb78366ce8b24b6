// Writes to HDFS whose answers are lost, refused or wrong.

#include "forebay/storage/webhdfs/webhdfs_upload.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "forebay/storage/testing/scripted_webhdfs.h"

namespace forebay::storage {
namespace {

/// A namenode and a datanode in one, for one writer. `refuse` may give another answer.
class WebhdfsWrites : public WebhdfsFaults {
 protected:
  using Refuse = std::function<std::string(const std::string& operation, int number)>;

  ~WebhdfsWrites() override { service_.stop(); }  // what failed writes tidy up may still come

  void serve(Refuse refuse) {
    service_.serve([this, refuse = std::move(refuse)](const std::string& request, int) -> std::string {
      const MutexLock lock(mutex_);
      const bool is_content = request.find("&data=true") != std::string::npos;
      const std::string operation = (is_content ? "content of " : "") + query_value(request, "op");
      operations_.push_back(operation);
      const auto number = std::count(operations_.begin(), operations_.end(), operation);
      is_renamed_ = is_renamed_ || operation == "RENAME";  // also where the answer is lost
      if (std::string answer = refuse(operation, static_cast<int>(number)); !answer.empty()) {
        return answer;
      }
      if (is_content) {
        const std::string body = request.substr(request.find("\r\n\r\n") + 4);
        content_ = (operation == "content of CREATE" ? "" : content_) + body;
        return reply("201 Created", "", "");
      }
      if (operation == "CREATE" || operation == "APPEND") {
        return reply("200 OK", "",
                     R"({"Location":")" + service_.url("/x?op=" + operation + "&data=true") + "\"}");
      }
      if (operation == "RENAME") {
        return reply("200 OK", "", "");
      }
      if (operation == "DELETE") {
        return boolean_reply(true);
      }
      const bool is_temporary = request.find("/.forebay-tmp-") != std::string::npos;
      return is_temporary != is_renamed_ ? status_reply(content_.size(), 1)
                                         : exception_reply("404 Not Found", "FileNotFoundException");
    });
  }
  Result<ObjectStat> write_parts(const WriteOptions& options = {}) {
    const std::shared_ptr<WebhdfsStore> store = open({.part_bytes = 4});
    const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", options);
    for (const std::string& part : {std::string("abcd"), std::string("efgh"), std::string("i")}) {
      FOREBAY_RETURN_IF_ERROR(append_now(*writer, as_bytes(part)));
    }
    return commit_now(*writer);
  }
  std::string content() {
    const MutexLock lock(mutex_);
    return content_;
  }
  int count(const std::string& operation) {
    const MutexLock lock(mutex_);
    return static_cast<int>(std::count(operations_.begin(), operations_.end(), operation));
  }
  static std::string lost() { return reply("500 Internal Server Error", "", ""); }

  std::string content_ FOREBAY_GUARDED_BY(mutex_);
  bool is_renamed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

TEST_F(WebhdfsWrites, PartsAreAppendedInOrder) {
  serve([](const std::string&, int) { return ""; });
  const Result<ObjectStat> made = write_parts();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->size_bytes, 9u);
  EXPECT_EQ(content(), "abcdefghi");
  EXPECT_EQ(count("DELETE"), 0);
}

TEST_F(WebhdfsWrites, WhatHasNoEffectTwiceIsSentAgain) {
  serve([](const std::string& operation, int number) {
    const bool fails = operation == "content of CREATE" || operation == "APPEND";
    return fails && number == 1 ? lost() : "";
  });
  const Result<ObjectStat> made = write_parts();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(content(), "abcdefghi");
  EXPECT_EQ(count("content of CREATE"), 2);
  EXPECT_EQ(count("APPEND"), 3);
}

TEST_F(WebhdfsWrites, AnAppendThatFailsEndsTheWriteAndNothingStays) {
  serve([](const std::string& operation, int) { return operation == "content of APPEND" ? lost() : ""; });
  const Status status = write_parts().status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_NE(message(status).find("/k: "), std::string_view::npos) << status;
  EXPECT_EQ(count("content of APPEND"), 1);  // it may have been half done
  while (count("DELETE") == 0) {             // which nobody waits for
    std::this_thread::yield();
  }
  EXPECT_EQ(count("RENAME"), 0);
}

TEST_F(WebhdfsWrites, ARenameWhoseAnswerIsLostIsFound) {
  for (const bool if_absent : {false, true}) {
    {
      const MutexLock lock(mutex_);
      is_renamed_ = false;
    }
    bool is_lost = false;
    serve([&](const std::string& operation, int) {
      if (operation != "RENAME") {
        return std::string();
      }
      if (is_lost) {
        return if_absent ? exception_reply("403 Forbidden", "FileAlreadyExistsException")
                         : exception_reply("404 Not Found", "FileNotFoundException");
      }
      is_lost = true;
      return lost();
    });
    const Result<ObjectStat> made = write_parts({.if_absent = if_absent});
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->key, "k");
  }
}

TEST_F(WebhdfsWrites, AFileThatIsNotWholeGetsNoName) {
  serve([](const std::string& operation, int) {
    return operation == "GETFILESTATUS" ? status_reply(3, 1) : "";
  });
  EXPECT_EQ(write_parts().status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(count("RENAME"), 0);
}

}  // namespace
}  // namespace forebay::storage
