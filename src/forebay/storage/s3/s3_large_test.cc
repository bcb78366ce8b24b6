// Copies of objects that one request of S3 cannot copy, up to the largest: by a server that only says how
// large they are.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/units.h"
#include "forebay/storage/testing/scripted_s3.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kLargestCopy = 5 * kGiB;  // by one request
constexpr uint64_t kLeastS3Part = 5 << 20;
constexpr int kMaxS3Parts = 10'000;

/// The value of a header of the request; empty if it is not there.
std::string header_of(const std::string& request, const std::string& name) {
  const std::string before = "\r\n" + name + ": ";
  const size_t at = request.find(before);
  return at == std::string::npos
             ? ""
             : request.substr(at + before.size(), request.find("\r\n", at + 2) - at - before.size());
}

class S3LargeCopies : public S3Faults {
 protected:
  ~S3LargeCopies() override { server.reset(); }  // what failed copies tidy up may still come

  /// `changed_after`: so many parts, the object is another one.
  void serve_object(uint64_t size_bytes, int changed_after = kMaxS3Parts + 1) {
    serve([this, size_bytes, changed_after](const std::string& request, int) {
      const MutexLock lock(mutex_);
      if (request.starts_with("HEAD")) {
        return "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: " + std::to_string(size_bytes) +
               "\r\n\r\n";
      }
      if (request.starts_with("POST") && request.find("?uploads") != std::string::npos) {
        return reply("200 OK", "",
                     "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>");
      }
      if (request.starts_with("DELETE")) {
        is_aborted_ = true;
        return reply("204 No Content", "", "");
      }
      if (request.starts_with("POST")) {
        completion_ = request;
        return reply("200 OK", "", "<R><ETag>\"made\"</ETag></R>");
      }
      EXPECT_EQ(header_of(request, "x-amz-copy-source"), "/b/from");
      EXPECT_EQ(header_of(request, "x-amz-copy-source-if-match"), "\"v1\"");
      const std::string part = query_value(request, "partNumber");
      if (part.empty()) {
        ++whole_copies_;
        return reply("200 OK", "", "<R><ETag>\"made\"</ETag></R>");
      }
      if (std::stoi(part) > changed_after) {
        return failure("412 Precondition Failed", "PreconditionFailed");
      }
      ranges_[std::stoi(part)] = header_of(request, "x-amz-copy-source-range");
      return reply("200 OK", "", "<R><ETag>\"part\"</ETag></R>");
    });
  }

  /// That the ranges follow each other from the first byte to the last.
  void expect_ranges_cover(uint64_t size_bytes) {
    const MutexLock lock(mutex_);
    ASSERT_LE(ranges_.size(), static_cast<size_t>(kMaxS3Parts));
    uint64_t next = 0;
    int number = 0;
    for (const auto& [part, range] : ranges_) {
      EXPECT_EQ(part, ++number);
      ASSERT_EQ(range.find("bytes=" + std::to_string(next) + "-"), 0u) << part << ": " << range;
      const uint64_t end = std::stoull(range.substr(range.find('-') + 1)) + 1;
      EXPECT_LE(end - next, kLargestCopy);
      EXPECT_TRUE(end - next >= kLeastS3Part || end == size_bytes) << range;
      next = end;
    }
    EXPECT_EQ(next, size_bytes);
  }

  Mutex mutex_;  // requests come by several connections
  std::map<int, std::string> ranges_ FOREBAY_GUARDED_BY(mutex_);
  std::string completion_ FOREBAY_GUARDED_BY(mutex_);
  int whole_copies_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_aborted_ FOREBAY_GUARDED_BY(mutex_) = false;
};

TEST_F(S3LargeCopies, UpToFiveGibibytesAreOneRequest) {
  serve_object(kLargestCopy);
  const Result<ObjectStat> made = copy_now(*store, {"from", "to"});
  ASSERT_TRUE(made.ok()) << made.status();
  const MutexLock lock(mutex_);
  EXPECT_EQ(whole_copies_, 1);
  EXPECT_TRUE(ranges_.empty());
}

TEST_F(S3LargeCopies, LargerObjectsAreCopiedByRangesOfOneVersion) {
  for (const uint64_t size_bytes : {kLargestCopy + 1, 7 * kGiB + 12'345}) {
    serve_object(size_bytes);
    const Result<ObjectStat> made = copy_now(*store, {"from", "to", {}, true});
    EXPECT_EQ(made.status().code(), StatusCode::kAlreadyExists);  // HEAD finds one
    const Result<ObjectStat> replaced = copy_now(*store, {"from", "to"});
    ASSERT_TRUE(replaced.ok()) << replaced.status();
    EXPECT_EQ(replaced->size_bytes, size_bytes);
    EXPECT_EQ(replaced->version, "made");
    expect_ranges_cover(size_bytes);
    const MutexLock lock(mutex_);
    EXPECT_EQ(whole_copies_, 0);
    ranges_.clear();
  }
}

TEST_F(S3LargeCopies, TheLargestObjectTakesNoMorePartsThanS3Allows) {
  serve_object(5 * kTiB);
  const Result<ObjectStat> made = copy_now(*store, {"from", "to"});
  ASSERT_TRUE(made.ok()) << made.status();
  expect_ranges_cover(5 * kTiB);
}

TEST_F(S3LargeCopies, ASourceThatChangesMeanwhileEndsTheCopy) {
  serve_object(20 * kGiB, 10);
  const Status status = copy_now(*store, {"from", "to"}).status();
  ASSERT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_NE(message(status).find("s3://b/from"), std::string_view::npos) << status;
  const auto is_aborted = [this] {
    const MutexLock lock(mutex_);
    return is_aborted_;
  };
  while (!is_aborted()) {  // nobody waits for the end of the upload
    std::this_thread::yield();
  }
  const MutexLock lock(mutex_);
  EXPECT_TRUE(completion_.empty());
  EXPECT_LT(ranges_.size(), 30u);
}

}  // namespace
}  // namespace forebay::storage
