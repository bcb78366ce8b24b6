// What servers of Google Cloud Storage do when they are not well: by a server that says what the test tells
// it to.

#include <gtest/gtest.h>

#include <semaphore>

#include "forebay/storage/gs/gs_store.h"
#include "forebay/storage/testing/remote_faults.h"
#include "forebay/storage/testing/scripted_store.h"

namespace forebay::storage {
namespace {

std::string gs_object_json(const std::string& key, uint64_t size, int generation) {
  return R"({"name":")" + key + R"(","size":")" + std::to_string(size) + R"(","generation":")" +
         std::to_string(generation) + R"("})";
}

std::shared_ptr<GsStore> open_scripted_gs(const std::string& url, net::HttpClient& client,
                                          const std::string& token = {},
                                          const RetryOptions& retries = kRetriesAtOnce) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  const GsOptions options = {.endpoint = url,
                             .anonymous = token.empty(),
                             .access_token = token,
                             .chunk_bytes = 256 << 10,
                             .retries = retries};
  return std::make_shared<GsStore>(
      std::make_shared<GsConnection>("bucket", options, *gs_endpoint(options, nothing),
                                     *gs_token_source(options, nothing, client, client), client));
}

struct GsService {
  static std::string answer(const std::string& request, const SimulatedObject& object) {
    const std::string generation = std::to_string(object.version);
    const bool is_list = request.starts_with("GET /storage/v1/b/bucket/o?");
    if (is_list) {
      const std::string item = gs_object_json("k", object.content.size(), object.version);
      return reply("200 OK", "",
                   R"({"kind":"storage#objects","items":[)" + (object.is_there ? item : "") + "]}");
    }
    if (!object.is_there || !request.starts_with("GET /storage/v1/b/bucket/o/k?")) {
      return reply("404 Not Found", "", R"({"error":{"errors":[{"reason":"notFound"}]}})");
    }
    const std::string condition = query_value(request, "ifGenerationMatch");
    if (!condition.empty() && condition != generation && !object.ignores_conditions) {
      return reply("412 Precondition Failed", "", R"({"error":{"errors":[{"reason":"conditionNotMet"}]}})");
    }
    return query_value(request, "alt") == "media"
               ? part_reply(request, object.content, "X-Goog-Generation: " + generation + "\r\n")
               : reply("200 OK", "", gs_object_json("k", object.content.size(), object.version));
  }
  static std::shared_ptr<ObjectStore> open(const std::string& url, net::HttpClient& client,
                                           const RetryOptions& retries) {
    return open_scripted_gs(url, client, {}, retries);
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Gs, RemoteFaults, GsService);

class GsFaults : public ::testing::Test {
 protected:
  std::shared_ptr<GsStore> open(const std::string& token = {}) {
    return open_scripted_gs(service_.url(), service_.client, token);
  }
  std::string session() const {
    return "Location: " + service_.url("/upload/session?upload_id=u%2F1") + "\r\n";
  }

  ScriptedService service_;
};

TEST_F(GsFaults, ATokenThatIsRefusedIsRenewedOnce) {
  service_.serve([](const std::string& request, int number) {
    EXPECT_NE(request.find("Authorization: Bearer hidden\r\n"), std::string::npos);
    return number == 0 ? reply("401 Unauthorized", "", "") : reply("200 OK", "", gs_object_json("k", 3, 1));
  });
  EXPECT_EQ(stat_now(*open("hidden"), "k")->size_bytes, 3u);
  service_.serve([](const std::string&, int) { return reply("401 Unauthorized", "", ""); });
  const Status status = stat_now(*open("hidden"), "k").status();
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
  EXPECT_EQ(service_.requests, 2);
}

TEST_F(GsFaults, ATokenDoesNotTravelInTheClear) {
  const Status status =
      stat_now(*open_scripted_gs("http://storage.example", service_.client, "hidden"), "k").status();
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
}

TEST_F(GsFaults, KeysAreOnePartOfThePath) {
  service_.serve([](const std::string& request, int) {
    return request.starts_with("GET /storage/v1/b/bucket/o/a%2F..%2Fb%3F%20c?")
               ? reply("200 OK", "", gs_object_json("a/../b? c", 3, 1))
               : reply("404 Not Found", "", "");
  });
  EXPECT_TRUE(stat_now(*open(), "a/../b? c").ok());
}

// The server takes the chunk, or a part of it, but its answer is another one.
TEST_F(GsFaults, AChunkWhoseAnswerIsLostIsNotSentTwice) {
  constexpr size_t kChunk = 256 << 10;
  for (const size_t arrived : {size_t{0}, kChunk / 2, kChunk}) {
    std::vector<std::string> ranges;
    service_.serve([&](const std::string& request, int number) -> std::string {
      if (request.starts_with("POST")) {
        return reply("200 OK", session(), "");
      }
      EXPECT_TRUE(request.starts_with("PUT /upload/session?upload_id=u%2F1 ")) << request.substr(0, 80);
      const size_t at = request.find("Content-Range: ") + 15;
      ranges.push_back(request.substr(at, request.find('\r', at) - at));
      if (number == 1) {
        return reply("500 Internal Server Error", "", "");
      }
      if (ranges.back().ends_with("/" + std::to_string(kChunk + 3))) {
        return reply("200 OK", "", gs_object_json("k", kChunk + 3, 9));
      }
      const size_t there = number == 2 ? arrived : kChunk;
      const std::string range = there == 0 ? "" : "Range: bytes=0-" + std::to_string(there - 1) + "\r\n";
      return reply("308 Resume Incomplete", range, "");
    });
    const std::shared_ptr<GsStore> store = open();
    const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
    const std::string content(kChunk, 'x');
    ASSERT_TRUE(append_now(*writer, as_bytes(content)).ok());
    ASSERT_TRUE(append_now(*writer, as_bytes(std::string("end"))).ok());
    const Result<ObjectStat> stat = commit_now(*writer);
    ASSERT_TRUE(stat.ok()) << stat.status();
    EXPECT_EQ(stat->version, "9");
    EXPECT_EQ(ranges.at(0), "bytes 0-262143/*");
    EXPECT_EQ(ranges.at(1), "bytes */*");
    EXPECT_EQ(ranges.at(2), arrived == kChunk ? "bytes 262144-262146/262147"
                                              : "bytes " + std::to_string(arrived) + "-262143/*");
  }
}

TEST_F(GsFaults, AnObjectWhoseLastAnswerIsLostIsFound) {
  service_.serve([&](const std::string& request, int) -> std::string {
    if (request.starts_with("POST")) {
      return reply("200 OK", session(), "");
    }
    const bool is_question = request.find("Content-Range: bytes */262147\r\n") != std::string::npos;
    const bool is_last = request.find("/262147\r\n") != std::string::npos;
    return is_question ? reply("200 OK", "", gs_object_json("k", 262'147, 9))
           : is_last   ? reply("500 Internal Server Error", "", "")
                       : reply("308 Resume Incomplete", "Range: bytes=0-262143\r\n", "");
  });
  const std::shared_ptr<GsStore> store = open();
  const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {.if_absent = true});
  ASSERT_TRUE(append_now(*writer, as_bytes(std::string(256 << 10, 'x'))).ok());
  ASSERT_TRUE(append_now(*writer, as_bytes(std::string("end"))).ok());
  const Result<ObjectStat> stat = commit_now(*writer);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->version, "9");
}

TEST_F(GsFaults, ServersThatLoseAnUploadAreNotBelieved) {
  const std::string answers[] = {reply("308 Resume Incomplete", "Range: bytes=0-999999999\r\n", ""),
                                 reply("308 Resume Incomplete", "Range: bytes=5-9\r\n", ""),
                                 reply("308 Resume Incomplete", "", ""), reply("410 Gone", "", ""),
                                 reply("200 OK", "", gs_object_json("k", 1, 1))};
  for (const std::string& answer : answers) {
    service_.serve([&](const std::string& request, int) {
      return request.starts_with("POST") ? reply("200 OK", session(), "") : answer;
    });
    const std::shared_ptr<GsStore> store = open();
    const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
    const Status status = append_now(*writer, as_bytes(std::string(256 << 10, 'x')));
    EXPECT_TRUE(status.code() == StatusCode::kDataLoss || status.code() == StatusCode::kUnavailable)
        << status;
    EXPECT_FALSE(commit_now(*writer).ok());
  }
}

TEST_F(GsFaults, SessionsElsewhereAreNotFollowed) {
  service_.serve([&](const std::string& request, int) {
    return request.starts_with("POST") ? reply("200 OK", "Location: not a url\r\n", "")
                                       : reply("404 Not Found", "", "");
  });
  const std::shared_ptr<GsStore> store = open();
  const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
  EXPECT_EQ(append_now(*writer, as_bytes(std::string(256 << 10, 'x'))).code(), StatusCode::kDataLoss);
}

TEST_F(GsFaults, AnUploadThatIsGivenUpIsCancelled) {
  std::binary_semaphore cancelled(0);
  service_.serve([&](const std::string& request, int) {
    if (request.starts_with("DELETE /upload/session?upload_id=u%2F1 ")) {
      cancelled.release();
    }
    return request.starts_with("POST") ? reply("200 OK", session(), "")
                                       : reply("308 Resume Incomplete", "Range: bytes=0-262143\r\n", "");
  });
  const std::shared_ptr<GsStore> store = open();
  {
    const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
    ASSERT_TRUE(append_now(*writer, as_bytes(std::string(256 << 10, 'x'))).ok());
  }
  cancelled.acquire();
}

TEST_F(GsFaults, ACopyTellsItsSourceFromItsDestination) {
  for (const bool is_there : {false, true}) {
    std::atomic<int> looks = 0;
    service_.serve([&](const std::string& request, int) {
      if (request.starts_with("POST")) {
        return reply("412 Precondition Failed", "", "");
      }
      const bool is_source = request.find("/o/from?") != std::string::npos;
      const bool appears = !is_source && ++looks == 2 && is_there;
      return is_source || appears ? reply("200 OK", "", gs_object_json(is_source ? "from" : "to", 3, 1))
                                  : reply("404 Not Found", "", "");
    });
    const Status status = copy_now(*open(), {.from = "from", .to = "to", .if_absent = true}).status();
    EXPECT_EQ(status.code(), is_there ? StatusCode::kAlreadyExists : StatusCode::kAborted) << status;
  }
}

constexpr char kGsNotMet[] = R"({"error":{"errors":[{"reason":"conditionNotMet"}]}})";

TEST_F(GsFaults, AConditionalWriteWhoseAnswerWasLostIsFound) {
  for (const std::string there : {"ours", "that"}) {
    std::atomic<int> posts = 0;
    service_.serve([&](const std::string& request, int) {
      if (request.starts_with("POST")) {
        return posts++ == 0 ? reply("500 Internal Server Error", "", "")
                            : reply("412 Precondition Failed", "", kGsNotMet);
      }
      return query_value(request, "alt") == "media" ? part_reply(request, there, "X-Goog-Generation: 7\r\n")
                                                    : reply("200 OK", "", gs_object_json("k", 4, 7));
    });
    const std::string content = "ours";
    const Result<ObjectStat> made = write_now(*open(), "k", as_bytes(content), {.if_absent = true});
    EXPECT_EQ(made.status().code(), there == content ? StatusCode::kOk : StatusCode::kAlreadyExists)
        << made.status();
  }
}

TEST_F(GsFaults, ACopyWhoseAnswerWasLostIsFound) {
  for (const bool is_ours : {true, false}) {
    std::atomic<int> posts = 0;
    service_.serve([&](const std::string& request, int) {
      if (request.starts_with("POST")) {
        return posts++ == 0 ? reply("500 Internal Server Error", "", "")
                            : reply("412 Precondition Failed", "", kGsNotMet);
      }
      const bool is_source = request.find("/o/from?") != std::string::npos;
      if (request.find("crc32c") != std::string::npos) {
        return reply("200 OK", "",
                     std::string(R"({"size":"3","crc32c":")") + (is_source || is_ours ? "a" : "b") + "\"}");
      }
      return is_source || posts > 0 ? reply("200 OK", "", gs_object_json(is_source ? "from" : "to", 3, 1))
                                    : reply("404 Not Found", "", "");
    });
    const Status status = copy_now(*open(), {.from = "from", .to = "to", .if_absent = true}).status();
    EXPECT_EQ(status.code(), is_ours ? StatusCode::kOk : StatusCode::kAlreadyExists) << status;
  }
}

// The service unpacks such an object for whoever does not take gzip; that has neither the object's length nor
// ranges.
TEST_F(GsFaults, AnObjectThatIsStoredCompressedIsWhatIsStored) {
  const std::string stored = "0123456789";
  service_.serve([&](const std::string& request, int) -> std::string {
    const std::string headers = "X-Goog-Generation: 7\r\n";
    if (request.find("\r\nAccept-Encoding: gzip\r\n") != std::string::npos) {
      return part_reply(request, stored, headers + "Content-Encoding: gzip\r\n");
    }
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + headers + "\r\n5\r\nplain\r\n0\r\n\r\n";
  });
  EXPECT_EQ(text_of(*read_now(*open(), {.key = "k"})), stored);
  EXPECT_EQ(text_of(*read_now(*open(), {.key = "k", .offset_bytes = 2, .length_bytes = 3})), "234");
  service_.serve([](const std::string&, int) -> std::string {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Goog-Generation: "
           "7\r\n\r\n5\r\nplain\r\n0\r\n\r\n";
  });
  EXPECT_EQ(read_now(*open(), {.key = "k"}).status().code(), StatusCode::kUnavailable);
}

TEST_F(GsFaults, ARemovalWhoseAnswerWasLostIsDone) {
  service_.serve([](const std::string&, int number) {
    return number == 0 ? reply("503 Service Unavailable", "", "") : reply("404 Not Found", "", "");
  });
  const std::shared_ptr<GsStore> store = open();
  EXPECT_TRUE(remove_now(*store, "k").ok());
  EXPECT_EQ(remove_now(*store, "k").code(), StatusCode::kNotFound) << "nobody has removed it now";
}

TEST_F(GsFaults, LongCopiesGoOnWithTheirToken) {
  service_.serve([&](const std::string& request, int number) {
    if (request.starts_with("GET")) {
      return reply("200 OK", "", gs_object_json("from", 3, 7));
    }
    EXPECT_EQ(query_value(request, "ifSourceGenerationMatch"), "7");
    EXPECT_EQ(query_value(request, "rewriteToken"), number == 1 ? "" : "t" + std::to_string(number - 1));
    return reply("200 OK", "",
                 number < 3 ? R"({"done":false,"rewriteToken":"t)" + std::to_string(number) + "\"}"
                            : R"({"done":true,"resource":)" + gs_object_json("to", 3, 8) + "}");
  });
  const Result<ObjectStat> made = copy_now(*open(), {.from = "from", .to = "to"});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->version, "8");
}

}  // namespace
}  // namespace forebay::storage
