#include "forebay/dataset/text_indexes/text_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/dataset/index/path_patterns.h"
#include "forebay/dataset/recordio/recordio_index.h"
#include "forebay/dataset/testing/key_value_files.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/tfrecord/tfrecord_index.h"
#include "forebay/dataset/webdataset/wds_index.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::image_record_of;
using testing::recordio_part_of;

class TextIndex : public ::testing::Test {
 protected:
  Result<std::string> index_of(const std::string& content, TextIndexKind kind) {
    return make_text_index(*set_.registry.resolve(set_.put("file", content)), kind);
  }
  std::string error_of(const std::string& content, TextIndexKind kind) {
    return std::string(message(index_of(content, kind).status()));
  }
  testing::MemorySet set_;
};

TEST_F(TextIndex, OfTfrecordsIsThatOfTfrecord2idx) {
  const std::string file = testing::tfrecord("abc") + testing::tfrecord("");
  const Result<std::string> text = index_of(file, TextIndexKind::kTfrecord2idx);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "0 19\n19 16\n");
  EXPECT_EQ(parse_tfrecord_index(*text, "it")->size(), 2);
  EXPECT_THAT(error_of(file.substr(0, file.size() - 1), TextIndexKind::kTfrecord2idx),
              HasSubstr("truncated"));
  EXPECT_THAT(error_of("no record at all", TextIndexKind::kTfrecord2idx), HasSubstr("not a TFRecord"));
}

TEST_F(TextIndex, OfArchivesIsThatOfWds2idx) {
  const std::string file = testing::tar_archive(
      {{"a/s0.jpg", "photo"}, {"a/s0.seg.png", "mask"}, {"a/.hidden", "x"}, {"a/s1.jpg", ""}});
  const Result<std::string> text = index_of(file, TextIndexKind::kWds2idx);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "v1.2 2\njpg 512 5 a/s0.jpg seg.png 1536 4 a/s0.seg.png\njpg 3584 0 a/s1.jpg\n");
  EXPECT_EQ(parse_wds_index(*text, "it")->size(), 2);
  EXPECT_THAT(error_of(testing::tar_archive({{"a b.jpg", "x"}}), TextIndexKind::kWds2idx),
              HasSubstr("white space"));
  EXPECT_THAT(error_of(file.substr(0, 1500), TextIndexKind::kWds2idx), HasSubstr("truncated"));
}

TEST_F(TextIndex, OfRecordIoIsThatOfRec2idx) {
  const std::string first = recordio_part_of(image_record_of(1, "abcde"));
  const std::string file = first + recordio_part_of("12345", 1) + recordio_part_of("6", 3) + first;
  const Result<std::string> text = index_of(file, TextIndexKind::kRec2idx);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, fmt::format("0\t0\n1\t{}\n2\t{}\n", first.size(), file.size() - first.size()));
  EXPECT_EQ(parse_recordio_index(*text, "it")->size(), 3);
  EXPECT_THAT(error_of(file.substr(0, file.size() - 9), TextIndexKind::kRec2idx), HasSubstr("truncated"));
}

TEST_F(TextIndex, OfWhatIsNotThereIsAnError) {
  const auto address = set_.registry.resolve("mem://set/none");
  EXPECT_EQ(make_text_index(*address, TextIndexKind::kRec2idx).status().code(), StatusCode::kNotFound);
}

class TextIndexes : public ::testing::Test {
 protected:
  TextIndexes() {
    for (const std::string name : {"a", "b", "c"}) {
      set_.put("data/" + name + ".tfrecord", testing::tfrecord("of " + name) + testing::tfrecord(name));
    }
    options_.registry = &set_.registry;
    options_.paths = {"mem://set/data/{a,b,c}.tfrecord"};
    options_.index_file = "mem://set/made";
  }
  Result<WrittenTextIndexes> write() {
    set_.store->forget_reads();
    return write_text_indexes(options_);
  }
  std::string content(const std::string& key) {
    const auto read = storage::read_now(*set_.store, {.key = key});
    return read.ok() ? std::string(reinterpret_cast<const char*>(read->bytes.data()), read->bytes.size())
                     : "";
  }
  size_t count(const std::string& prefix) {
    return storage::list_all_now(*set_.store, {.prefix = prefix})->objects.size();
  }
  testing::MemorySet set_;
  TextIndexesOptions options_;
};

TEST_F(TextIndexes, OfSeveralFilesGoToAFolder) {
  std::vector<uint64_t> samples;
  size_t done = 0;
  options_.progress = [&](const IndexProgress& now) {
    if (now.shards_done > done) {  // also told at times
      done = now.shards_done;
      samples.push_back(now.samples);
    }
  };
  const auto written = write();
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->files, 3);
  EXPECT_EQ(content("made/b.idx"), "0 20\n20 17\n");
  EXPECT_EQ(count("made/"), 3);
  EXPECT_EQ(samples, (std::vector<uint64_t>{2, 4, 6}));
}

TEST_F(TextIndexes, AnInterruptedRunIsGoneOnWith) {
  set_.store->fail_reads("data/c.tfrecord", unavailable("mem://set/data/c.tfrecord: gone"), 1);
  EXPECT_EQ(write().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(count("made.scan/"), 2);
  EXPECT_EQ(count("made/"), 0);
  set_.put("data/b.tfrecord", testing::tfrecord("other"));
  ASSERT_TRUE(write().ok());
  EXPECT_EQ(set_.store->read_count("data/a.tfrecord"), 0);
  EXPECT_GT(set_.store->read_count("data/b.tfrecord"), 0);
  EXPECT_GT(set_.store->read_count("data/c.tfrecord"), 0);
  EXPECT_EQ(content("made/b.idx"), "0 21\n");
  EXPECT_EQ(content("made/a.idx"), "0 20\n20 17\n");
  EXPECT_EQ(count("made.scan/"), 0);
}

TEST_F(TextIndexes, OfOneFileIsAFile) {
  options_.paths = {"mem://set/data/a.tfrecord"};
  ASSERT_TRUE(write().ok());
  EXPECT_EQ(content("made"), "0 20\n20 17\n");
  options_.index_file = "mem://set/folder/";
  ASSERT_TRUE(write().ok());
  EXPECT_EQ(content("folder/a.idx"), "0 20\n20 17\n");
}

TEST_F(TextIndexes, NamesThatDifferOnlyInTheirExtensionStayWhole) {
  options_.paths.clear();
  for (const std::string name : {"train.tfrecord-00000-of-00002", "train.tfrecord-00001-of-00002"}) {
    options_.paths.push_back(set_.put("data/" + name, testing::tfrecord(name)));
  }
  options_.paths.push_back("mem://set/data/a.tfrecord");
  const auto written = write();
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(content("made/train.tfrecord-00000-of-00002.idx"), "0 45\n");
  EXPECT_EQ(content("made/train.tfrecord-00001-of-00002.idx"), "0 45\n");
  EXPECT_EQ(content("made/a.idx"), "0 20\n20 17\n");
  const auto found = expand_index_paths({"mem://set/made/*.idx"}, options_.paths, set_.registry);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(*found,
              ElementsAre("mem://set/made/train.tfrecord-00000-of-00002.idx",
                          "mem://set/made/train.tfrecord-00001-of-00002.idx", "mem://set/made/a.idx"));
}

TEST_F(TextIndexes, AreNamedAsTheirFilesAre) {
  const TemporaryDirectory directory;
  for (const char* name : {"a b.tfrecord", "100%.tfrecord", "c%20d.tfrecord"}) {
    std::ofstream(directory / name) << testing::tfrecord("x");
  }
  const std::string folder = "file://" + std::string(directory.path());
  options_.paths = {folder + "/a%20b.tfrecord", folder + "/100%25.tfrecord", directory / "c%20d.tfrecord"};
  for (const std::string& made : {directory / "made", folder + "/made"}) {
    options_.index_file = made;
    const auto written = write();
    ASSERT_TRUE(written.ok()) << written.status();
    for (const char* name : {"a b.idx", "100%.idx", "c%20d.idx"}) {
      EXPECT_TRUE(std::filesystem::exists(directory.path() + "/made/" + name)) << name;
    }
    std::filesystem::remove_all(directory / "made");
  }
}

TEST_F(TextIndexes, AreNotNamedAfterAQuery) {
  for (const char* name : {"a", "b"}) {
    set_.put(fmt::format("data/{}.tfrecord?sig=secret.x", name), testing::tfrecord(name));
  }
  set_.registry.mount("https://host/", set_.store);
  options_.paths = {"https://host/data/a.tfrecord?sig=secret.x", "https://host/data/b.tfrecord?sig=secret.x"};
  const auto written = write();
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(content("made/a.idx"), "0 17\n");
  EXPECT_EQ(content("made/b.idx"), "0 17\n");
}

TEST_F(TextIndexes, OfOneFileGoToAFolderThatIsThere) {
  options_.paths = {"mem://set/data/a*.tfrecord"};
  set_.put("made/other.idx", "");
  ASSERT_TRUE(write().ok());
  EXPECT_EQ(content("made/a.idx"), "0 20\n20 17\n");
  EXPECT_EQ(content("made"), "");
}

TEST_F(TextIndexes, OfSeveralFilesDoNotGoToAFile) {
  set_.put("made", "a file");
  const Status status = write().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(message(status)), HasSubstr("mem://set/made"));
  EXPECT_EQ(set_.store->read_count("data/a.tfrecord"), 0);
  EXPECT_EQ(content("made"), "a file");
}

TEST_F(TextIndexes, TwoOfTheSameNameAreRefused) {
  set_.put("more/a.tfrecord", testing::tfrecord("x"));
  options_.paths = {"mem://set/data/a.tfrecord", "mem://set/more/a.tfrecord"};
  const Status status = write().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(status)), HasSubstr("mem://set/made/a.tfrecord.idx"));
}

}  // namespace
}  // namespace forebay::dataset
