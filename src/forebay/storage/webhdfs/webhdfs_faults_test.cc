// What namenodes and datanodes do when they are not well: by servers that say what the test tells them to.

#include "forebay/storage/testing/remote_faults.h"
#include "forebay/storage/testing/scripted_webhdfs.h"

namespace forebay::storage {
namespace {

struct WebhdfsService {
  static std::string answer(const std::string& request, const SimulatedObject& object) {
    const std::string operation = query_value(request, "op");
    if (operation == "LISTSTATUS_BATCH") {
      return listing_reply(object.is_there ? file_status("k", 10, object.version) : "");
    }
    if (!object.is_there) {
      return exception_reply("404 Not Found", "FileNotFoundException");
    }
    return operation == "OPEN" ? opened_part(request, object.content) : status_reply(10, object.version);
  }
  static std::shared_ptr<ObjectStore> open(const std::string& url, net::HttpClient& client,
                                           const RetryOptions& retries) {
    return open_scripted_webhdfs(webhdfs_authority(url), client, {.retries = retries});
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Webhdfs, RemoteFaults, WebhdfsService);

TEST_F(WebhdfsFaults, ANamenodeOnStandbyIsPassedOver) {
  service_.serve(
      [](const std::string&, int) { return exception_reply("403 Forbidden", "StandbyException"); });
  other_.serve([](const std::string& request, int) {
    return query_value(request, "op") == "DELETE" ? boolean_reply(true) : status_reply(10, 1);
  });
  const std::shared_ptr<WebhdfsStore> store = open_both();
  EXPECT_TRUE(stat_now(*store, "k").ok());
  EXPECT_TRUE(remove_now(*store, "k").ok());
  EXPECT_EQ(service_.requests, 1);  // from then on the one that answered is asked first
  EXPECT_EQ(other_.requests, 3);
}

TEST_F(WebhdfsFaults, ANamenodeThatIsGoneIsPassedOver) {
  service_.serve([](const std::string&, int) { return ""; });
  other_.serve([](const std::string&, int) { return status_reply(10, 1); });
  EXPECT_TRUE(stat_now(*open_both(), "k").ok());
}

TEST_F(WebhdfsFaults, WhatMayHaveBeenDoneIsNotAskedOfAnotherNamenode) {
  service_.serve([](const std::string& request, int) {
    const bool is_source = request.find("/webhdfs/v1/k?") != std::string::npos;
    return query_value(request, "op") == "RENAME" ? ""
           : is_source                            ? status_reply(10, 1)
                                                  : exception_reply("404 Not Found", "FileNotFoundException");
  });
  other_.serve([](const std::string&, int) { return reply("200 OK", "", ""); });
  const Status status = rename_now(*open_both(), {"k", "l"}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_EQ(other_.requests, 0);
}

// The namenode renames, but its answer is lost; the next attempt finds nothing to rename.
TEST_F(WebhdfsFaults, ARenameWhoseAnswerWasLostIsFound) {
  for (const bool is_ours : {true, false}) {
    std::atomic<int> renames = 0;
    service_.serve([&](const std::string& request, int) {
      if (query_value(request, "op") == "RENAME") {
        return renames++ == 0 ? reply("500 Internal Server Error", "", "")
                              : exception_reply("404 Not Found", "FileNotFoundException");
      }
      if (query_value(request, "op") == "MKDIRS") {
        return boolean_reply(true);
      }
      return status_reply(10, renames == 0 || is_ours ? 1 : 2);
    });
    other_.serve([](const std::string&, int) { return reply("503 Service Unavailable", "", ""); });
    const Status status = rename_now(*open_both(), {"k", "l"}).status();
    EXPECT_EQ(status.code(), is_ours ? StatusCode::kOk : StatusCode::kNotFound) << status;
    EXPECT_EQ(renames, is_ours ? 1 : 3);  // once more behind the folder that it may have lacked
  }
}

TEST_F(WebhdfsFaults, WithoutAnActiveNamenodeTheErrorIsThatOfTheOneThatIsGone) {
  service_.serve([](const std::string&, int) { return ""; });
  other_.serve([](const std::string&, int) { return exception_reply("403 Forbidden", "StandbyException"); });
  const Status status = stat_now(*open_both(), "k").status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_EQ(message(status).find("standby"), std::string_view::npos) << status;
  other_.serve([](const std::string&, int) { return ""; });
  service_.serve(
      [](const std::string&, int) { return exception_reply("403 Forbidden", "StandbyException"); });
  EXPECT_EQ(stat_now(*open_both(), "k").status().code(), StatusCode::kUnavailable);
}

TEST_F(WebhdfsFaults, SafeModeIsWorthAnotherTry) {
  service_.serve(
      [](const std::string&, int) { return exception_reply("403 Forbidden", "SafeModeException"); });
  const Status status = make_directory_now(*open(), "d/");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_NE(message(status).find("safe mode"), std::string_view::npos) << status;
}

TEST_F(WebhdfsFaults, ATokenGoesWithEachRequestAndIntoNoError) {
  service_.serve([](const std::string& request, int) {
    EXPECT_EQ(query_value(request, "delegation"), "hid%2Fden");
    EXPECT_EQ(query_value(request, "user.name"), "");
    return exception_reply("401 Unauthorized", "InvalidToken");
  });
  const std::shared_ptr<WebhdfsStore> store = open({.user = "me", .delegation_token = "hid/den"});
  const std::string content = "x";
  for (const Status& status :
       {stat_now(*store, "k").status(), write_now(*store, "k", as_bytes(content)).status(),
        list_now(*store, {}).status(), read_now(*store, {.key = "k"}).status()}) {
    EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
    EXPECT_EQ(message(status).find("hid"), std::string_view::npos) << status;
  }
}

TEST_F(WebhdfsFaults, ARedirectToNowhereDoesNotShowTheToken) {
  service_.serve([](const std::string&, int) {
    return reply("200 OK", "", R"({"Location":"http://localhost:1/webhdfs/v1/k?delegation=hidden"})");
  });
  const std::string content = "x";
  const Status status = write_now(*open(), "k", as_bytes(content)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
}

TEST_F(WebhdfsFaults, FoldersAreListedInBatchesToTheEnd) {
  service_.serve([](const std::string& request, int) {
    const std::string after = query_value(request, "startAfter");
    return after.empty() ? listing_reply(file_status("b c", 1, 1) + "," + file_status("a", 1, 1), 1)
                         : listing_reply(after == "a" ? file_status("0", 1, 1) : "");
  });
  const Result<ListPage> page = list_all_now(*open(), {});
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->objects.size(), 3u);
  EXPECT_EQ(page->objects[0].key, "0");
  EXPECT_EQ(page->objects[2].key, "b c");
}

TEST_F(WebhdfsFaults, AListingThatDoesNotGetOnIsAnError) {
  service_.serve([](const std::string&, int) { return listing_reply(file_status("a", 1, 1), 1); });
  EXPECT_EQ(list_now(*open(), {}).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(service_.requests, 2);
}

TEST_F(WebhdfsFaults, ServersWithoutBatchesListWhole) {
  service_.serve([&](const std::string& request, int) {
    note(request);
    return query_value(request, "op") == "LISTSTATUS_BATCH"
               ? exception_reply("400 Bad Request", "IllegalArgumentException")
               : reply("200 OK", "", R"({"FileStatuses":{"FileStatus":[)" + file_status("k", 1, 1) + "]}}");
  });
  const Result<ListPage> page = list_all_now(*open(), {});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(operations(), (std::vector<std::string>{"LISTSTATUS_BATCH", "LISTSTATUS"}));
}

TEST_F(WebhdfsFaults, TemporaryFilesAreNotListed) {
  service_.serve([](const std::string&, int) {
    return listing_reply(file_status(".forebay-tmp-1", 1, 1) + "," + file_status("k", 1, 1));
  });
  EXPECT_EQ(list_all_now(*open(), {})->objects.size(), 1u);
}

TEST_F(WebhdfsFaults, AFileThatChangesWhileItIsReadIsReadAgain) {
  for (const int changes : {1, 100}) {
    Mutex mutex;
    int version = 1;
    service_.serve([&](const std::string& request, int) -> std::string {
      const MutexLock lock(mutex);
      if (query_value(request, "op") != "OPEN") {
        return status_reply(10, version);
      }
      version += version <= changes ? 1 : 0;
      return opened_part(request, "0123456789");
    });
    const Result<ReadBytes> read = read_now(*open(), {.key = "k"});
    if (changes == 1) {
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(text_of(*read), "0123456789");
      EXPECT_EQ(read->version, "2-a-5");
    } else {
      EXPECT_EQ(read.status().code(), StatusCode::kAborted) << read.status();
    }
  }
}

TEST_F(WebhdfsFaults, AReadOfAKnownVersionLooksOnlyAfterwards) {
  service_.serve([&](const std::string& request, int) {
    note(request);
    return query_value(request, "op") == "OPEN" ? opened_part(request, "0123456789") : status_reply(10, 1);
  });
  const Result<ReadBytes> read =
      read_now(*open(), {.key = "k", .offset_bytes = 3, .length_bytes = 2, .if_version = "1-a-5"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(text_of(*read), "34");
  EXPECT_EQ(operations(), (std::vector<std::string>{"OPEN", "GETFILESTATUS"}));
}

TEST_F(WebhdfsFaults, AFileThatBecameShorterHasChanged) {
  for (const bool is_refused : {true, false}) {
    service_.serve([&](const std::string& request, int) {
      if (query_value(request, "op") != "OPEN") {
        return status_reply(4, 2);
      }
      return is_refused ? exception_reply("403 Forbidden", "IOException") : reply("200 OK", "", "0");
    });
    EXPECT_EQ(read_now(*open(), {.key = "k", .offset_bytes = 3, .if_version = "1-a-5"}).status().code(),
              StatusCode::kAborted);
  }
}

TEST_F(WebhdfsFaults, ServersThatRedirectInPlaceOfAnAnswerAreWrittenTo) {
  other_.serve([&](const std::string& request, int) {
    note(request);
    EXPECT_TRUE(request.ends_with("\r\n\r\ncontent")) << request;
    return reply("201 Created", "", "");
  });
  service_.serve([&](const std::string& request, int) -> std::string {
    note(request);
    const std::string operation = query_value(request, "op");
    if (operation == "CREATE") {
      EXPECT_EQ(query_value(request, "noredirect"), "true");
      EXPECT_TRUE(request.ends_with("\r\n\r\n")) << request;  // the content is for the datanode
      return reply("307 Temporary Redirect", "Location: " + other_.url("/x?op=CREATED") + "\r\n", "");
    }
    return operation == "RENAME" ? reply("200 OK", "", "") : status_reply(7, 3);
  });
  const std::string content = "content";
  const Result<ObjectStat> made = write_now(*open(), "d/k", as_bytes(content));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->key, "d/k");
  EXPECT_EQ(made->version, "3-7-5");
  EXPECT_EQ(operations(), (std::vector<std::string>{"CREATE", "CREATED", "GETFILESTATUS", "RENAME"}));
}

}  // namespace
}  // namespace forebay::storage
