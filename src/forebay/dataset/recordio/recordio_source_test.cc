#include "forebay/dataset/recordio/recordio_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/recordio/recordio_index.h"
#include "forebay/dataset/testing/key_value_files.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::image_record_of;
using testing::recordio_part_of;
using testing::text_of;

class RecordIo : public ::testing::Test {
 protected:
  RecordIoOptions options(std::vector<std::string> path, std::vector<std::string> index_path = {}) {
    RecordIoOptions options;
    options.path = std::move(path);
    options.index_path = std::move(index_path);
    options.registry = &set_.registry;
    return options;
  }
  /// "picture labels" of each sample, or its error's name.
  std::vector<std::string> all(const RecordIoOptions& options) {
    const Result<std::shared_ptr<Source>> source = make_recordio_source(options);
    if (!source.ok()) {
      return {std::string(source.status().message())};
    }
    std::vector<std::string> texts;
    for (int64_t i = 0; i < (*source)->size(); ++i) {
      const Result<Record> record = read_now(**source, i);
      if (!record.ok()) {
        texts.push_back(absl::StatusCodeToString(record.status().code()));
        continue;
      }
      std::string& text = texts.emplace_back(text_of(record->fields[0]));
      for (const float label : record->fields[1].view().span<float>()) {
        text += fmt::format(" {}", label);
      }
    }
    return texts;
  }

  const std::string first_ = recordio_part_of(image_record_of(3, "abcde"));
  const std::string second_ = recordio_part_of(image_record_of(std::vector<float>{1.5F, -2}, "xyz"));
  testing::MemorySet set_;
};

TEST_F(RecordIo, FilesAreScanned) {
  const std::string path = set_.put("a.rec", first_ + second_);
  const std::string other = set_.put("b.rec", second_);
  EXPECT_THAT(all(options({path, other})), ElementsAre("abcde 3", "xyz 1.5 -2", "xyz 1.5 -2"));
  testing::expect_plans_of_what_is_read(**make_recordio_source(options({path})), *set_.store);
}

TEST_F(RecordIo, RecordsOfSeveralPartsAreJoined) {
  const std::string record = image_record_of(1, "12345678901");
  const std::string parts = recordio_part_of(record.substr(0, 26), 1) +
                            recordio_part_of(record.substr(26, 3), 2) +
                            recordio_part_of(record.substr(29), 3);
  const std::string magic("\x0a\x23\xd7\xce", 4);
  EXPECT_THAT(all(options({set_.put("a.rec", first_ + parts + second_)})),
              ElementsAre("abcde 3", "12" + magic + "345" + magic + "678901 1", "xyz 1.5 -2"));
}

TEST_F(RecordIo, ARecordBeginsWhereTheOneBeforeEnds) {
  const std::string file =
      recordio_part_of("1") + recordio_part_of("12345", 1) + recordio_part_of("67", 3) + first_;
  std::vector<uint64_t> ends{0};
  const MemoryByteSource bytes(testing::bytes_of(file));
  const auto found =
      scan_recordio(bytes, "it", [&](const RecordIoRange& record) { ends.push_back(end_of(record)); });
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->records.size(), 3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found->records[i].offset_bytes, ends.at(i));
  }
  EXPECT_EQ(end_of(found->records[2]), file.size());
}

TEST_F(RecordIo, AnIndexFileSaysWhereRecordsAre) {
  const std::string path = set_.put("a.rec", first_ + second_);
  const std::string at = std::to_string(first_.size());
  const std::string index = set_.put("a.idx", "7\t" + at + "\n3\t0\n3\t0\n");
  EXPECT_THAT(all(options({path}, {index})), ElementsAre("abcde 3", "xyz 1.5 -2"));
  const std::string part = set_.put("part.idx", "7 " + at);
  EXPECT_THAT(all(options({path}, {part})), ElementsAre("xyz 1.5 -2"));
}

TEST_F(RecordIo, AnIndexOfNothingIsThatOfAnEmptyFile) {
  const std::string path = set_.put("a.rec", first_);
  const std::string index = set_.put("a.idx", "0 0\n");
  const std::string none = set_.put("none.idx", "\n");
  EXPECT_THAT(all(options({path, set_.put("empty.rec", "")}, {index, none})), ElementsAre("abcde 3"));
  const auto refused =
      make_recordio_source(options({path, set_.put("b.rec", second_)}, {index, none})).status();
  EXPECT_EQ(refused.code(), StatusCode::kDataLoss) << refused;
  EXPECT_THAT(std::string(message(refused)), HasSubstr("mem://set/none.idx"));
  EXPECT_THAT(std::string(message(refused)), HasSubstr("mem://set/b.rec"));
}

TEST_F(RecordIo, OneIndexFileGoesOnFromFileToFile) {
  const std::string a = set_.put("a.rec", first_ + second_);
  const std::string b = set_.put("b.rec", first_);
  const std::string index =
      set_.put("ab.idx", fmt::format("0\t0\n1\t{}\n2\t{}\n", first_.size(), first_.size() + second_.size()));
  EXPECT_THAT(all(options({a, b}, {index})), ElementsAre("abcde 3", "xyz 1.5 -2", "abcde 3"));
  const std::string beyond = set_.put("beyond.idx", "0\t0\n1\t9999\n");
  EXPECT_THAT(all(options({a, b}, {beyond}))[0], HasSubstr("9999"));
}

TEST_F(RecordIo, WhatIsLostIsOneSample) {
  const std::string cut = set_.put("cut.rec", first_ + second_.substr(0, second_.size() - 4));
  EXPECT_THAT(all(options({cut})), ElementsAre("abcde 3", "DATA_LOSS"));
  const std::string junk = set_.put("junk.rec", first_ + "garbage, no record" + second_);
  EXPECT_THAT(all(options({junk})), ElementsAre("abcde 3", "DATA_LOSS"));
  const std::string tail = set_.put("tail.rec", first_ + "abc");
  EXPECT_THAT(all(options({tail})), ElementsAre("abcde 3", "DATA_LOSS"));
  const std::string open = set_.put("open.rec", first_ + recordio_part_of("1234", 1));
  EXPECT_THAT(all(options({open})), ElementsAre("abcde 3", "DATA_LOSS"));
  const std::string small = set_.put("small.rec", recordio_part_of("too short") + second_);
  EXPECT_THAT(all(options({small})), ElementsAre("DATA_LOSS", "xyz 1.5 -2"));
  std::string labels = image_record_of(0, "x");
  labels.replace(0, 4, "\xff\xff\xff\x7f");
  EXPECT_THAT(all(options({set_.put("labels.rec", recordio_part_of(labels) + first_)})),
              ElementsAre("DATA_LOSS", "abcde 3"));
  EXPECT_THAT(all(options({set_.put("no.rec", "no record")}))[0], HasSubstr("not a RecordIO file"));
  EXPECT_THAT(all(options({"mem://set/none.rec", cut})), ElementsAre("NOT_FOUND", "abcde 3", "DATA_LOSS"));
}

TEST_F(RecordIo, ALastRecordMayLackItsZeros) {
  EXPECT_THAT(all(options({set_.put("a.rec", first_.substr(0, first_.size() - 3))})), ElementsAre("abcde 3"));
}

TEST_F(RecordIo, OptionsThatMakeNoSense) {
  EXPECT_THAT(all(options({}))[0], HasSubstr("path"));
  EXPECT_THAT(all(options({"a", "b", "c"}, {"x", "y"}))[0], HasSubstr("2 index files"));
  const std::string path = set_.put("a.rec", first_);
  EXPECT_THAT(all(options({path}, {set_.put("bad.idx", "0\t0\nx\n")}))[0], HasSubstr("bad.idx:2"));
  EXPECT_THAT(all(options({path}, {set_.put("empty.idx", "\n")}))[0], HasSubstr("no samples found"));
}

}  // namespace
}  // namespace forebay::dataset
