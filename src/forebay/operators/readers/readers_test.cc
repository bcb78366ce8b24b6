#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using ::testing::ElementsAre;
using testing::Given;
using ::testing::HasSubstr;
using testing::values_of;

using Constants = std::map<std::string, Value>;

/// A folder that is deleted with the test.
class Readers : public ::testing::Test {
 protected:
  Readers()
      : folder_(std::filesystem::temp_directory_path() / ("forebay_readers_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Readers() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  static Result<std::unique_ptr<Operator>> make(std::string_view name, Constants constants) {
    return testing::make_operator(name, {.constants = std::move(constants)}, 0);
  }

  static std::string message_of(std::string_view name, Constants constants) {
    return std::string(message(make(name, std::move(constants)).status()));
  }

 private:
  std::filesystem::path folder_;
};

std::string text_of(const Tensor& tensor) {
  const std::vector<uint8_t> bytes = values_of<uint8_t>(tensor);
  return {bytes.begin(), bytes.end()};
}

TEST_F(Readers, FileGivesBytesAndLabel) {
  write("root/b/x.jpg", "bx");
  write("root/a/y.jpg", "ay");
  write("root/a/notes.txt", "no image");
  const auto op = make("readers.file", {{"file_root", path("root")}});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ((*op)->scope(), Scope::kSource);
  EXPECT_EQ((*op)->num_outputs(), 2);
  const auto source = (*op)->open_source({});
  ASSERT_TRUE(source.ok()) << source.status();
  ASSERT_EQ((*source)->size(), 2);
  const auto record = dataset::read_now(**source, 1);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(text_of(record->fields[0]), "bx");
  EXPECT_THAT(values_of<int32_t>(record->fields[1]), ElementsAre(1));
}

TEST_F(Readers, FileTakesListsOfFiles) {
  write("one", "1");
  write("two", "2");
  write("list.txt", "two 7\none 5\n");
  const auto listed = make("readers.file", {{"file_list", path("list.txt")}});
  const auto record = dataset::read_now(**(*listed)->open_source({}), 0);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(text_of(record->fields[0]), "2");
  EXPECT_THAT(values_of<int32_t>(record->fields[1]), ElementsAre(7));
  const auto named = make("readers.file", {{"files", std::vector<std::string>{path("one"), path("two")}},
                                           {"labels", std::vector<int64_t>{3, 4}}});
  EXPECT_THAT(values_of<int32_t>(dataset::read_now(**(*named)->open_source({}), 1)->fields[1]),
              ElementsAre(4));
}

TEST_F(Readers, OrdersFollowTheArguments) {
  const auto op = make("readers.file", {{"file_root", path("root")},
                                        {"num_shards", int64_t{4}},
                                        {"shard_id", int64_t{3}},
                                        {"random_shuffle", true},
                                        {"stick_to_shard", true},
                                        {"pad_last_batch", true}});
  ASSERT_TRUE(op.ok()) << op.status();
  const auto options = (*op)->order_options(99, 16);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->num_shards, 4U);
  EXPECT_EQ(options->shard_id, 3U);
  EXPECT_EQ(options->seed, 99U);
  EXPECT_EQ(options->batch_size, 16U);
  EXPECT_TRUE(options->random_shuffle && options->stick_to_shard && options->pad_last_batch);
  const auto reshuffled = make(
      "readers.file",
      {{"file_root", path("root")}, {"shuffle_after_epoch", true}, {"shuffle_after_epoch_seed", int64_t{5}}});
  EXPECT_EQ((*reshuffled)->order_options(99, 1)->seed, 5U);
}

TEST_F(Readers, FileSaysWhatIsWrong) {
  EXPECT_THAT(message_of("readers.file", {}), HasSubstr("file_root"));
  EXPECT_THAT(message_of("readers.file", {{"files", "a"}, {"file_list", "b"}}), HasSubstr("together"));
  EXPECT_THAT(message_of("readers.file", {{"file_root", "a"}, {"shard_id", int64_t{1}}}),
              HasSubstr("[0, 1)"));
  EXPECT_THAT(message_of("readers.file",
                         {{"file_root", "a"}, {"random_shuffle", true}, {"shuffle_after_epoch", true}}),
              HasSubstr("together"));
  EXPECT_THAT(message_of("readers.file",
                         {{"file_root", "a"}, {"stick_to_shard", true}, {"shuffle_after_epoch", true}}),
              HasSubstr("together"));
  EXPECT_THAT(message_of("readers.file", {{"files", "a"}, {"labels", std::vector<int64_t>{1, 2}}}),
              HasSubstr("2 `labels`"));
}

TEST_F(Readers, CocoHasAnOutputForEachThingAskedFor) {
  write("b.jpg", "picture");
  write("objects.json",
        R"({"images": [{"id": 4, "file_name": "b.jpg", "width": 8, "height": 4}],)"
        R"( "categories": [{"id": 9}], "annotations": [{"image_id": 4, "category_id": 9,)"
        R"( "bbox": [2, 1, 4, 2], "keypoints": [4, 2, 1], "segmentation": [[2, 1, 6, 1, 6, 3]]}]})");
  const Constants given{{"file_root", path("")}, {"annotations_file", path("objects.json")},
                        {"ltrb", true},          {"ratio", true},
                        {"polygon_masks", true}, {"image_ids", true},
                        {"keypoints", true},     {"size_threshold", 1.0}};
  const auto op = make("readers.coco", given);
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ((*op)->num_outputs(), 7);
  const auto source = (*op)->open_source({});
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->num_fields(), 7);
  const auto record = dataset::read_now(**source, 0);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(text_of(record->fields[0]), "picture");
  EXPECT_THAT(values_of<float>(record->fields[1]), ElementsAre(0.25f, 0.25f, 0.75f, 0.75f));
  EXPECT_THAT(values_of<int32_t>(record->fields[2]), ElementsAre(1));
  EXPECT_THAT(values_of<int32_t>(record->fields[3]), ElementsAre(0, 0, 3));
  EXPECT_EQ(record->fields[4].shape(), (tensor::Shape{3, 2}));
  EXPECT_THAT(values_of<int32_t>(record->fields[5]), ElementsAre(4));
  EXPECT_THAT(values_of<float>(record->fields[6]), ElementsAre(0.5f, 0.5f, 1));
}

TEST_F(Readers, CocoSaysWhatIsWrong) {
  EXPECT_THAT(message_of("readers.coco", {{"file_root", "a"}}), HasSubstr("annotations_file"));
  EXPECT_THAT(message_of("readers.coco",
                         {{"annotations_file", "a"}, {"polygon_masks", true}, {"pixelwise_masks", true}}),
              HasSubstr("together"));
  EXPECT_THAT(
      message_of("readers.coco",
                 {{"annotations_file", "a"}, {"random_shuffle", true}, {"shuffle_after_epoch", true}}),
      HasSubstr("together"));
}

std::string tar_member(const std::string& name, const std::string& content) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 7, "0000644");
  char size[13];
  std::snprintf(size, sizeof(size), "%011o", static_cast<unsigned>(content.size()));
  block.replace(124, 11, size);
  block[156] = '0';
  block.replace(257, 5, "ustar");
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char byte : block) {
    sum += static_cast<unsigned char>(byte);
  }
  char checksum[8];
  std::snprintf(checksum, sizeof(checksum), "%06o", sum);
  block.replace(148, 7, std::string(checksum, 7));
  block += content;
  block.resize((block.size() + 511) / 512 * 512, '\0');
  return block;
}

TEST_F(Readers, WebdatasetGivesAnOutputForEachExtension) {
  write("a.tar", tar_member("s0.jpg", "photo") + tar_member("s0.cls", "3") + tar_member("s1.json", "{}") +
                     std::string(1024, '\0'));
  const auto op = make("readers.webdataset", {{"paths", path("a.tar")},
                                              {"ext", std::vector<std::string>{"png;jpg", "cls", "json"}}});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ((*op)->num_outputs(), 3);
  const auto source = (*op)->open_source({});
  ASSERT_TRUE(source.ok()) << source.status();
  const auto record = dataset::read_now(**source, 0);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(text_of(record->fields[0]), "photo");
  EXPECT_EQ(text_of(record->fields[1]), "3");
  EXPECT_EQ(record->fields[2].volume(), 0);
}

TEST_F(Readers, WebdatasetSaysWhatIsWrong) {
  EXPECT_THAT(message_of("readers.webdataset", {{"paths", "a"}}), HasSubstr("'ext' must be given"));
  EXPECT_THAT(message_of("readers.webdataset",
                         {{"paths", "a"}, {"ext", "b"}, {"dtypes", std::vector<int64_t>{0, 0}}}),
              HasSubstr("2 `dtypes`"));
  EXPECT_THAT(message_of("readers.webdataset", {{"paths", "a"}, {"ext", "b"}, {"dtypes", int64_t{77}}}),
              HasSubstr("not an element type"));
  EXPECT_THAT(
      message_of("readers.webdataset", {{"paths", "a"}, {"ext", "b"}, {"missing_component_behavior", "x"}}),
      HasSubstr("'skip'"));
}

TEST_F(Readers, TfrecordHasAnOutputForEachFeature) {
  const std::string features =
      R"([{"name": "image", "kind": "string"}, {"name": "label", "kind": "int64", "fixed": true, "shape": [1],)"
      R"( "default": -1}, {"name": "box", "kind": "float", "fixed": false, "shape": [4]}])";
  const auto op = make("readers.tfrecord", {{"path", "a"}, {"features", features}});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ((*op)->num_outputs(), 3);
  EXPECT_FALSE((*op)->open_source({}).ok());
}

TEST_F(Readers, TfrecordSaysWhatIsWrong) {
  const auto with = [](const std::string& features) {
    return message_of("readers.tfrecord", {{"path", "a"}, {"features", features}});
  };
  EXPECT_THAT(with("{}"), HasSubstr("JSON"));
  EXPECT_THAT(with("["), HasSubstr("JSON"));
  EXPECT_THAT(with("[3]"), HasSubstr("`name`"));
  EXPECT_THAT(with(R"([{"name": "a", "kind": "double"}])"), HasSubstr("double"));
  EXPECT_THAT(with(R"([{"name": "a", "kind": "int64", "default": "x"}])"), HasSubstr("default"));
  EXPECT_THAT(with(R"([{"name": "a", "kind": "int64", "shape": [-1]}])"), HasSubstr("extent"));
  EXPECT_THAT(with(R"([{"name": "a", "kind": "int64", "shape": [1,1,1,1,1,1,1,1,1]}])"),
              HasSubstr("at most"));
}

}  // namespace
}  // namespace forebay::operators
