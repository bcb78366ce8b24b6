// Answers of S3 servers, and of what stands in front of them, that say too little or something else.

#include <gtest/gtest.h>

#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/testing/scripted_s3.h"

namespace forebay::storage {
namespace {

TEST_F(S3Faults, AWholeObjectInPlaceOfItsBeginningIsCut) {
  serve([](const std::string&, int) { return reply("200 OK", "ETag: \"v1\"\r\n", "abcdefghij"); });
  const Result<ReadBytes> read = read_now(*store, {.key = "k", .length_bytes = 4});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(text_of(*read), "abcd");
  EXPECT_EQ(read_error({.key = "k", .offset_bytes = 1, .length_bytes = 4}).code(),
            StatusCode::kUnimplemented);
}

TEST_F(S3Faults, MoreThanTheRangeIsNoObjectThatIsTooShort) {
  serve([](const std::string&, int) { return range_reply("0-9/10", "abcdefghij"); });
  EXPECT_EQ(read_error({.key = "k", .length_bytes = 4}).code(), StatusCode::kUnavailable);
}

TEST_F(S3Faults, AnObjectWhoseSizeIsNotToldIsNotAbsent) {
  std::atomic<int> writes = 0;
  serve([&](const std::string& request, int) -> std::string {
    writes += request.starts_with("PUT") ? 1 : 0;
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\r\n"
                                       : "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: "
                                         "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  });
  EXPECT_EQ(read_error({.key = "k"}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(stat_now(*store, "k").status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(copy_now(*store, {.from = "j", .to = "k", .if_absent = true}).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(writes, 0);
}

TEST_F(S3Faults, TheEmptyKeyIsNotTheBucket) {
  serve([](const std::string& request, int) {
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: \"v1\"\r\n\r\n"
                                       : reply("200 OK", "ETag: \"v1\"\r\n", "<ListBucketResult/>");
  });
  EXPECT_EQ(stat_now(*store, "").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(read_error({.key = ""}).code(), StatusCode::kNotFound);
  EXPECT_EQ(remove_now(*store, "").code(), StatusCode::kNotFound);
  EXPECT_EQ(copy_now(*store, {.from = "", .to = "k"}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(requests, 0);
}

TEST_F(S3Faults, ObjectsWithoutAnEtagHaveTheirTimeAndSize) {
  std::string date = "Sun, 06 Nov 1994 08:49:37 GMT";
  bool was_conditional = false;
  serve([&](const std::string& request, int) {
    was_conditional = was_conditional || request.find("f-match") != std::string::npos ||
                      request.find("f-Match") != std::string::npos;
    const std::string last = "Last-Modified: " + date + "\r\n";
    return request.starts_with("HEAD")
               ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + last + "\r\n"
               : reply("206 Partial Content", last + "Content-Range: bytes 0-3/10\r\n", "abcd");
  });
  const Result<ObjectStat> stat = stat_now(*store, "k");
  ASSERT_TRUE(stat.ok()) << stat.status();
  const Result<ReadBytes> read =
      read_now(*store, {.key = "k", .length_bytes = 4, .if_version = stat->version});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->version, stat->version);
  EXPECT_TRUE(read->has_weak_version);
  EXPECT_FALSE(was_conditional);  // no server knows this version
  const std::string content = "x";
  EXPECT_EQ(write_now(*store, "k", as_bytes(content), {.if_version = stat->version}).status().code(),
            StatusCode::kUnimplemented);
  EXPECT_EQ(store->open_writer("k", {.if_version = stat->version}).status().code(),
            StatusCode::kUnimplemented);
  date = "Sun, 06 Nov 1994 08:49:38 GMT";
  EXPECT_EQ(read_error({.key = "k", .length_bytes = 4, .if_version = stat->version}).code(),
            StatusCode::kAborted);
}

TEST_F(S3Faults, KeysWithDotsAreNotShortened) {
  serve([](const std::string& request, int) {
    return request.starts_with("GET /b/../a//./x%3F HTTP/1.1\r\n") ? range_reply("0-3/10", "abcd")
                                                                   : failure("404 Not Found", "NoSuchKey");
  });
  const Result<ReadBytes> read = read_now(*store, {.key = "../a//./x?", .length_bytes = 4});
  EXPECT_TRUE(read.ok()) << read.status();
}

TEST_F(S3Faults, RangesBeyondAnyObjectAreNotAskedFor) {
  serve([](const std::string& request, int) {
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"v1\"\r\n\r\n"
                                       : failure("400 Bad Request", "InvalidArgument");
  });
  const ReadRequest far[] = {{.key = "k", .offset_bytes = kToEnd - 1},
                             {.key = "k", .offset_bytes = 4, .length_bytes = kToEnd - 1},
                             {.key = "k", .offset_bytes = kToEnd - 3, .length_bytes = 4}};
  for (const ReadRequest& request : far) {
    EXPECT_EQ(read_error(request).code(), StatusCode::kOutOfRange) << request.offset_bytes;
  }
}

TEST_F(S3Faults, TimesThatDoNotFitAreUnknown) {
  serve([](const std::string&, int) -> std::string {
    return "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"v1\"\r\n"
           "Last-Modified: Fri, 31 Dec 9999 23:59:59 GMT\r\n\r\n";
  });
  const Result<ObjectStat> stat = stat_now(*store, "k");
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->modified_ns, 0);
}

// Some tools take keys there, and theirs may hold a slash.
TEST(S3Uri, KeysInAUriAreNotShown) {
  for (const std::string uri :
       {"s3://ID:hidden@bucket/k", "s3://ID:hid/den@bucket/k", "s3://hidden@bucket/k"}) {
    const Status status = StoreRegistry().resolve(uri).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(message(status).find("hid"), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find("den"), std::string_view::npos) << status;
    EXPECT_EQ(uri_for_message(uri), "s3://***");
  }
}

}  // namespace
}  // namespace forebay::storage
