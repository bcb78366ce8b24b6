#include "forebay/dataset/coco/preprocessed_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/preprocessed_files.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::dataset {
namespace {

using testing::FilesOfLists;
using ::testing::HasSubstr;
using testing::kListFiles;
using testing::MemorySet;

// Two pictures with objects and one without; polygons of two objects, and the runs of one.
constexpr const char* kSmallAnnotations =
    R"({"images": [{"id": 7, "file_name": "b.jpg", "width": 4, "height": 3},
                   {"id": 3, "file_name": "a.jpg", "width": 8, "height": 9},
                   {"id": 9, "file_name": "sub/c d.jpg", "width": 4, "height": 3}],
        "categories": [{"id": 18}, {"id": 4}],
        "annotations": [
          {"image_id": 7, "category_id": 4, "bbox": [1, 1, 2, 1.5],
           "segmentation": [[0, 0, 2, 0, 2, 3], [1, 1, 3, 1, 3, 2, 1, 2]]},
          {"image_id": 9, "category_id": 18, "bbox": [0, 0, 4, 3], "iscrowd": 1,
           "segmentation": {"size": [3, 4], "counts": [4, 5, 3]}},
          {"image_id": 7, "category_id": 18, "bbox": [0, 0, 2, 2], "segmentation": [[1, 0, 3, 0, 3, 3]]},
          {"image_id": 9, "category_id": 4, "bbox": [1, 1, 1, 1], "segmentation": [[0, 0, 1, 0, 1, 2]]}]})";

template <class T>
std::string list_bytes(const std::vector<T>& numbers, size_t of_element = 1) {
  const auto count = static_cast<uint32_t>(numbers.size() / of_element);
  std::string bytes(sizeof(count) + numbers.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), &count, sizeof(count));
  if (!numbers.empty()) {
    std::memcpy(bytes.data() + sizeof(count), numbers.data(), numbers.size() * sizeof(T));
  }
  return bytes;
}

std::string mask_bytes(const std::vector<std::vector<uint32_t>>& runs, uint64_t height, uint64_t width) {
  std::string bytes = list_bytes<uint32_t>({});
  bytes[0] = static_cast<char>(runs.size());
  for (const std::vector<uint32_t>& of_mask : runs) {
    bytes += list_bytes<uint64_t>({height, width, of_mask.size()}).substr(4) + list_bytes(of_mask).substr(4);
  }
  return bytes;
}

/// Has room for so many more objects.
class FillingStore final : public storage::ForwardingStore {
 public:
  explicit FillingStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void write(std::string key, Bytes content, storage::WriteOptions options,
             const storage::CallContext& context, storage::StatCallback done) override {
    if (room == 0) {
      done(resource_exhausted("{}: no room", uri_of(key)));
      return;
    }
    --room;
    ForwardingStore::write(std::move(key), content, std::move(options), context, std::move(done));
  }

  int room = 0;
};

class PreprocessedSetTest : public ::testing::Test {
 protected:
  PreprocessedSetTest() {
    for (const char* name : {"b.jpg", "a.jpg", "sub/c d.jpg"}) {
      set_.put(std::string("pictures/") + name, std::string("picture ") + name);
    }
    parsed_.registry = &set_.registry;
    parsed_.file_root = "mem://set/pictures";
    parsed_.annotations_file = set_.put("annotations.json", kSmallAnnotations);
  }

  Status save(const std::string& folder = "mem://set/saved") {
    CocoSourceOptions saving = parsed_;
    saving.save_preprocessed_annotations = true;
    saving.save_preprocessed_annotations_dir = folder;
    return make_coco_source(saving).status();
  }

  /// Saves the annotations and reads the set of the options once more, from what was saved.
  Result<std::shared_ptr<Source>> saved_and_read() {
    FOREBAY_RETURN_IF_ERROR(save());
    return make_coco_source(reading());
  }

  CocoSourceOptions reading() const {
    CocoSourceOptions options;
    options.registry = &set_.registry;
    options.file_root = parsed_.file_root;
    options.preprocessed_annotations = "mem://set/saved";
    options.polygon_masks = parsed_.polygon_masks;
    options.masks = parsed_.masks;
    options.pixelwise_masks = parsed_.pixelwise_masks;
    options.image_ids = parsed_.image_ids;
    return options;
  }

  void expect_the_same() {
    const Result<std::shared_ptr<Source>> expected = make_coco_source(parsed_);
    const Result<std::shared_ptr<Source>> read = saved_and_read();
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ((*read)->size(), (*expected)->size());
    ASSERT_EQ((*read)->num_fields(), (*expected)->num_fields());
    for (int64_t index = 0; index < (*read)->size(); ++index) {
      const Record one = *read_now(**read, index);
      const Record other = *read_now(**expected, index);
      for (size_t field = 0; field < one.fields.size(); ++field) {
        EXPECT_EQ(one.fields[field].spec(), other.fields[field].spec());
        EXPECT_EQ(testing::text_of(one.fields[field]), testing::text_of(other.fields[field]))
            << "sample " << index << ", field " << field;
      }
    }
  }

  FilesOfLists saved_files() {
    FilesOfLists files;
    for (const std::string_view name : kListFiles) {
      const auto read = storage::read_now(*set_.store, {.key = "saved/" + std::string(name)});
      if (read.ok()) {
        files[std::string(name)] = {reinterpret_cast<const char*>(read->bytes.data()), read->bytes.size()};
      }
    }
    return files;
  }

  /// What reading says when one of the files holds something else.
  std::string error(const std::string& file, const std::string& content) {
    const FilesOfLists before = saved_files();
    set_.put("saved/" + file, content);
    const Status status = make_coco_source(reading()).status();
    set_.put("saved/" + file, before.at(file));
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(message(status)), HasSubstr("mem://set/saved/"));
    EXPECT_THAT(std::string(message(status)), HasSubstr("at byte "));
    return std::string(message(status));
  }

  MemorySet set_;
  CocoSourceOptions parsed_;
};

TEST_F(PreprocessedSetTest, GivesWhatAnnotationsGave) {
  expect_the_same();
  parsed_.image_ids = true;
  parsed_.polygon_masks = true;
  expect_the_same();
  parsed_.ltrb = true;
  parsed_.ratio = true;
  parsed_.skip_empty = true;
  expect_the_same();
  parsed_.masks = true;
  parsed_.polygon_masks = false;
  parsed_.avoid_class_remapping = true;
  expect_the_same();
  parsed_.masks = false;
  parsed_.ratio = false;
  parsed_.pixelwise_masks = true;
  parsed_.skip_empty = false;
  expect_the_same();
  parsed_.images = {"sub/c d.jpg", "b.jpg", "sub/c d.jpg"};
  expect_the_same();
}

TEST_F(PreprocessedSetTest, WritesFilesAsDaliDoes) {
  parsed_.pixelwise_masks = true;
  parsed_.image_ids = true;
  ASSERT_TRUE(saved_and_read().ok());
  const FilesOfLists expected{
      {"offsets.dat", list_bytes<int32_t>({0, 0, 2})},
      {"counts.dat", list_bytes<int32_t>({0, 2, 2})},
      {"boxes.dat", list_bytes<float>({1, 1, 2, 1.5f, 0, 0, 2, 2, 0, 0, 4, 3, 1, 1, 1, 1})},
      {"labels.dat", list_bytes<int32_t>({2, 1, 1, 2})},
      {"filenames.dat", "a.jpg\nb.jpg\nsub/c d.jpg\n"},
      {"polygon_data.dat", list_bytes<int32_t>({0, 0, 3, 0, 3, 7, 1, 7, 10, 1, 0, 3}, 3)},
      {"polygon_offset.dat", list_bytes<int64_t>({0, 0, 3})},
      {"polygons_count.dat", list_bytes<int64_t>({0, 3, 1})},
      {"vertices.dat",
       list_bytes<float>({0, 0, 2, 0, 2, 3, 1, 1, 3, 1, 3, 2, 1, 2, 1, 0, 3, 0, 3, 3, 0, 0, 1, 0, 1, 2}, 2)},
      {"vertices_offset.dat", list_bytes<int64_t>({0, 0, 10})},
      {"vertices_count.dat", list_bytes<int64_t>({0, 10, 3})},
      {"masks_rles.dat", mask_bytes({{4, 5, 3}}, 3, 4)},
      {"masks_rles_idx.dat", list_bytes<int32_t>({0})},
      {"masks_offset.dat", list_bytes<int64_t>({0, 0, 0})},
      {"mask_count.dat", list_bytes<int64_t>({0, 0, 1})},
      {"heights.dat", list_bytes<int32_t>({9, 3, 3})},
      {"widths.dat", list_bytes<int32_t>({8, 4, 4})},
      {"original_ids.dat", list_bytes<int32_t>({3, 7, 9})}};
  EXPECT_EQ(saved_files(), expected);
  expect_seeds("preprocessed_fuzzer", "masks", testing::packed_files(expected));
}

TEST_F(PreprocessedSetTest, TakesAnEmptyListForOneWithoutAFile) {
  parsed_.pixelwise_masks = true;
  parsed_.images = {"a.jpg"};
  ASSERT_TRUE(saved_and_read().ok());
  for (const char* file : {"boxes", "labels", "polygon_data", "vertices", "masks_rles", "masks_rles_idx"}) {
    EXPECT_EQ(saved_files().at(std::string(file) + ".dat"), std::string(4, '\0'));
    ASSERT_TRUE(storage::remove_now(*set_.store, "saved/" + std::string(file) + ".dat").ok());
  }
  const auto read = make_coco_source(reading());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read_now(**read, 0)->fields[1].shape(), (tensor::Shape{0, 4}));
}

TEST_F(PreprocessedSetTest, SaysWhatWasNotSaved) {
  ASSERT_TRUE(saved_and_read().ok());
  CocoSourceOptions options = reading();
  const auto missing = [&options] {
    const Status status = make_coco_source(options).status();
    EXPECT_EQ(status.code(), StatusCode::kNotFound) << status;
    return std::string(message(status));
  };
  options.image_ids = true;
  EXPECT_THAT(missing(), HasSubstr("mem://set/saved/original_ids.dat"));
  EXPECT_THAT(missing(), HasSubstr("saved without image_ids"));
  options.polygon_masks = true;
  EXPECT_THAT(missing(), HasSubstr("saved without polygon_masks"));
  options.preprocessed_annotations = "mem://set/nowhere";
  EXPECT_THAT(missing(), HasSubstr("mem://set/nowhere/offsets.dat"));
  set_.store->fail_reads("saved/boxes.dat", unavailable("the wire is cut"), 1);
  EXPECT_EQ(make_coco_source(reading()).status().code(), StatusCode::kUnavailable);
}

TEST_F(PreprocessedSetTest, WhatWasNotSavedToTheEndIsNotRead) {
  const auto filling = std::make_shared<FillingStore>(set_.store);
  set_.registry.mount("mem://filling/", filling);
  parsed_.pixelwise_masks = true;
  parsed_.image_ids = true;
  for (int room = 0; room < static_cast<int>(kListFiles.size()); ++room) {
    set_.put("annotations.json", kSmallAnnotations);
    ASSERT_TRUE(save().ok());
    set_.put("annotations.json",
             absl::StrReplaceAll(kSmallAnnotations, {{"\"image_id\": 7", "\"image_id\": 3"}}));
    filling->room = room;
    EXPECT_EQ(save("mem://filling/saved").code(), StatusCode::kResourceExhausted);
    const Status status = make_coco_source(reading()).status();
    EXPECT_EQ(status.code(), StatusCode::kNotFound) << room;
    EXPECT_THAT(std::string(message(status)), HasSubstr("mem://set/saved/filenames.dat")) << room;
  }
}

TEST_F(PreprocessedSetTest, NoListOfAnotherSetStays) {
  parsed_.pixelwise_masks = true;
  parsed_.image_ids = true;
  ASSERT_TRUE(save().ok());
  CocoSourceOptions with_ids = reading();
  with_ids.pixelwise_masks = false;
  parsed_.pixelwise_masks = false;
  parsed_.image_ids = false;
  ASSERT_TRUE(save().ok());
  EXPECT_EQ(saved_files().size(), 5);
  const Status status = make_coco_source(with_ids).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(message(status)), HasSubstr("saved without image_ids"));
}

TEST_F(PreprocessedSetTest, ANameThatCannotBeSavedChangesNothing) {
  ASSERT_TRUE(save().ok());
  const FilesOfLists before = saved_files();
  set_.put("annotations.json", R"({"images": [{"id": 7, "file_name": "two\nlines.jpg"}]})");
  EXPECT_EQ(save().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(saved_files(), before);
  PreprocessedLists lists;
  lists.names = {"a.jpg", ""};
  const auto no_write = [](std::string_view file, Bytes) { return internal_error("{} is written", file); };
  const auto no_removal = [](std::string_view file) { return internal_error("{} is removed", file); };
  const Status status = write_preprocessed_lists(lists, {}, no_write, no_removal);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
}

TEST_F(PreprocessedSetTest, AListOfNothingIsNotOneOfEverySample) {
  parsed_.pixelwise_masks = true;
  parsed_.image_ids = true;
  ASSERT_TRUE(save().ok());
  for (const char* file : {"original_ids.dat", "heights.dat", "polygon_offset.dat", "masks_offset.dat"}) {
    EXPECT_THAT(error(file, std::string(4, '\0')), HasSubstr("0 elements, but filenames.dat has 3 names"));
  }
}

TEST_F(PreprocessedSetTest, SaysWhichListIsBroken) {
  parsed_.pixelwise_masks = true;
  parsed_.image_ids = true;
  ASSERT_TRUE(saved_and_read().ok());
  EXPECT_THAT(error("offsets.dat", ""), HasSubstr("0 bytes"));
  EXPECT_THAT(error("labels.dat", std::string(4, '\xff')), HasSubstr("4294967295 elements"));
  EXPECT_THAT(error("labels.dat", list_bytes<int32_t>({2, 1, 1, 2}).substr(0, 19)),
              HasSubstr("15 are there"));
  EXPECT_THAT(error("labels.dat", list_bytes<int32_t>({2, 1, 1})),
              HasSubstr("4 boxes, but labels.dat has 3"));
  EXPECT_THAT(error("filenames.dat", "a.jpg\n\nc.jpg\n"), HasSubstr("without a name, at byte 6"));
  EXPECT_THAT(error("filenames.dat", "a.jpg\nb.jpg\n"), HasSubstr("3 elements, but filenames.dat has 2"));
  EXPECT_THAT(error("offsets.dat", list_bytes<int32_t>({0, 1, 2})), HasSubstr("sample 1 begins at 1"));
  EXPECT_THAT(error("offsets.dat", list_bytes<int32_t>({-1, 0, 2})), HasSubstr("at byte 4"));
  EXPECT_THAT(error("counts.dat", list_bytes<int32_t>({0, 2, 3})),
              HasSubstr("of which 2 are left, at byte 12"));
  EXPECT_THAT(error("counts.dat", list_bytes<int32_t>({-1, 2, 2})), HasSubstr("sample 0 has -1"));
  EXPECT_THAT(error("counts.dat", list_bytes<int32_t>({0, 2, 1})), HasSubstr("have 3 of the 4"));
  EXPECT_THAT(error("original_ids.dat", list_bytes<int32_t>({1})), HasSubstr("1 elements"));
  EXPECT_THAT(error("widths.dat", list_bytes<int32_t>({8, -4, 4})), HasSubstr("sample 1 is -4 x 3"));
}

TEST_F(PreprocessedSetTest, SaysWhichMaskIsBroken) {
  parsed_.pixelwise_masks = true;
  ASSERT_TRUE(saved_and_read().ok());
  const auto polygons = [this](std::vector<int32_t> rows) {
    return error("polygon_data.dat", list_bytes<int32_t>(rows, 3));
  };
  EXPECT_THAT(polygons({0, 0, 3, 0, 3, 7, 2, 7, 10, 1, 0, 3}), HasSubstr("polygon 2 is of object 2"));
  EXPECT_THAT(polygons({1, 0, 3, 0, 3, 7, 1, 7, 10, 1, 0, 3}), HasSubstr("at byte 16"));
  EXPECT_THAT(polygons({0, 1, 3, 0, 3, 7, 1, 7, 10, 1, 0, 3}), HasSubstr("vertices 1 to 3"));
  EXPECT_THAT(polygons({0, 0, 3, 0, 3, 2, 1, 2, 10, 1, 0, 3}), HasSubstr("vertices 3 to 2"));
  EXPECT_THAT(polygons({0, 0, 3, 0, 3, 7, 1, 7, 11, 1, 0, 3}), HasSubstr("10 vertices"));
  EXPECT_THAT(polygons({0, 0, 3, 0, 3, 7, 1, 7, 9, 1, 0, 3}), HasSubstr("its polygons 9"));
  EXPECT_THAT(polygons({0, 0, 3, -1, 3, 7, 1, 7, 10, 1, 0, 3}), HasSubstr("object -1"));
  EXPECT_THAT(error("masks_rles.dat", mask_bytes({{4, 5, 4}}, 3, 4)), HasSubstr("longer"));
  EXPECT_THAT(error("masks_rles.dat", mask_bytes({{4, 5, 3}}, 0, 4)), HasSubstr("4 x 0"));
  EXPECT_THAT(error("masks_rles.dat", mask_bytes({{4, 5, 3}}, 3, 1 << 30)), HasSubstr("1073741824 x 3"));
  EXPECT_THAT(error("masks_rles.dat", mask_bytes({{}}, 3, 4)), HasSubstr("has 0 runs"));
  EXPECT_THAT(error("masks_rles.dat", mask_bytes({{4, 5, 3}}, 3, 4).substr(0, 36)),
              HasSubstr("8 bytes follow"));
  EXPECT_THAT(error("masks_rles.dat", mask_bytes({{4, 5, 3}}, 3, 4).substr(0, 20)),
              HasSubstr("ends within mask 0"));
  EXPECT_THAT(error("masks_rles.dat", mask_bytes({{4, 5, 3}}, 3, 4) + "x"),
              HasSubstr("follow the last of 1"));
  EXPECT_THAT(error("masks_rles_idx.dat", list_bytes<int32_t>({2})), HasSubstr("mask 0 is of object 2"));
  EXPECT_THAT(error("masks_rles_idx.dat", list_bytes<int32_t>({0, 1})), HasSubstr("2 objects"));
}

TEST_F(PreprocessedSetTest, RefusesWhatWasFixedWhenItWasSaved) {
  ASSERT_TRUE(saved_and_read().ok());
  const auto refused = [this](auto change) {
    CocoSourceOptions options = reading();
    change(options);
    const Status status = check(options);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    return std::string(message(status));
  };
  EXPECT_THAT(refused([](auto& options) { options.ltrb = true; }), HasSubstr("`ltrb`"));
  EXPECT_THAT(refused([](auto& options) { options.ratio = true; }), HasSubstr("`ratio`"));
  EXPECT_THAT(refused([](auto& options) { options.skip_empty = true; }), HasSubstr("`skip_empty`"));
  EXPECT_THAT(refused([](auto& options) { options.size_threshold = 3; }), HasSubstr("`size_threshold`"));
  EXPECT_THAT(refused([](auto& options) { options.images = {"a.jpg"}; }), HasSubstr("`images`"));
  EXPECT_THAT(refused([](auto& options) { options.keypoints = true; }), HasSubstr("`keypoints`"));
  EXPECT_THAT(refused([](auto& options) { options.annotations_file = "x"; }),
              HasSubstr("`annotations_file`"));
}

TEST_F(PreprocessedSetTest, RefusesToSaveWhatCannotBeRead) {
  const auto refused = [this](auto change) {
    CocoSourceOptions options = parsed_;
    options.save_preprocessed_annotations = true;
    options.save_preprocessed_annotations_dir = "mem://set/refused";
    change(options);
    const Status status = make_coco_source(options).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    return std::string(message(status));
  };
  EXPECT_THAT(refused([](auto& options) { options.save_preprocessed_annotations_dir = ""; }),
              HasSubstr("belong together"));
  EXPECT_THAT(refused([](auto& options) { options.save_preprocessed_annotations.reset(); }),
              HasSubstr("belong together"));
  EXPECT_THAT(refused([](auto& options) { options.keypoints = true; }), HasSubstr("`keypoints`"));
  EXPECT_THAT(refused([](auto& options) { options.ratio = options.pixelwise_masks = true; }),
              HasSubstr("`ratio`"));
  set_.put("annotations.json", R"({"images": [{"id": 7, "file_name": "two\nlines.jpg"}]})");
  EXPECT_THAT(refused([](auto&) {}), HasSubstr("line break"));
}

}  // namespace
}  // namespace forebay::dataset
