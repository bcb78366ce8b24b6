// What every ObjectStore that can be written to promises about writes and removals.
#pragma once

#include <algorithm>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::storage {

template <class Fixture>
class ObjectStoreWrites : public ObjectStoreTestBase<Fixture> {};
TYPED_TEST_SUITE_P(ObjectStoreWrites);

TYPED_TEST_P(ObjectStoreWrites, WritesAreConditional) {
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

TYPED_TEST_P(ObjectStoreWrites, WritersShowNothingBeforeCommit) {
  EXPECT_TRUE(this->store().check_write("w", false).ok());
  {
    Result<std::unique_ptr<ObjectWriter>> writer = this->store().open_writer("w", {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    const std::string parts[] = {"one, ", "", "two"};
    ASSERT_GE((*writer)->limits().in_flight, 1u);
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

TYPED_TEST_P(ObjectStoreWrites, WhatWasWrittenKnowsItsTime) {
  const ObjectStat written = this->put("k", "x");
  const Result<ObjectStat> stat = stat_now(this->store(), "k");
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(written.modified_ns > 0, stat->modified_ns > 0);
  EXPECT_EQ(written.version, stat->version);
}

TYPED_TEST_P(ObjectStoreWrites, Removes) {
  EXPECT_EQ(remove_now(this->store(), "no/such").code(), StatusCode::kNotFound);
  this->put("k", "x");
  EXPECT_TRUE(remove_now(this->store(), "k").ok());
  EXPECT_EQ(this->read_error({.key = "k"}), StatusCode::kNotFound);
  EXPECT_TRUE(this->keys({}).empty());
}

TYPED_TEST_P(ObjectStoreWrites, RemovesMany) {
  EXPECT_TRUE(remove_many_now(this->store(), {}).empty());
  for (const char* key : {"a", "b", "c/d", "e f&<g>"}) {
    this->put(key, key);
  }
  const std::vector<Status> removed = remove_many_now(this->store(), {"a", "no/such", "c/d", "e f&<g>"});
  ASSERT_EQ(removed.size(), 4u);
  for (const Status& status : removed) {
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(this->keys({}), std::vector<std::string>{"b"});
}

TYPED_TEST_P(ObjectStoreWrites, PartsMayBeOnTheirWayTogether) {
  Result<std::unique_ptr<ObjectWriter>> writer = this->store().open_writer("w", {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  const size_t count = std::min<size_t>((*writer)->limits().in_flight, 20);
  std::vector<std::string> parts;
  std::string whole;
  for (size_t i = 0; i < count; ++i) {
    parts.push_back(std::string((*writer)->limits().least_bytes + 100, static_cast<char>('a' + i)));
    whole += parts.back();
  }
  std::counting_semaphore<> done(0);
  for (const std::string& part : parts) {
    (*writer)->append(as_bytes(part), {}, [&done](Status status) {
      EXPECT_TRUE(status.ok()) << status;
      done.release();
    });
  }
  for (size_t i = 0; i < count; ++i) {
    done.acquire();
  }
  ASSERT_TRUE(commit_now(**writer).ok());
  EXPECT_EQ(*this->get({.key = "w"}), whole);
}

TYPED_TEST_P(ObjectStoreWrites, WhatLostAPartIsNoObject) {
  const std::string parts[] = {"one, ", "two, ", "three"};
  std::stop_source stop;
  stop.request_stop();
  for (const size_t lost : {0u, 1u, 2u}) {
    Result<std::unique_ptr<ObjectWriter>> writer = this->store().open_writer("w", {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (size_t i = 0; i < std::size(parts); ++i) {
      CallContext context;
      if (i == lost) {
        context.cancellation = stop.get_token();
      }
      EXPECT_EQ(append_now(**writer, as_bytes(parts[i]), context).ok(), i < lost) << i << " of " << lost;
    }
    EXPECT_FALSE(commit_now(**writer).ok()) << lost;
    EXPECT_EQ(this->read_error({.key = "w"}), StatusCode::kNotFound) << lost;
  }
  EXPECT_TRUE(this->keys({}).empty());
}

REGISTER_TYPED_TEST_SUITE_P(ObjectStoreWrites, WritesAreConditional, WritersShowNothingBeforeCommit, Removes,
                            RemovesMany, PartsMayBeOnTheirWayTogether, WhatLostAPartIsNoObject,
                            WhatWasWrittenKnowsItsTime);

}  // namespace forebay::storage
