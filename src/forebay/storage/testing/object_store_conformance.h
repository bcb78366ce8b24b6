// What every ObjectStore driver promises, as tests. A driver joins with a fixture that makes an empty store:
//
//   struct MemoryStoreFixture { std::shared_ptr<ObjectStore> store = ...; };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ObjectStoreConformance, MemoryStoreFixture);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "forebay/storage/blocking.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

inline Bytes as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}
inline std::string text_of(const ReadBytes& read) {
  return {reinterpret_cast<const char*>(read.bytes().data()), read.bytes().size()};
}

template <class Fixture>
class ObjectStoreConformance : public testing::Test {
 protected:
  ObjectStore& store() { return *fixture_.store; }

  ObjectStat put(const std::string& key, const std::string& content, WriteOptions options = {}) {
    Result<ObjectStat> stat = write_now(store(), key, as_bytes(content), std::move(options));
    EXPECT_TRUE(stat.ok()) << stat.status();
    return stat.ok() ? *std::move(stat) : ObjectStat();
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
  /// The error of a read, and that it names the object.
  StatusCode read_error(ReadRequest request) {
    const std::string uri = store().uri_of(request.key);
    const Status status = read_now(store(), std::move(request)).status();
    EXPECT_NE(message(status).find(uri), std::string_view::npos) << status;
    return status.code();
  }

  Fixture fixture_;
};
TYPED_TEST_SUITE_P(ObjectStoreConformance);

TYPED_TEST_P(ObjectStoreConformance, WritesAndReadsBack) {
  const ObjectStat written = this->put("a/b.bin", "hello, forebay");
  EXPECT_EQ(written.size_bytes, 14u);
  EXPECT_FALSE(written.version.empty());
  const Result<ObjectStat> stat = stat_now(this->store(), "a/b.bin");
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->size_bytes, 14u);
  EXPECT_EQ(stat->version, written.version);
  EXPECT_EQ(*this->get({.key = "a/b.bin"}), "hello, forebay");
}

TYPED_TEST_P(ObjectStoreConformance, ReadsRanges) {
  this->put("k", "0123456789");
  EXPECT_EQ(*this->get({.key = "k", .offset_bytes = 3, .length_bytes = 4}), "3456");
  EXPECT_EQ(*this->get({.key = "k", .offset_bytes = 7}), "789");
  EXPECT_EQ(*this->get({.key = "k", .offset_bytes = 10}), "");
  EXPECT_EQ(*this->get({.key = "k", .offset_bytes = 4, .length_bytes = 0}), "");
}

TYPED_TEST_P(ObjectStoreConformance, AnEmptyObjectIsAnObject) {
  this->put("empty", "");
  EXPECT_EQ(*this->get({.key = "empty", .padding_bytes = 64}), "");
  EXPECT_EQ(stat_now(this->store(), "empty")->size_bytes, 0u);
}

TYPED_TEST_P(ObjectStoreConformance, PadsWithZeros) {
  this->put("k", "0123456789");
  for (int round = 0; round < 3; ++round) {
    Result<ReadBytes> read =
        read_now(this->store(), {.key = "k", .offset_bytes = 2, .length_bytes = 5, .padding_bytes = 64});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(text_of(*read), "23456");
    ASSERT_GE(read->buffer->size_bytes(), 69u);
    for (size_t i = 5; i < 69; ++i) {
      EXPECT_EQ(read->buffer->bytes()[i], std::byte{0});
    }
    std::memset(read->buffer->data(), 0xff, read->buffer->size_bytes());  // the pool may give it again
  }
}

TYPED_TEST_P(ObjectStoreConformance, RangesBehindTheEndAreErrors) {
  this->put("k", "0123456789");
  EXPECT_EQ(this->read_error({.key = "k", .offset_bytes = 3, .length_bytes = 8}), StatusCode::kOutOfRange);
  EXPECT_EQ(this->read_error({.key = "k", .offset_bytes = 11}), StatusCode::kOutOfRange);
  EXPECT_EQ(this->read_error({.key = "k", .offset_bytes = 8, .length_bytes = kToEnd - 4}),
            StatusCode::kOutOfRange);
  EXPECT_EQ(this->read_error({.key = "k", .offset_bytes = kToEnd - 1, .length_bytes = 8}),
            StatusCode::kOutOfRange);
}

TYPED_TEST_P(ObjectStoreConformance, MissingObjectsAreNamed) {
  EXPECT_EQ(this->read_error({.key = "no/such"}), StatusCode::kNotFound);
  EXPECT_EQ(stat_now(this->store(), "no/such").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(remove_now(this->store(), "no/such").code(), StatusCode::kNotFound);
}

TYPED_TEST_P(ObjectStoreConformance, ReadsAreConditionalOnAVersion) {
  const ObjectStat first = this->put("k", "one");
  EXPECT_EQ(*this->get({.key = "k", .if_version = first.version}), "one");
  const ObjectStat second = this->put("k", "two and more");
  EXPECT_NE(first.version, second.version);
  EXPECT_EQ(this->read_error({.key = "k", .if_version = first.version}), StatusCode::kAborted);
  EXPECT_EQ(*this->get({.key = "k", .if_version = second.version}), "two and more");
}

TYPED_TEST_P(ObjectStoreConformance, WritesAreConditional) {
  const ObjectStat first = this->put("k", "one", {.if_absent = true});
  const std::string other = "two";
  EXPECT_EQ(write_now(this->store(), "k", as_bytes(other), {.if_absent = true}).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(write_now(this->store(), "k", as_bytes(other), {.if_version = "no such version"}).status().code(),
            StatusCode::kAborted);
  EXPECT_EQ(*this->get({.key = "k"}), "one");
  this->put("k", "three", {.if_version = first.version});
  EXPECT_EQ(*this->get({.key = "k"}), "three");
  EXPECT_EQ(this->keys({}), std::vector<std::string>{"k"});  // nothing is left behind
}

TYPED_TEST_P(ObjectStoreConformance, WritersShowNothingBeforeCommit) {
  {
    Result<std::unique_ptr<ObjectWriter>> writer = this->store().open_writer("w", {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    const std::string parts[] = {"one, ", "", "two"};
    for (const std::string& part : parts) {
      ASSERT_TRUE(append_now(**writer, as_bytes(part)).ok());
    }
    EXPECT_EQ(this->read_error({.key = "w"}), StatusCode::kNotFound);
    EXPECT_TRUE(this->keys({}).empty());
    Result<ObjectStat> stat = commit_now(**writer);
    ASSERT_TRUE(stat.ok()) << stat.status();
    EXPECT_EQ(stat->size_bytes, 8u);
  }
  EXPECT_EQ(*this->get({.key = "w"}), "one, two");
  {
    Result<std::unique_ptr<ObjectWriter>> abandoned = this->store().open_writer("x", {});
    ASSERT_TRUE(abandoned.ok());
    const std::string part = "never";
    ASSERT_TRUE(append_now(**abandoned, as_bytes(part)).ok());
  }
  EXPECT_EQ(this->keys({}), std::vector<std::string>{"w"});
}

TYPED_TEST_P(ObjectStoreConformance, Removes) {
  this->put("k", "x");
  EXPECT_TRUE(remove_now(this->store(), "k").ok());
  EXPECT_EQ(this->read_error({.key = "k"}), StatusCode::kNotFound);
  EXPECT_TRUE(this->keys({}).empty());
}

TYPED_TEST_P(ObjectStoreConformance, ListsByPrefixAndDelimiter) {
  for (const char* key : {"b/2", "a/1", "b/10", "b/c/d", "b.txt", "b/c.e", "top"}) {
    this->put(key, key);
  }
  using Keys = std::vector<std::string>;
  EXPECT_EQ(this->keys({}), (Keys{"a/1", "b.txt", "b/10", "b/2", "b/c.e", "b/c/d", "top"}));
  EXPECT_EQ(this->keys({.prefix = "b"}), (Keys{"b.txt", "b/10", "b/2", "b/c.e", "b/c/d"}));
  EXPECT_EQ(this->keys({.prefix = "b/"}), (Keys{"b/10", "b/2", "b/c.e", "b/c/d"}));
  EXPECT_EQ(this->keys({.prefix = "b/c"}), (Keys{"b/c.e", "b/c/d"}));
  EXPECT_EQ(this->keys({.delimiter = "/"}), (Keys{"b.txt", "top", "a/", "b/"}));
  EXPECT_EQ(this->keys({.prefix = "b/", .delimiter = "/"}), (Keys{"b/10", "b/2", "b/c.e", "b/c/"}));
  EXPECT_EQ(this->keys({.prefix = "b/c", .delimiter = "/"}), (Keys{"b/c.e", "b/c/"}));
  EXPECT_EQ(this->keys({.prefix = "zzz/"}), Keys{});
}

TYPED_TEST_P(ObjectStoreConformance, ListsInPages) {
  for (int i = 0; i < 23; ++i) {
    this->put("d" + std::to_string(i % 5) + "/" + std::to_string(i), "x");
  }
  for (const char* delimiter : {"", "/"}) {
    const std::vector<std::string> whole = this->keys({.delimiter = delimiter});
    EXPECT_EQ(whole.size(), *delimiter != '\0' ? 5u : 23u);
    for (const size_t page : {1, 2, 7, 23, 100}) {
      EXPECT_EQ(this->keys({.delimiter = delimiter, .max_entries = page}), whole) << page;
    }
    ListRequest first = {.delimiter = delimiter, .max_entries = 2};
    const Result<ListPage> listed = list_now(this->store(), first);
    ASSERT_TRUE(listed.ok());
    EXPECT_EQ(listed->objects.size() + listed->prefixes.size(), 2u);
    EXPECT_FALSE(listed->next_page_token.empty());
  }
}

TYPED_TEST_P(ObjectStoreConformance, ReadsManyAtOnce) {
  std::string content(1 << 16, '\0');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 7 + i / 256);
  }
  this->put("big", content);
  std::vector<ReadRequest> requests;
  for (uint64_t i = 0; i < 100; ++i) {
    requests.push_back({.key = i % 10 == 9 ? "none" : "big", .offset_bytes = i * 601, .length_bytes = i * 5});
  }
  const std::vector<Result<ReadBytes>> results = read_many_now(this->store(), requests);
  for (size_t i = 0; i < results.size(); ++i) {
    if (i % 10 == 9) {
      EXPECT_EQ(results[i].status().code(), StatusCode::kNotFound);
    } else {
      ASSERT_TRUE(results[i].ok()) << results[i].status();
      EXPECT_EQ(text_of(*results[i]), content.substr(i * 601, i * 5));
    }
  }
}

TYPED_TEST_P(ObjectStoreConformance, ServesManyThreads) {
  for (int i = 0; i < 8; ++i) {
    this->put("t" + std::to_string(i), std::string(1000 + i, static_cast<char>('a' + i)));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const int which = (i + t) % 8;
        const Result<std::string> got = this->get({.key = "t" + std::to_string(which)});
        wrong += !got.ok() || *got != std::string(1000 + which, static_cast<char>('a' + which));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST_P(ObjectStoreConformance, OptionalServicesWorkOrSaySo) {
  const ObjectStat stat = this->put("k", "0123456789");
  this->store().advise({{{"k", 0, 10}, {"none", 5, kToEnd}}});
  Result<Lease> lease = this->store().lease("k");
  if (lease.ok()) {
    EXPECT_TRUE(remove_now(this->store(), "k").ok());  // a lease outlives its object
    EXPECT_EQ(lease->bytes.size(), 10u);
    EXPECT_EQ(lease->bytes[9], std::byte{'9'});
    EXPECT_EQ(lease->version, stat.version);
  } else {
    EXPECT_EQ(lease.status().code(), StatusCode::kUnimplemented);
  }
  Result<ObjectAddress> side = this->store().derived("k", stat.version, "test_index");
  if (side.ok()) {
    const std::string content = "side data";
    ASSERT_TRUE(write_now(*side->store, side->key, as_bytes(content)).ok());
    EXPECT_EQ(text_of(*read_now(*side->store, {.key = side->key})), content);
    EXPECT_NE(this->store().derived("k", "another version", "test_index")->key, side->key);
    EXPECT_TRUE(this->keys({}).size() <= 1);
  } else {
    EXPECT_EQ(side.status().code(), StatusCode::kUnimplemented);
  }
}

REGISTER_TYPED_TEST_SUITE_P(ObjectStoreConformance, WritesAndReadsBack, ReadsRanges, AnEmptyObjectIsAnObject,
                            PadsWithZeros, RangesBehindTheEndAreErrors, MissingObjectsAreNamed,
                            ReadsAreConditionalOnAVersion, WritesAreConditional,
                            WritersShowNothingBeforeCommit, Removes, ListsByPrefixAndDelimiter, ListsInPages,
                            ReadsManyAtOnce, ServesManyThreads, OptionalServicesWorkOrSaySo);

}  // namespace forebay::storage
