// What S3 servers do when they are not well, or not where they were expected: by a server that says what the
// test tells it to.

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <string>
#include <tuple>
#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/s3/allowed_credentials.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/testing/scripted_s3.h"

namespace forebay::storage {
namespace {

TEST_F(S3Faults, CodesBecomeTheErrorsOfStores) {
  const std::tuple<const char*, const char*, StatusCode> cases[] = {
      {"404 Not Found", "NoSuchKey", StatusCode::kNotFound},
      {"404 Not Found", "NoSuchBucket", StatusCode::kNotFound},
      {"403 Forbidden", "AccessDenied", StatusCode::kPermissionDenied},
      {"403 Forbidden", "InvalidObjectState", StatusCode::kFailedPrecondition},
      {"412 Precondition Failed", "PreconditionFailed", StatusCode::kAborted},
      {"500 Internal Server Error", "InternalError", StatusCode::kUnavailable},
      {"503 Service Unavailable", "ServiceUnavailable", StatusCode::kUnavailable},
      {"501 Not Implemented", "NotImplemented", StatusCode::kUnimplemented},
      {"400 Bad Request", "SomethingNew", StatusCode::kInvalidArgument}};
  for (const auto& [status, code, expected] : cases) {
    serve([&](const std::string&, int) { return failure(status, code); });
    const Status error = read_error({.key = "k", .length_bytes = 4});
    EXPECT_EQ(error.code(), expected) << error;
    EXPECT_NE(message(error).find(code), std::string_view::npos) << error;
    EXPECT_EQ(requests.exchange(0), 1) << code;
  }
}

TEST_F(S3Faults, BusyServersAreThrottles) {
  serve([](const std::string&, int number) {
    return number == 0 ? failure("503 Slow Down", "SlowDown")
                       : reply("429 Too Many Requests", "Retry-After: 7\r\n", "");
  });
  const Status slow = read_error({.key = "k", .length_bytes = 4});
  EXPECT_EQ(slow.code(), StatusCode::kUnavailable);
  EXPECT_GT(retry_after_ns(slow).value_or(0), 0);
  const Status many = read_error({.key = "k", .length_bytes = 4});
  EXPECT_EQ(retry_after_ns(many), 7'000'000'000);
}

TEST_F(S3Faults, TheBucketsRegionIsFollowedOnce) {
  serve([](const std::string& request, int) {
    return request.find("/eu-north-1/s3/aws4_request") != std::string::npos
               ? range_reply("0-3/10", "abcd")
               : failure("400 Bad Request", "AuthorizationHeaderMalformed", "<Region>eu-north-1</Region>");
  });
  EXPECT_EQ(text_of(*read_now(*store, {.key = "k", .length_bytes = 4})), "abcd");
  EXPECT_EQ(text_of(*read_now(*store, {.key = "k", .length_bytes = 4})), "abcd");
  EXPECT_EQ(requests, 3);  // the second read knows the region
}

TEST_F(S3Faults, RegionsThatContradictEachOtherAreAnError) {
  serve([](const std::string&, int number) {
    return reply("301 Moved Permanently", "x-amz-bucket-region: r" + std::to_string(number) + "\r\n", "");
  });
  EXPECT_EQ(read_error({.key = "k", .length_bytes = 4}).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(requests, 2);
}

TEST_F(S3Faults, ExpiredKeysAreRenewedOnce) {
  serve([](const std::string& request, int) {
    return request.find("Credential=key1/") != std::string::npos ? range_reply("0-3/10", "abcd")
                                                                 : failure("400 Bad Request", "ExpiredToken");
  });
  EXPECT_EQ(text_of(*read_now(*store, {.key = "k", .length_bytes = 4})), "abcd");
  EXPECT_EQ(keys->fetches, 2);
  serve([](const std::string&, int) { return failure("400 Bad Request", "ExpiredToken"); });
  EXPECT_EQ(read_error({.key = "k", .length_bytes = 4}).code(), StatusCode::kPermissionDenied);
}

TEST_F(S3Faults, AnonymousRequestsAreNotSigned) {
  serve([](const std::string& request, int) {
    const bool is_signed = request.find("uthorization:") != std::string::npos;
    return is_signed ? failure("400 Bad Request", "InvalidArgument") : range_reply("0-3/10", "abcd");
  });
  const S3Options options = {.endpoint = server->url(""), .anonymous = true};
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  S3Store anonymous(std::make_shared<S3Connection>("b", options, *configure_s3(options, nothing, {}),
                                                   *credentials_of(options, nothing, client), client));
  EXPECT_EQ(text_of(*read_now(anonymous, {.key = "k", .length_bytes = 4})), "abcd");
  EXPECT_EQ(read_error({.key = "k", .length_bytes = 4}).code(), StatusCode::kInvalidArgument);
}

TEST_F(S3Faults, AnswersThatAreNotWhatWasAskedAreErrors) {
  const std::pair<std::string, StatusCode> cases[] = {
      {range_reply("0-3/10", "abcd", "v2"), StatusCode::kAborted},  // If-Match was ignored
      {range_reply("4-7/10", "abcd"), StatusCode::kUnavailable},    // another range
      {range_reply("0-2/3", "abc"), StatusCode::kOutOfRange},       // the object is shorter
      {range_reply("0-3/10", "abc"), StatusCode::kUnavailable},     // a short body
      {reply("206 Partial Content", "ETag: \"v1\"\r\n", "abcd"), StatusCode::kUnavailable},
      {reply("206 Partial Content", "Content-Range: bytes 0-3/10\r\n", "abcd"), StatusCode::kDataLoss},
      {reply("200 OK", "ETag: \"v1\"\r\n", "abc"), StatusCode::kOutOfRange}};
  for (const auto& [answer, code] : cases) {
    serve([&](const std::string& request, int) {
      return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"v1\"\r\n\r\n"
                                         : answer;
    });
    const Status status = read_error({.key = "k", .length_bytes = 4, .if_version = "v1"});
    EXPECT_EQ(status.code(), code) << answer << "\n" << status;
  }
}

TEST_F(S3Faults, AnswersThatAreCutMayBeTriedAgain) {
  for (const std::string answer : {"HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\nETag: \"v1\"\r\n"
                                   "Content-Range: bytes 0-3/10\r\n\r\nab",
                                   "HTTP/1.1 206 Partial", "not http at all\r\n\r\n"}) {
    serve_connections([answer](ScriptedConnection& connection, int) {
      connection.read_request();
      connection.send(answer);
    });
    EXPECT_EQ(read_error({.key = "k", .length_bytes = 4}).code(), StatusCode::kUnavailable) << answer;
  }
}

TEST_F(S3Faults, AnObjectThatChangesBetweenTwoReadsIsNoticed) {
  serve([](const std::string& request, int number) {
    const bool is_conditional = request.find("\r\nIf-Match: \"v1\"\r\n") != std::string::npos;
    return number > 0 && is_conditional ? failure("412 Precondition Failed", "PreconditionFailed")
                                        : range_reply("0-3/10", "abcd");
  });
  const Result<ReadBytes> first = read_now(*store, {.key = "k", .length_bytes = 4});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(read_error({.key = "k", .length_bytes = 4, .if_version = first->version}).code(),
            StatusCode::kAborted);
}

TEST_F(S3Faults, SomeFailuresComeWithStatus200) {
  serve([](const std::string& request, int) {
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"v1\"\r\n\r\n"
                                       : failure("200 OK", "SlowDown");
  });
  const Status status = copy_now(*store, {"k", "l"}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_TRUE(retry_after_ns(status).has_value());
}

TEST_F(S3Faults, AnUploadThatFailsIsAborted) {
  retries = kRetriesAtOnce;
  std::atomic<int> aborts = 0;
  std::binary_semaphore aborted(0);
  serve([&](const std::string& request, int) {
    if (request.starts_with("POST /b/k?uploads=")) {
      return reply(
          "200 OK", "",
          "<InitiateMultipartUploadResult><UploadId>u&amp;1</UploadId></InitiateMultipartUploadResult>");
    }
    if (request.starts_with("DELETE /b/k?uploadId=u%261 ")) {
      ++aborts;
      aborted.release();
      return reply("204 No Content", "", "");
    }
    return request.find("partNumber=2") != std::string::npos
               ? failure("500 Internal Server Error", "InternalError")
               : reply("200 OK", "ETag: \"p\"\r\n", "");
  });
  const std::string part(8 << 20, 'x');
  std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
  EXPECT_TRUE(append_now(*writer, as_bytes(part)).ok());
  EXPECT_EQ(append_now(*writer, as_bytes(part)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(append_now(*writer, as_bytes(part)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(commit_now(*writer).status().code(), StatusCode::kUnavailable);
  writer.reset();
  aborted.acquire();
  EXPECT_EQ(aborts, 1);
}

constexpr char kUploadId[] =
    "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
constexpr char kMd5[] = "900150983cd24fb0d6963f7d28e17f72";
constexpr char kMd5OfTwo[] = "043a916d6cfeecedf5e04f0312ba762d-2";

TEST_F(S3Faults, PartsAreSentAgain) {
  retries = kRetriesAtOnce;
  std::atomic<int> parts = 0;
  serve([&](const std::string& request, int) {
    if (request.starts_with("POST /b/k?uploads=")) {
      return reply("200 OK", "", kUploadId);
    }
    if (request.starts_with("POST")) {
      return reply("200 OK", "",
                   "<CompleteMultipartUploadResult><ETag>whole-2</ETag></CompleteMultipartUploadResult>");
    }
    return parts++ % 2 == 0 ? failure("500 Internal Server Error", "InternalError")
                            : reply("200 OK", "ETag: \"p\"\r\n", "");
  });
  const std::string part(8 << 20, 'x');
  const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
  EXPECT_TRUE(append_now(*writer, as_bytes(part)).ok());
  EXPECT_TRUE(append_now(*writer, as_bytes(part)).ok());
  const Result<ObjectStat> stat = commit_now(*writer);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->version, "whole-2");
  EXPECT_EQ(parts, 4);
}

// The first answer to the completion is lost, and the second attempt finds no upload.
TEST_F(S3Faults, ACompletionWhoseAnswerWasLostIsFound) {
  retries = kRetriesAtOnce;
  for (const bool is_ours : {true, false}) {
    std::atomic<int> completions = 0;
    serve([&](const std::string& request, int) {
      if (request.starts_with("POST /b/k?uploads=")) {
        return reply("200 OK", "", kUploadId);
      }
      if (request.starts_with("POST")) {
        return completions++ == 0 ? failure("500 Internal Server Error", "InternalError")
                                  : failure("404 Not Found", "NoSuchUpload");
      }
      if (request.starts_with("HEAD")) {
        const std::string tag = is_ours ? kMd5OfTwo : "of-somebody-else";
        return "HTTP/1.1 200 OK\r\nContent-Length: 16777216\r\nETag: \"" + tag + "\"\r\n\r\n";
      }
      return reply("200 OK", std::string("ETag: \"") + kMd5 + "\"\r\n", "");
    });
    const std::string part(8 << 20, 'x');
    const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
    EXPECT_TRUE(append_now(*writer, as_bytes(part)).ok());
    EXPECT_TRUE(append_now(*writer, as_bytes(part)).ok());
    const Result<ObjectStat> stat = commit_now(*writer);
    EXPECT_EQ(stat.status().code(), is_ours ? StatusCode::kOk : StatusCode::kNotFound) << stat.status();
  }
}

// The server takes the object, but its first answer is lost.
TEST_F(S3Faults, AConditionalWriteWhoseAnswerWasLostIsFound) {
  retries = kRetriesAtOnce;
  for (const char* const there : {"ours", "more", "that"}) {
    std::atomic<int> puts = 0;
    serve([&](const std::string& request, int) {
      if (request.starts_with("PUT")) {
        return puts++ == 0 ? failure("500 Internal Server Error", "InternalError")
                           : failure("412 Precondition Failed", "PreconditionFailed");
      }
      return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"v1\"\r\n\r\n"
                                         : range_reply("0-3/4", there);
    });
    const std::string content = "ours";
    const Result<ObjectStat> made = write_now(*store, "k", as_bytes(content), {.if_absent = true});
    const bool is_ours = there == content;
    EXPECT_EQ(made.status().code(), is_ours ? StatusCode::kOk : StatusCode::kAlreadyExists) << made.status();
    EXPECT_EQ(puts, is_ours ? 1 : 2);
  }
}

// A refusal that says that nothing was done leaves no doubt: the equal object is another's.
TEST_F(S3Faults, ABusyServerHasWrittenNothing) {
  retries = kRetriesAtOnce;
  std::atomic<int> puts = 0;
  serve([&](const std::string& request, int) {
    if (request.starts_with("PUT")) {
      return puts++ == 0 ? failure("503 Slow Down", "ServiceUnavailable")
                         : failure("412 Precondition Failed", "PreconditionFailed");
    }
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"v1\"\r\n\r\n"
                                       : range_reply("0-3/4", "ours");
  });
  const std::string content = "ours";
  const Result<ObjectStat> made = write_now(*store, "k", as_bytes(content), {.if_absent = true});
  EXPECT_EQ(made.status().code(), StatusCode::kAlreadyExists) << made.status();
}

TEST_F(S3Faults, AReplacementWhoseAnswerWasLostIsFound) {
  retries = kRetriesAtOnce;
  for (const std::string version : {"v1", "v2"}) {  // the object as it was; as the first attempt made it
    std::atomic<int> puts = 0;
    serve([&](const std::string& request, int) {
      if (request.starts_with("PUT")) {
        return puts++ == 0 ? failure("500 Internal Server Error", "InternalError")
                           : reply("200 OK", "ETag: \"v3\"\r\n", "");
      }
      return request.starts_with("HEAD")
                 ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"" + version + "\"\r\n\r\n"
                 : range_reply("0-3/4", "ours", version);
    });
    const std::string content = "ours";
    const Result<ObjectStat> made = write_now(*store, "k", as_bytes(content), {.if_version = "v1"});
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->version, version == "v1" ? "v3" : "v2");
  }
}

TEST_F(S3Faults, ACopyWhoseAnswerWasLostIsFound) {
  retries = kRetriesAtOnce;
  for (const bool is_ours : {true, false}) {
    std::atomic<int> puts = 0;
    serve([&](const std::string& request, int) -> std::string {
      if (request.starts_with("PUT")) {
        return puts++ == 0 ? failure("500 Internal Server Error", "InternalError")
                           : failure("412 Precondition Failed", "PreconditionFailed");
      }
      if (request.starts_with("HEAD /b/to ") && puts == 0) {
        return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
      }
      const bool is_source = request.starts_with("HEAD /b/from ");
      return std::string("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"") +
             (is_source || is_ours ? kMd5 : "00150983cd24fb0d6963f7d28e17f729") + "\"\r\n\r\n";
    });
    const Result<ObjectStat> made = copy_now(*store, {.from = "from", .to = "to", .if_absent = true});
    EXPECT_EQ(made.status().code(), is_ours ? StatusCode::kOk : StatusCode::kAlreadyExists) << made.status();
  }
}

TEST_F(S3Faults, WritesRemovalsAndCopiesAreSentAgain) {
  retries = kRetriesAtOnce;
  std::atomic<int> changes = 0;
  serve([&](const std::string& request, int) -> std::string {
    if (request.starts_with("HEAD")) {
      return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"v1\"\r\n\r\n";
    }
    if (changes++ % 2 == 0) {
      return failure("503 Service Unavailable", "ServiceUnavailable");
    }
    return request.starts_with("DELETE")
               ? reply("204 No Content", "", "")
               : reply("200 OK", "ETag: \"v2\"\r\n",
                       request.find("x-amz-copy-source") == std::string::npos
                           ? ""
                           : "<CopyObjectResult><ETag>\"v2\"</ETag></CopyObjectResult>");
  });
  const std::string content = "ours";
  EXPECT_TRUE(write_now(*store, "k", as_bytes(content)).ok());
  EXPECT_TRUE(copy_now(*store, {.from = "k", .to = "l"}).ok());
  EXPECT_TRUE(remove_now(*store, "k").ok());
  const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
  EXPECT_TRUE(append_now(*writer, as_bytes(content)).ok());
  EXPECT_TRUE(commit_now(*writer).ok());
  EXPECT_EQ(changes, 8);
}

TEST_F(S3Faults, ListingsThatDoNotGetOnAreErrors) {
  serve([](const std::string&, int) {
    return reply("200 OK", "",
                 "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t"
                 "</NextContinuationToken></ListBucketResult>");
  });
  const Status status = list_all_now(*store, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  EXPECT_EQ(requests, 2);
}

}  // namespace
}  // namespace forebay::storage
