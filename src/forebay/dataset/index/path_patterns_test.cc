#include "forebay/dataset/index/path_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/dataset/index/braces.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/webdataset/webdataset_source.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

Names braces_of(std::string_view text) {
  const Result<Names> names = expand_braces(text, 100);
  EXPECT_TRUE(names.ok()) << names.status();
  return names.ok() ? *names : Names();
}

TEST(Braces, RangesKeepTheirZerosAndOrder) {
  EXPECT_THAT(braces_of("s-{000..002}.tar"), ElementsAre("s-000.tar", "s-001.tar", "s-002.tar"));
  EXPECT_THAT(braces_of("{9..11}"), ElementsAre("9", "10", "11"));
  EXPECT_THAT(braces_of("{09..11}"), ElementsAre("09", "10", "11"));
  EXPECT_THAT(braces_of("{2..0}"), ElementsAre("2", "1", "0"));
  EXPECT_THAT(braces_of("{0..7..3}"), ElementsAre("0", "3", "6"));
  EXPECT_THAT(braces_of("{a..c}"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(braces_of("{5..5}"), ElementsAre("5"));
}

TEST(Braces, ListsMayBeNestedAndFollowEachOther) {
  EXPECT_THAT(braces_of("{b,a}.tar"), ElementsAre("b.tar", "a.tar"));
  EXPECT_THAT(braces_of("{a,b}/{1..2}"), ElementsAre("a/1", "a/2", "b/1", "b/2"));
  EXPECT_THAT(braces_of("x{,-{a,b{1..2}}}"), ElementsAre("x", "x-a", "x-b1", "x-b2"));
}

TEST(Braces, OthersAreAsTheyAre) {
  for (const char* text : {"a", "{a}", "{}", "{a,b", "a}", "{1..}", "{..2}", "{1..b}", "{-1..2}", "{1..2..0}",
                           "{99999999999999999999..1}"}) {
    EXPECT_THAT(braces_of(text), ElementsAre(text));
  }
  EXPECT_THAT(braces_of("{x{a,b}"), ElementsAre("{xa", "{xb"));
  EXPECT_THAT(braces_of(std::string(5000, '{')), ElementsAre(std::string(5000, '{')));
}

TEST(Braces, ManyBytesAreRefusedBeforeTheyAreMade) {
  std::string many;
  for (int i = 0; i < 60; ++i) {
    many += "{0..999999}";
  }
  for (const std::string& text :
       Names{many, "{0..999999}" + std::string(4000, 'a'), "{a,{0..999999}}{0..9}"}) {
    EXPECT_EQ(expand_braces(text, kMaxPaths).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(Braces, WithoutMeasureTheyAreRefused) {
  for (const std::string text :
       {"{0..100}", "{0..9223372036854775807}", "{0..10}{0..10}", "{{0..60},{0..60}}"}) {
    EXPECT_EQ(expand_braces(text, 100).status().code(), StatusCode::kInvalidArgument) << text;
  }
  std::string many;
  for (int i = 0; i < 600; ++i) {
    many += "{1..1}";
  }
  EXPECT_EQ(expand_braces(many, 100).status().code(), StatusCode::kInvalidArgument);
}

class PathPatterns : public ::testing::Test {
 protected:
  Result<Names> expand(const Names& paths, size_t most = 100) {
    return expand_paths(paths, set_.registry, most);
  }
  Names found(const Names& paths) {
    const Result<Names> names = expand(paths);
    EXPECT_TRUE(names.ok()) << names.status();
    return names.ok() ? *names : Names();
  }

  testing::MemorySet set_;
};

TEST_F(PathPatterns, FarFoldersAreListed) {
  for (const char* name : {"s-1.tar", "s-0.tar", "s-10.tar", "t.tar", "s-1.idx", ".s-2.tar", "s-3.tar/below",
                           "d1/x.tar", "d2/x.tar", "d2/y.tar", "d3/z/x.tar"}) {
    set_.put(name, "x");
  }
  EXPECT_THAT(found({"mem://set/s-*.tar"}),
              ElementsAre("mem://set/s-0.tar", "mem://set/s-1.tar", "mem://set/s-10.tar"));
  EXPECT_THAT(found({"mem://set/s-?.tar", "mem://set/t.tar"}),
              ElementsAre("mem://set/s-0.tar", "mem://set/s-1.tar", "mem://set/t.tar"));
  EXPECT_THAT(found({"mem://set/[st]*[!0].tar"}), ElementsAre("mem://set/s-1.tar"));
  EXPECT_THAT(found({"mem://set/d*/x.tar"}), ElementsAre("mem://set/d1/x.tar", "mem://set/d2/x.tar"));
  EXPECT_THAT(found({"mem://set/d[12]/*.tar"}),
              ElementsAre("mem://set/d1/x.tar", "mem://set/d2/x.tar", "mem://set/d2/y.tar"));
  // Braces come first and keep their order; what they name need not be there.
  EXPECT_THAT(found({"mem://set/{t,none,s-1*}.tar"}), ElementsAre("mem://set/t.tar", "mem://set/none.tar",
                                                                  "mem://set/s-1.tar", "mem://set/s-10.tar"));
}

TEST_F(PathPatterns, WhatMatchesNothingIsNamed) {
  set_.put("t.tar", "x");
  const Status status = expand({"mem://set/t.tar", "mem://set/{t,u-*}.tar"}).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(message(status)), HasSubstr("'mem://set/u-*.tar' matches no file"));
  EXPECT_EQ(expand({"/no/such/folder/*.tar"}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(expand({"nowhere://b/*.tar"}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(PathPatterns, ANameThatIsThereIsItself) {
  for (const char* name : {"s-[1].tar", "s-1.tar", "{a,b}.tar", "a[1]/x.tar", "a1/x.tar", "*.idx", "t.idx"}) {
    set_.put(name, "x");
  }
  EXPECT_THAT(found({"mem://set/s-[1].tar", "mem://set/{a,b}.tar", "mem://set/*.idx"}),
              ElementsAre("mem://set/s-[1].tar", "mem://set/{a,b}.tar", "mem://set/*.idx"));
  EXPECT_THAT(found({"mem://set/{s-[1],t}.tar"}), ElementsAre("mem://set/s-[1].tar", "mem://set/t.tar"));
  EXPECT_THAT(found({"mem://set/a[1]/*.tar"}), ElementsAre("mem://set/a[1]/x.tar"));
}

TEST_F(PathPatterns, QueriesAndHostsAreNoPatterns) {
  EXPECT_FALSE(has_pattern({"https://[::1]/a.tar?x=*[y]", "az://account/c/a.tar?sig={a,b}", "/a/b.tar"}));
  EXPECT_TRUE(has_pattern({"s3://bucket-{0..3}/a.tar"}));
  EXPECT_THAT(found({"s3://bucket-{0..1}/a.tar"}), ElementsAre("s3://bucket-0/a.tar", "s3://bucket-1/a.tar"));
}

TEST_F(PathPatterns, TheirNumberIsBounded) {
  for (const char* name : {"a", "b", "c", "d"}) {
    set_.put(name, "x");
  }
  EXPECT_EQ(expand({"mem://set/*"}, 3).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(expand({"mem://set/{a..d}"}, 3).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(expand({"mem://set/{a..b}", "mem://set/{c..d}"}, 3).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(expand({"mem://set/*"}, 4)->size(), 4u);
}

// Sorted by themselves, a.m.tar comes before a.tar, and a.idx before a.m.idx.
TEST_F(PathPatterns, IndexFilesGoByTheNamesOfTheirShards) {
  const TemporaryDirectory folder;
  for (const char* name : {"a.tar", "a.m.tar", "a.idx", "a.m.idx", "b\\c-1.tar"}) {
    std::ofstream(folder / name) << "x";
  }
  const storage::StoreRegistry& registry = storage::default_registry();
  const auto paths = *expand_paths({folder / "a*.tar"}, registry);
  ASSERT_EQ(paths, (std::vector<std::string>{folder / "a.m.tar", folder / "a.tar"}));
  EXPECT_EQ(*expand_index_paths({folder / "*.idx"}, paths, registry),
            (std::vector<std::string>{folder / "a.m.idx", folder / "a.idx"}));
  std::filesystem::rename(folder / "a.m.idx", folder / "n.idx");
  const Status missing = expand_index_paths({folder / "*.idx"}, paths, registry).status();
  EXPECT_EQ(missing.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(message(missing).find("a.m.tar"), std::string_view::npos) << missing;
  EXPECT_EQ(*expand_paths({folder / "b\\c-*.tar"}, registry),
            (std::vector<std::string>{folder / "b\\c-1.tar"}));
}

TEST_F(PathPatterns, LocalFoldersAreListed) {
  char folder[] = "/tmp/forebay_patterns_XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string root = folder;
  std::filesystem::create_directory(root + "/deep");
  for (const char* name : {"/b.tar", "/a.tar", "/deep/c.tar", "/50%.idx"}) {
    std::ofstream(root + name) << "x";
  }
  EXPECT_THAT(found({root + "/*.tar"}), ElementsAre(root + "/a.tar", root + "/b.tar"));
  EXPECT_THAT(found({root + "/d*/c.tar"}), ElementsAre(root + "/deep/c.tar"));
  EXPECT_THAT(found({"file://" + root + "/*.idx"}), ElementsAre("file://" + root + "/50%25.idx"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(root);
  EXPECT_THAT(found({"*.tar", "deep/[c]*"}), ElementsAre("a.tar", "b.tar", "deep/c.tar"));
  std::filesystem::current_path(before);
  std::filesystem::remove_all(root);
}

TEST_F(PathPatterns, ReadersOfShardsTakeThem) {
  WebdatasetOptions options;
  options.registry = &set_.registry;
  options.ext = {"cls"};
  for (const char* name : {"0", "1", "2"}) {
    set_.put(std::string("s-") + name + ".tar", testing::tar_archive({{"a.cls", name}}));
    set_.put(std::string("s-") + name + ".idx", "v1.1 1\ncls 512 1\n");
  }
  options.paths = {"mem://set/s-{2..0}.tar"};
  Result<std::shared_ptr<Source>> source = make_webdataset_source(options);
  ASSERT_TRUE(source.ok()) << source.status();
  ASSERT_EQ((*source)->size(), 3);
  EXPECT_EQ(testing::text_of(read_now(**source, 0)->fields[0]), "2");
  options.paths = {"mem://set/s-*.tar"};
  options.index_paths = {"mem://set/s-[012].idx"};
  source = make_webdataset_source(options);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->size(), 3);
  options.index_paths = {"mem://set/s-[01].idx"};
  EXPECT_THAT(std::string(message(make_webdataset_source(options).status())),
              HasSubstr("2 `index_paths` are given for 3 `paths`"));
}

}  // namespace
}  // namespace forebay::dataset
