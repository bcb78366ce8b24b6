// Many objects removed by one request, by a server that says what the test tells it to. A real one takes part
// in the conformance suite.

#include <gtest/gtest.h>

#include <vector>

#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/scripted_s3.h"
#include "forebay/storage/testing/scripted_store.h"

namespace forebay::storage {
namespace {

class S3RemoveTest : public ::testing::Test {
 protected:
  std::vector<Status> remove(std::vector<std::string> keys, const CallContext& context = {}) {
    const S3Options options = {.endpoint = service_.url(), .retries = {.max_attempts = 1}};
    const Environment nothing = [](const std::string&) { return std::nullopt; };
    const auto store = std::make_shared<S3Store>(
        std::make_shared<S3Connection>("b", options, *configure_s3(options, nothing, {}),
                                       std::make_shared<CountingKeys>(), service_.client));
    return remove_many_now(*store, std::move(keys), context);
  }
  static std::string result(const std::string& errors) {
    return reply("200 OK", "", "<DeleteResult>" + errors + "</DeleteResult>");
  }

  ScriptedService service_;
};

TEST_F(S3RemoveTest, AThousandObjectsAreOneRequest) {
  std::vector<std::string> keys;
  for (int i = 0; i < 2001; ++i) {
    keys.push_back("k" + std::to_string(i));
  }
  std::vector<size_t> counts;
  service_.serve([&](const std::string& request, int) {
    EXPECT_TRUE(request.starts_with("POST /b?delete")) << request.substr(0, 60);
    EXPECT_NE(request.find("\r\nContent-MD5: "), std::string::npos);
    size_t count = 0;
    for (size_t at = request.find("<Key>"); at != std::string::npos; at = request.find("<Key>", at + 1)) {
      ++count;
    }
    counts.push_back(count);
    return result("");
  });
  for (const Status& status : remove(keys)) {
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(counts, (std::vector<size_t>{1000, 1000, 1}));
}

TEST_F(S3RemoveTest, EachFailureIsThatOfItsObject) {
  service_.serve([](const std::string&, int) {
    return result(
        "<Error><Key>a&amp;b</Key><Code>AccessDenied</Code><Message>no</Message></Error>"
        "<Error><Key>gone</Key><Code>NoSuchKey</Code></Error>");
  });
  const std::vector<Status> removed = remove({"x", "a&b", "gone", "a&b"});
  ASSERT_EQ(removed.size(), 4u);
  EXPECT_TRUE(removed[0].ok() && removed[2].ok());
  for (const size_t i : {1, 3}) {
    EXPECT_EQ(removed[i].code(), StatusCode::kPermissionDenied);
    EXPECT_NE(message(removed[i]).find("s3://b/a&b"), std::string_view::npos) << removed[i];
  }
}

TEST_F(S3RemoveTest, WhatFailedForAMomentIsAskedForAgain) {
  service_.serve([](const std::string& request, int) {
    return request.starts_with("POST") ? result("<Error><Key>b</Key><Code>InternalError</Code></Error>")
                                       : reply("204 No Content", "", "");
  });
  for (const Status& status : remove({"a", "b", "c"})) {
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(service_.requests, 2);
}

TEST_F(S3RemoveTest, AFailureThatNamesNoneOfThemMayBeOfAny) {
  service_.serve([](const std::string&, int) {
    return result(
        "<Error><Key>other</Key><Code>AccessDenied</Code></Error>"
        "<Error><Key>gone</Key><Code>NoSuchKey</Code></Error>");
  });
  const std::vector<Status> removed = remove({"a", "gone"});
  EXPECT_EQ(removed[0].code(), StatusCode::kPermissionDenied) << removed[0];
  EXPECT_TRUE(removed[1].ok()) << removed[1];
}

TEST_F(S3RemoveTest, AThousandFailuresOfLongKeysAreRead) {
  std::vector<std::string> keys;
  std::string errors;
  for (int i = 0; i < 1000; ++i) {
    keys.push_back(std::string(1000, 'k') + std::to_string(i));
    errors += "<Error><Key>" + keys.back() + "</Key><Code>AccessDenied</Code></Error>";
  }
  service_.serve([&](const std::string&, int) { return result(errors); });
  for (const Status& status : remove(keys)) {
    ASSERT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
  }
}

TEST_F(S3RemoveTest, WhatXmlCannotHoldIsRemovedByItself) {
  std::vector<std::string> lines;
  service_.serve([&](const std::string& request, int) {
    lines.push_back(request.substr(0, request.find(" HTTP")));
    return request.starts_with("POST") ? result("") : reply("204 No Content", "", "");
  });
  for (const Status& status : remove({"a", "b\x01", "", "c"})) {
    EXPECT_TRUE(status.ok()) << status;
  }
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "DELETE /b/b%01");
}

TEST_F(S3RemoveTest, ServersWithoutTheRequestRemoveOneByOne) {
  service_.serve([](const std::string& request, int) {
    return request.starts_with("POST") ? reply("501 Not Implemented", "", "")
                                       : reply("204 No Content", "", "");
  });
  for (const Status& status : remove({"a", "b", "c"})) {
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(service_.requests, 4);
}

TEST_F(S3RemoveTest, AnAnswerThatIsNoneFailsAll) {
  for (const std::string& answer : {reply("200 OK", "", "<html/>"), reply("403 Forbidden", "", "")}) {
    service_.serve([&](const std::string&, int) { return answer; });
    const std::vector<Status> removed = remove({"a", "b"});
    ASSERT_EQ(removed.size(), 2u);
    for (const Status& status : removed) {
      EXPECT_FALSE(status.ok());
      EXPECT_NE(message(status).find("s3://b/"), std::string_view::npos) << status;
    }
  }
}

TEST_F(S3RemoveTest, NobodyAsksForWhatIsNotWanted) {
  service_.serve([](const std::string&, int) { return result(""); });
  std::stop_source stop;
  stop.request_stop();
  for (const Status& status :
       remove(std::vector<std::string>(5000, "k"), {.cancellation = stop.get_token()})) {
    EXPECT_EQ(status.code(), StatusCode::kCancelled);
  }
  EXPECT_EQ(service_.requests, 0);
}

}  // namespace
}  // namespace forebay::storage
