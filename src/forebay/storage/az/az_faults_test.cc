// What servers of Azure's blobs do when they are not well: by a server that says what the test tells it to.

#include <gtest/gtest.h>

#include <set>

#include "forebay/storage/az/az_store.h"
#include "forebay/storage/testing/remote_faults.h"
#include "forebay/storage/testing/scripted_store.h"

namespace forebay::storage {
namespace {

std::shared_ptr<AzStore> open_scripted_az(const std::string& url, net::HttpClient& client,
                                          AzOptions options = {.retries = kRetriesAtOnce}) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  options.account = "me";
  options.endpoint = url;
  options.anonymous = options.sas_token.empty();
  return std::make_shared<AzStore>(
      std::make_shared<AzConnection>("az://box", "box", options, *configure_az(options, nothing), client));
}

std::string az_refusal(const std::string& status, const std::string& code) {
  return reply(status, "x-ms-error-code: " + code + "\r\n", "");
}

struct AzService {
  static std::string answer(const std::string& request, const SimulatedObject& object) {
    const std::string etag = "\"0x" + std::to_string(object.version) + "\"";
    if (request.starts_with("GET /box?")) {
      const std::string blob = "<Blob><Name>k</Name><Properties><Content-Length>10</Content-Length><Etag>" +
                               etag + "</Etag></Properties></Blob>";
      return reply("200 OK", "",
                   "<EnumerationResults><Blobs>" + (object.is_there ? blob : "") +
                       "</Blobs><NextMarker/></EnumerationResults>");
    }
    if (!object.is_there) {
      return az_refusal("404 Not Found", "BlobNotFound");
    }
    const bool is_conditional = request.find("\r\nIf-Match: ") != std::string::npos;
    if (is_conditional && request.find("\r\nIf-Match: " + etag) == std::string::npos &&
        !object.ignores_conditions) {
      return az_refusal("412 Precondition Failed", "ConditionNotMet");
    }
    const std::string headers = "ETag: " + etag + "\r\n";
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + headers + "\r\n"
                                       : part_reply(request, object.content, headers);
  }
  static std::shared_ptr<ObjectStore> open(const std::string& url, net::HttpClient& client,
                                           const RetryOptions& retries) {
    return open_scripted_az(url, client, {.retries = retries});
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Az, RemoteFaults, AzService);

class AzFaults : public ::testing::Test {
 protected:
  std::shared_ptr<AzStore> open(AzOptions options = {}) {
    options.retries = kRetriesAtOnce;
    return open_scripted_az(service_.url(), service_.client, options);
  }

  ScriptedService service_;
};

TEST_F(AzFaults, ASignatureGoesWithEachRequestAndIntoNoError) {
  service_.serve([](const std::string& request, int) {
    EXPECT_EQ(query_value(request, "sig"), "hid%2Bden") << request.substr(0, 80);
    return az_refusal("403 Forbidden", "AuthenticationFailed");
  });
  const std::shared_ptr<AzStore> store = open({.sas_token = "?sv=2021&sig=hid%2Bden"});
  const std::string content = "x";
  for (const Status& status :
       {stat_now(*store, "k").status(), write_now(*store, "k", as_bytes(content)).status(),
        list_now(*store, {}).status()}) {
    EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
    EXPECT_EQ(message(status).find("hid"), std::string_view::npos) << status;
  }
}

TEST_F(AzFaults, ABlockIsSentAgainAndTheBlobIsWhole) {
  Mutex mutex;  // requests may come by several connections
  std::vector<std::string> blocks;
  service_.serve([&](const std::string& request, int number) -> std::string {
    if (query_value(request, "comp") == "block") {
      const MutexLock lock(mutex);
      blocks.push_back(query_value(request, "blockid"));
      return number == 0 ? reply("500 Internal Server Error", "", "") : reply("201 Created", "", "");
    }
    EXPECT_EQ(query_value(request, "comp"), "blocklist");
    return reply("201 Created", "ETag: \"0x9\"\r\n", "");
  });
  const std::shared_ptr<AzStore> store =
      open({.part_bytes = 4, .parts_in_flight = 1, .largest_put_bytes = 4});
  const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {});
  ASSERT_TRUE(append_now(*writer, as_bytes(std::string("abcdefg"))).ok());
  const Result<ObjectStat> stat = commit_now(*writer);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->version, "0x9");
  EXPECT_EQ(stat->size_bytes, 7u);
  EXPECT_EQ(blocks.size(), 3u);
  EXPECT_EQ(std::set<std::string>(blocks.begin(), blocks.end()).size(), 2u);
}

/// The blocks of a request's list, as a list of committed ones names them.
std::string blocks_named_in(const std::string& request) {
  std::string blocks;
  const std::string begin = "<Latest>";
  for (size_t at = request.find(begin); at != std::string::npos; at = request.find(begin, at + 1)) {
    const size_t id = at + begin.size();
    blocks += "<Block><Name>" + request.substr(id, request.find('<', id) - id) + "</Name></Block>";
  }
  return blocks;
}

TEST_F(AzFaults, ABlobWhoseLastAnswerIsLostIsFound) {
  for (const bool is_ours : {true, false}) {
    Mutex mutex;            // requests may come by several connections
    std::string committed;  // as the first attempt named the blocks
    service_.serve([&](const std::string& request, int) -> std::string {
      const MutexLock lock(mutex);
      if (query_value(request, "comp") == "block") {
        return reply("201 Created", "", "");
      }
      if (request.starts_with("HEAD")) {
        return "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nETag: \"0x9\"\r\n\r\n";
      }
      if (request.starts_with("GET")) {
        const std::string other = "<Block><Name>b3RoZXI=</Name></Block>";
        return reply("200 OK", "",
                     "<BlockList><CommittedBlocks>" + (is_ours ? committed : other) +
                         "</CommittedBlocks></BlockList>");
      }
      if (!committed.empty()) {
        return az_refusal("409 Conflict", "BlobAlreadyExists");
      }
      committed = blocks_named_in(request);
      return reply("500 Internal Server Error", "", "");
    });
    const std::shared_ptr<AzStore> store =
        open({.part_bytes = 4, .parts_in_flight = 1, .largest_put_bytes = 4});
    const std::unique_ptr<ObjectWriter> writer = *store->open_writer("k", {.if_absent = true});
    ASSERT_TRUE(append_now(*writer, as_bytes(std::string("abcdefg"))).ok());
    const Result<ObjectStat> stat = commit_now(*writer);
    EXPECT_EQ(stat.status().code(), is_ours ? StatusCode::kOk : StatusCode::kAlreadyExists) << stat.status();
  }
}

TEST_F(AzFaults, ACopyThatTakesLongIsWaitedFor) {
  service_.serve([](const std::string& request, int number) -> std::string {
    const bool is_source = request.starts_with("HEAD /box/from ");
    if (is_source) {
      return "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"0x1\"\r\n\r\n";
    }
    const std::string state = number < 3 ? "pending" : "success";
    return request.starts_with("PUT")
               ? reply("202 Accepted", "x-ms-copy-status: " + state + "\r\nETag: \"0x2\"\r\n", "")
               : "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"0x2\"\r\nx-ms-copy-status: " + state +
                     "\r\n\r\n";
  });
  const Result<ObjectStat> made = copy_now(*open(), {.from = "from", .to = "to"});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->version, "0x2");
  EXPECT_GE(service_.requests, 4);
}

TEST_F(AzFaults, AConditionalWriteWhoseAnswerWasLostIsFound) {
  for (const std::string there : {"ours", "that"}) {
    std::atomic<int> puts = 0;
    service_.serve([&](const std::string& request, int) -> std::string {
      if (request.starts_with("PUT")) {
        return puts++ == 0 ? reply("500 Internal Server Error", "", "")
                           : az_refusal("409 Conflict", "BlobAlreadyExists");
      }
      return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"0x9\"\r\n\r\n"
                                         : part_reply(request, there, "ETag: \"0x9\"\r\n");
    });
    const std::string content = "ours";
    const Result<ObjectStat> made = write_now(*open(), "k", as_bytes(content), {.if_absent = true});
    EXPECT_EQ(made.status().code(), there == content ? StatusCode::kOk : StatusCode::kAlreadyExists)
        << made.status();
  }
}

TEST_F(AzFaults, ACopyWhoseAnswerWasLostIsFound) {
  for (const bool is_ours : {true, false}) {
    std::atomic<int> puts = 0;
    service_.serve([&](const std::string& request, int) -> std::string {
      if (request.starts_with("PUT")) {
        return puts++ == 0 ? reply("500 Internal Server Error", "", "")
                           : az_refusal("409 Conflict", "BlobAlreadyExists");
      }
      if (request.starts_with("HEAD /box/to ") && puts == 0) {
        return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
      }
      const std::string source = service_.url(is_ours ? "/box/from" : "/box/another");
      return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"0x9\"\r\nx-ms-copy-status: "
             "success\r\nx-ms-copy-source: " +
             source + "\r\n\r\n";
    });
    const Status status = copy_now(*open(), {.from = "from", .to = "to", .if_absent = true}).status();
    EXPECT_EQ(status.code(), is_ours ? StatusCode::kOk : StatusCode::kAlreadyExists) << status;
  }
}

TEST_F(AzFaults, ErrorsSayWhatTheServiceSays) {
  const std::pair<std::string, StatusCode> known[] = {{"BlobArchived", StatusCode::kFailedPrecondition},
                                                      {"LeaseIdMissing", StatusCode::kFailedPrecondition},
                                                      {"ContainerNotFound", StatusCode::kNotFound}};
  for (const auto& [code, expected] : known) {
    service_.serve([&code = code](const std::string&, int) { return az_refusal("409 Conflict", code); });
    const Status status = stat_now(*open(), "k").status();
    EXPECT_EQ(status.code(), expected) << status;
    EXPECT_NE(message(status).find("az://box/k"), std::string_view::npos) << status;
  }
}

}  // namespace
}  // namespace forebay::storage
