// What the conformance suites of stores share.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/blocking.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

inline Bytes as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}
inline std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::string text_of(const ReadBytes& read) {
  return text_of(read.bytes);
}

/// A fixture has a `store`. That of a read-only store also has put(key, content) and remove(key), which
/// change the objects behind its back. One that cannot be tested everywhere has a static obstacle(), which
/// returns what is in the way, or "".
template <class Fixture>
class ObjectStoreTestBase : public ::testing::Test {
 protected:
  static constexpr bool kFills = requires(Fixture& fixture) { fixture.put(std::string(), std::string()); };

  void SetUp() override {
    if constexpr (requires { Fixture::obstacle(); }) {
      if (const std::string obstacle = Fixture::obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << obstacle;
      }
    }
  }

  ObjectStore& store() { return *fixture_.store; }

  ObjectStat put(const std::string& key, const std::string& content, WriteOptions options = {}) {
    Result<ObjectStat> stat = put_object(key, content, std::move(options));
    EXPECT_TRUE(stat.ok()) << stat.status();
    return stat.ok() ? *std::move(stat) : ObjectStat();
  }
  void remove(const std::string& key) {
    if constexpr (kFills) {
      fixture_.remove(key);
    } else {
      const Status status = remove_now(store(), key);
      EXPECT_TRUE(status.ok()) << status;
    }
  }
  Result<std::string> get(ReadRequest request) {
    FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read, read_now(store(), std::move(request)));
    return text_of(read);
  }
  std::vector<std::string> keys(ListRequest request) {
    Result<ListPage> page = list_all_now(store(), std::move(request));
    EXPECT_TRUE(page.ok()) << page.status();
    std::vector<std::string> names;
    for (const ObjectStat& object : page->objects) {
      names.push_back(object.key);
    }
    names.insert(names.end(), page->prefixes.begin(), page->prefixes.end());
    return names;
  }
  /// Returns the error code of a read, and checks that the message names the object.
  StatusCode read_error(ReadRequest request) {
    const std::string uri = store().uri_of(request.key);
    const Status status = read_now(store(), std::move(request)).status();
    EXPECT_NE(message(status).find(uri), std::string_view::npos) << status;
    return status.code();
  }

  Fixture fixture_;

 private:
  Result<ObjectStat> put_object(const std::string& key, const std::string& content, WriteOptions options) {
    if constexpr (kFills) {
      fixture_.put(key, content);
      return stat_now(store(), key);
    } else {
      return write_now(store(), key, as_bytes(content), std::move(options));
    }
  }
};

}  // namespace forebay::storage
