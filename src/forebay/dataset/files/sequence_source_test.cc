#include "forebay/dataset/files/sequence_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Sequences : public ::testing::Test {
 protected:
  Sequences() {
    for (const char* key : {"a/3.jpg", "a/1.jpg", "a/2.PNG", "a/4.jpg", "a/notes.txt", "a/.0.jpg",
                            "a-b/1.jpg", "a-b/2.jpg", ".c/1.jpg", ".c/2.jpg", "top.jpg"}) {
      set_.put(std::string("r/") + key, std::string(key) == "a/4.jpg" ? "4" : key);
    }
  }
  SequenceOptions options(int64_t length, int64_t step = 1, int64_t stride = 1) {
    SequenceOptions options;
    options.file_root = "mem://set/r";
    options.registry = &set_.registry;
    options.sequence_length = length;
    options.step = step;
    options.stride = stride;
    return options;
  }
  std::vector<std::string> all(const SequenceOptions& options) {
    const Result<std::shared_ptr<Source>> source = make_sequence_source(options);
    if (!source.ok()) {
      return {std::string(message(source.status()))};
    }
    std::vector<std::string> texts;
    for (int64_t i = 0; i < (*source)->size(); ++i) {
      const Result<Record> record = read_now(**source, i);
      EXPECT_TRUE(record.ok()) << record.status();
      std::string& text = texts.emplace_back();
      for (const tensor::Tensor& frame : record->fields) {
        text += (text.empty() ? "" : " ") + testing::text_of(frame);
      }
      EXPECT_EQ(record->index, i);
    }
    return texts;
  }

  testing::MemorySet set_;
};

TEST_F(Sequences, TellWhereEachFrameLies) {
  const auto source = *make_sequence_source(options(2));
  EXPECT_EQ(source->locate(1)->object, "mem://set/r/a/1.jpg");
  EXPECT_EQ(source->locate_field(1, 0)->object, "mem://set/r/a/1.jpg");
  EXPECT_EQ(source->locate_field(1, 1)->object, "mem://set/r/a/2.PNG");
  EXPECT_EQ(source->locate_field(4, 0).status().code(), StatusCode::kOutOfRange);
  const std::vector<uint64_t> lengths = source->lengths();
  for (int64_t index = 0; index < source->size(); ++index) {
    EXPECT_EQ(lengths[static_cast<size_t>(index)], source->locate(index)->length_bytes);
  }
}

TEST_F(Sequences, StayInTheirFolders) {
  EXPECT_THAT(all(options(2)),
              ElementsAre("a-b/1.jpg a-b/2.jpg", "a/1.jpg a/2.PNG", "a/2.PNG a/3.jpg", "a/3.jpg 4"));
  EXPECT_THAT(all(options(2, 2)), ElementsAre("a-b/1.jpg a-b/2.jpg", "a/1.jpg a/2.PNG", "a/3.jpg 4"));
  EXPECT_THAT(all(options(2, 1, 2)), ElementsAre("a/1.jpg a/3.jpg", "a/2.PNG 4"));
  EXPECT_THAT(all(options(1, 9)), ElementsAre("a-b/1.jpg", "a/1.jpg"));
  testing::expect_plans_of_what_is_read(**make_sequence_source(options(2)), *set_.store);
}

TEST_F(Sequences, WithABrokenFrameAreBroken) {
  const auto source = make_sequence_source(options(2));
  set_.store->fail_reads("r/a/2.PNG", unavailable("gone"));
  const Status status = read_now(**source, 2).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(context_of(status)->sample_index, 2);
  EXPECT_EQ(context_of(status)->origin.object, "mem://set/r/a/2.PNG");
  EXPECT_TRUE(read_now(**source, 3).ok());
}

TEST_F(Sequences, OptionsThatMakeNoSense) {
  EXPECT_THAT(all(options(0))[0], HasSubstr("sequence_length is 0"));
  EXPECT_THAT(all(options(2, 0))[0], HasSubstr("step is 0"));
  EXPECT_THAT(all(options(2, 1, -1))[0], HasSubstr("stride -1"));
  EXPECT_THAT(all(options(5))[0], HasSubstr("the 5 pictures"));
  SequenceOptions nowhere = options(2);
  nowhere.file_root = "";
  EXPECT_THAT(all(nowhere)[0], HasSubstr("file_root"));
}

}  // namespace
}  // namespace forebay::dataset
