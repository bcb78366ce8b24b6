// The conformance suite of ObjectStore drivers. A driver joins with a fixture that makes an empty store:
//
//   struct MemoryStoreFixture { std::shared_ptr<ObjectStore> store = ...; };
//   FOREBAY_TEST_OBJECT_STORE(Memory, MemoryStoreFixture);
//
// One that only reads joins with FOREBAY_TEST_READ_ONLY_STORE; its fixture fills it
// (object_store_test_base.h).
#pragma once

#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "forebay/memory/copy.h"
#include "forebay/storage/testing/object_store_calls.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/object_store_writes.h"

namespace forebay::storage {

/// A read without a copy: the copies are counted for the process, in which other stores may go on writing.
/// One that copies copies each time.
inline Result<ReadBytes> read_without_copy(ObjectStore& store, const ReadRequest& request) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const uint64_t copied = memory::bytes_copied();
    Result<ReadBytes> read = read_now(store, request);
    if (!read.ok() || memory::bytes_copied() == copied) {
      return read;
    }
  }
  return internal_error("bytes were copied in each of 100 reads");
}

template <class Fixture>
class ObjectStoreConformance : public ObjectStoreTestBase<Fixture> {};
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

// At the object's end the padding is zeros; before the end it may be the object's next bytes.
TYPED_TEST_P(ObjectStoreConformance, MayBeReadBehind) {
  this->put("k", "0123456789");
  for (const uint64_t length : {5, 8}) {
    const Result<ReadBytes> read =
        read_now(this->store(), {.key = "k", .offset_bytes = 2, .length_bytes = length, .padding_bytes = 64});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(text_of(*read), std::string("23456789").substr(0, length));
    ASSERT_GE(read->readable_behind, 64u);
    const memory::BufferRef buffer = buffer_of(*read);
    ASSERT_GE(buffer->size_bytes(), length + 64);
    EXPECT_EQ(buffer->bytes().data(), read->bytes.data());
    const std::string behind = text_of(buffer->bytes().subspan(length, 8 - length));
    EXPECT_TRUE(behind == std::string("789").substr(0, 8 - length) ||
                behind == std::string(8 - length, '\0'));
    for (size_t i = 8; i < length + 64; ++i) {
      EXPECT_EQ(buffer->bytes()[i], std::byte{0});
    }
  }
}

TYPED_TEST_P(ObjectStoreConformance, ReadsIntoTheCallersMemory) {
  this->put("k", "0123456789");
  std::vector<std::byte> memory(20, std::byte{0xff});
  const Result<ReadBytes> read = read_now(
      this->store(),
      {.key = "k", .offset_bytes = 2, .length_bytes = 5, .padding_bytes = 8, .into = MutableBytes(memory)});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->bytes.data(), memory.data());
  EXPECT_EQ(text_of(Bytes(memory).first(5)), "23456");
  EXPECT_EQ(text_of(Bytes(memory).subspan(5, 8)), std::string(8, '\0'));
  EXPECT_EQ(memory[13], std::byte{0xff});
  EXPECT_EQ(this->read_error({.key = "k", .into = MutableBytes(memory).first(9)}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(this->read_error({.key = "k", .resource = memory::host_pool(), .into = MutableBytes(memory)}),
            StatusCode::kInvalidArgument);
}

TYPED_TEST_P(ObjectStoreConformance, WhatWasReadStaysAsItIs) {
  this->put("k", "0123456789");
  const Result<ReadBytes> read = read_now(this->store(), {.key = "k"});
  ASSERT_TRUE(read.ok()) << read.status();
  this->put("k", "abcdefghij");
  this->remove("k");
  EXPECT_EQ(text_of(*read), "0123456789");
}

TYPED_TEST_P(ObjectStoreConformance, LeasesResidentBytesOrSaysSo) {
  const ObjectStat stat = this->put("k", "0123456789");
  const ReadRequest request = {
      .key = "k", .offset_bytes = 3, .length_bytes = 4, .if_version = stat.version, .only_resident = true};
  if (!this->store().features().has_resident) {
    EXPECT_EQ(this->read_error(request), StatusCode::kUnimplemented);
    return;
  }
  const Result<ReadBytes> lease = read_without_copy(this->store(), request);
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->version, stat.version);
  EXPECT_TRUE(remove_now(this->store(), "k").ok());  // a lease outlives its object
  EXPECT_EQ(text_of(*lease), "3456");
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
}

TYPED_TEST_P(ObjectStoreConformance, ReadsAreConditionalOnAVersion) {
  const ObjectStat first = this->put("k", "one");
  EXPECT_EQ(*this->get({.key = "k", .if_version = first.version}), "one");
  const ObjectStat second = this->put("k", "two and more");
  EXPECT_NE(first.version, second.version);
  EXPECT_EQ(this->read_error({.key = "k", .if_version = first.version}), StatusCode::kAborted);
  EXPECT_EQ(*this->get({.key = "k", .if_version = second.version}), "two and more");
  EXPECT_EQ(read_now(this->store(), {.key = "k"})->version, second.version);
}

TYPED_TEST_P(ObjectStoreConformance, AReplacementOfTheSameSizeIsAnotherVersion) {
  const ObjectStat first = this->put("k", "one");
  const ObjectStat second = this->put("k", "two");
  EXPECT_NE(first.version, second.version);
  EXPECT_EQ(this->read_error({.key = "k", .if_version = first.version}), StatusCode::kAborted);
  EXPECT_EQ(this->read_error({.key = "k", .length_bytes = 0, .if_version = first.version}),
            StatusCode::kAborted);
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
      EXPECT_EQ(this->keys({.delimiter = delimiter, .page_entries = page}), whole) << page;
    }
    const Result<ListPage> first = list_now(this->store(), {.delimiter = delimiter, .page_entries = 2});
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(first->objects.size() + first->prefixes.size(), 2u);
    EXPECT_FALSE(first->is_last);
    for (size_t i = 0; i < whole.size(); ++i) {
      const std::vector<std::string> rest(whole.begin() + static_cast<std::ptrdiff_t>(i) + 1, whole.end());
      EXPECT_EQ(this->keys({.delimiter = delimiter, .start_after = whole[i]}), rest) << whole[i];
    }
  }
}

TYPED_TEST_P(ObjectStoreConformance, ListsNamesOnly) {
  this->put("a/1", "x");
  this->put("a/2", "x");
  const Result<ListPage> page = list_all_now(this->store(), {.prefix = "a/", .names_only = true});
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->objects.size(), 2u);
  EXPECT_EQ(page->objects[1].key, "a/2");
}

TYPED_TEST_P(ObjectStoreConformance, NothingIsListedBehindTheLastPage) {
  this->put("k", "x");
  const std::unique_ptr<ListStream> stream = this->store().open_list({});
  std::binary_semaphore answered(0);
  bool is_last = false;
  for (int page = 0; !is_last; ++page) {
    ASSERT_LT(page, 3);
    stream->next({}, [&](Result<ListPage> next) {
      is_last = !next.ok() || next->is_last;
      answered.release();
    });
    answered.acquire();
  }
  StatusCode code = StatusCode::kOk;
  stream->next({}, [&](Result<ListPage> next) {
    code = next.status().code();
    answered.release();
  });
  answered.acquire();
  EXPECT_EQ(code, StatusCode::kOutOfRange);
}

TYPED_TEST_P(ObjectStoreConformance, StatsManyAtOnce) {
  this->put("a", "1");
  this->put("b", "22");
  const std::vector<Result<ObjectStat>> stats = stat_many_now(this->store(), {"b", "none", "a"});
  ASSERT_EQ(stats.size(), 3u);
  EXPECT_EQ(stats[0]->size_bytes, 2u);
  EXPECT_EQ(stats[1].status().code(), StatusCode::kNotFound);
  EXPECT_EQ(stats[2]->size_bytes, 1u);
}

TYPED_TEST_P(ObjectStoreConformance, RenamesOrSaysSo) {
  const ObjectStat stat = this->put("a", "one");
  if (!this->store().features().can_rename) {
    EXPECT_EQ(rename_now(this->store(), {"a", "b"}).status().code(), StatusCode::kUnimplemented);
    return;
  }
  this->put("b", "two");
  EXPECT_EQ(rename_now(this->store(), {"a", "b", {}, true}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(rename_now(this->store(), {"a", "c/d", "no such version"}).status().code(), StatusCode::kAborted);
  EXPECT_EQ(rename_now(this->store(), {"none", "b"}).status().code(), StatusCode::kNotFound);
  const Result<ObjectStat> moved = rename_now(this->store(), {"a", "c/d", stat.version});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->key, "c/d");
  EXPECT_EQ(stat_now(this->store(), "c/d")->version, moved->version);
  EXPECT_TRUE(rename_now(this->store(), {"c/d", "b"}).ok());
  EXPECT_EQ(*this->get({.key = "b"}), "one");
  EXPECT_EQ(this->keys({}), std::vector<std::string>{"b"});
}

TYPED_TEST_P(ObjectStoreConformance, CopiesOrSaysSo) {
  const ObjectStat stat = this->put("a", "one");
  if (!this->store().features().can_copy) {
    EXPECT_EQ(copy_now(this->store(), {"a", "b"}).status().code(), StatusCode::kUnimplemented);
    return;
  }
  EXPECT_EQ(copy_now(this->store(), {"a", "b", "no such version"}).status().code(), StatusCode::kAborted);
  EXPECT_EQ(copy_now(this->store(), {"none", "b"}).status().code(), StatusCode::kNotFound);
  const Result<ObjectStat> made = copy_now(this->store(), {"a", "c/d", stat.version});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(stat_now(this->store(), "c/d")->version, made->version);
  EXPECT_EQ(copy_now(this->store(), {"a", "c/d", {}, true}).status().code(), StatusCode::kAlreadyExists);
  this->put("a", "two");
  EXPECT_EQ(*this->get({.key = "c/d"}), "one");
}

TYPED_TEST_P(ObjectStoreConformance, HasDirectoriesOrSaysSo) {
  if (!this->store().features().has_directories) {
    EXPECT_EQ(make_directory_now(this->store(), "d/").code(), StatusCode::kUnimplemented);
    return;
  }
  using Keys = std::vector<std::string>;
  ASSERT_TRUE(make_directory_now(this->store(), "d/e/").ok());
  EXPECT_TRUE(make_directory_now(this->store(), "d/e/").ok());
  EXPECT_EQ(this->keys({}), Keys{});
  EXPECT_EQ(this->keys({.delimiter = "/"}), Keys{"d/"});
  const Result<ObjectStat> before = stat_now(this->store(), "d/e/");
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->size_bytes, 0u);
  this->put("d/e/k", "x");
  EXPECT_FALSE(remove_now(this->store(), "d/e/").ok());  // not empty
  ASSERT_TRUE(rename_now(this->store(), {"d/e/", "f/"}).ok());
  EXPECT_EQ(this->keys({}), Keys{"f/k"});
  EXPECT_EQ(stat_now(this->store(), "d/e/").status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(remove_now(this->store(), "d/").ok());
}

TYPED_TEST_P(ObjectStoreConformance, KeepsDerivedDataOrSaysSo) {
  const ObjectStat stat = this->put("k", "0123456789");
  Result<ObjectAddress> side = this->store().derived("k", stat.version, "test_index");
  if (side.ok()) {
    const std::string content = "side data";
    ASSERT_TRUE(write_now(*side->store, side->key, as_bytes(content)).ok());
    EXPECT_EQ(text_of(*read_now(*side->store, {.key = side->key})), content);
    EXPECT_NE(this->store().derived("k", "another version", "test_index")->key, side->key);
    EXPECT_EQ(this->keys({}), std::vector<std::string>{"k"});
  } else {
    EXPECT_EQ(side.status().code(), StatusCode::kUnimplemented);
  }
}

REGISTER_TYPED_TEST_SUITE_P(ObjectStoreConformance, WritesAndReadsBack, ReadsRanges, AnEmptyObjectIsAnObject,
                            MayBeReadBehind, ReadsIntoTheCallersMemory, WhatWasReadStaysAsItIs,
                            LeasesResidentBytesOrSaysSo, RangesBehindTheEndAreErrors, MissingObjectsAreNamed,
                            ReadsAreConditionalOnAVersion, AReplacementOfTheSameSizeIsAnotherVersion,
                            ListsByPrefixAndDelimiter, ListsInPages, ListsNamesOnly,
                            NothingIsListedBehindTheLastPage, StatsManyAtOnce, RenamesOrSaysSo,
                            CopiesOrSaysSo, HasDirectoriesOrSaysSo, KeepsDerivedDataOrSaysSo);

}  // namespace forebay::storage

#define FOREBAY_TEST_READ_ONLY_STORE(name, fixture)                      \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, ObjectStoreConformance, fixture); \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, ObjectStoreCalls, fixture)

#define FOREBAY_TEST_OBJECT_STORE(name, fixture) \
  FOREBAY_TEST_READ_ONLY_STORE(name, fixture);   \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, ObjectStoreWrites, fixture)
