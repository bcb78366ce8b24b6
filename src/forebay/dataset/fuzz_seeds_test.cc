// Seeds of the fuzzers of records, archives, arrays and annotations: what the tests' makers make, in
// tests/fuzz.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/dataset/testing/array_files.h"
#include "forebay/dataset/testing/key_value_files.h"
#include "forebay/dataset/testing/record_files.h"

namespace forebay::dataset {
namespace {

using testing::bytes_field;
using testing::example;
using testing::float_feature;
using testing::int64_feature;
using testing::npy_file;
using testing::recordio_part_of;
using testing::string_feature;
using testing::tar_archive;
using testing::tar_member;
using testing::tfrecord;

/// Lengths of runs as COCO's masks have them in text: five bits a character, differences from the third on.
std::string packed_runs(const std::vector<int64_t>& runs) {
  std::string text;
  for (size_t i = 0; i < runs.size(); ++i) {
    int64_t rest = i > 2 ? runs[i] - runs[i - 2] : runs[i];
    for (bool is_last = false; !is_last;) {
      const int64_t bits = rest & 31;
      rest >>= 5;
      is_last = rest == ((bits & 16) != 0 ? -1 : 0);
      text += static_cast<char>('0' + bits + (is_last ? 0 : 32));
    }
  }
  return text;
}

TEST(DatasetFuzzersTest, SeedsOfArchives) {
  const std::string pax =
      "20 comment=whatever\n" + std::to_string(306 + 3) + " path=" + std::string(299, 'p') + "\n";
  expect_seeds("tar_fuzzer", "sample", tar_archive({{"d/x.jpg", "J0"}, {"d/x.cls", "0"}}));
  expect_seed("tar_fuzzer", "samples", tar_archive({{"x.jpg", ""}, {"z.seg.jpg", "S"}, {"z.cls", "2"}}));
  expect_seed("tar_fuzzer", "kinds",
              tar_member("d/", "", '5') + tar_member("l", "", '2') + tar_member("p\0q.txt", "a", '\0') +
                  tar_archive({{".hid", "h"}}));
  expect_seed("tar_fuzzer", "long_name",
              tar_member("././@LongLink", std::string(300, 'n') + std::string(1, '\0'), 'L') +
                  tar_member("short.jpg", "content") + tar_archive({}));
  expect_seed("tar_fuzzer", "pax",
              tar_member("g", "20 comment=whatever\n", 'g') + tar_member("pax", pax, 'x') +
                  tar_member("short.jpg", "12345") + tar_archive({}));
  expect_seed("tar_fuzzer", "index_1.1", "v1.1 2\njpg 512 2 cls 1536 1\r\npng 2560 2 cls 3584 1\n");
  expect_seed("tar_fuzzer", "index_1.2", "v1.2 1\njpg 512 2 d/x.jpg cls 1536 1 d/x.cls\n");
}

TEST(DatasetFuzzersTest, SeedsOfExamples) {
  const std::string features = example({{"a", int64_feature({5, -1, 300})},
                                        {"image/encoded", string_feature({"abc", ""})},
                                        {"", float_feature({1.5F, -2})}});
  const std::string unpacked =
      example({{"a", int64_feature({5, -1}, false)}, {"", float_feature({1.5F}, false)}});
  expect_seeds("example_fuzzer", "features", features);
  expect_seed("example_fuzzer", "unpacked", unpacked);
  expect_seed("example_fuzzer", "twice", features + unpacked);
  expect_seeds("tfrecord_fuzzer", "records", tfrecord(features) + tfrecord("") + tfrecord(unpacked));
  expect_seed("tfrecord_fuzzer", "index", "0 100\n100 16\n116 60\n");
}

TEST(DatasetFuzzersTest, SeedsOfRecordIo) {
  const std::string record = testing::image_record_of(3, "abcde");
  const std::string labels = testing::image_record_of(std::vector<float>{1.5F, -2}, "xyz");
  expect_seeds("recordio_fuzzer", "records", recordio_part_of(record) + recordio_part_of(labels));
  expect_seed("recordio_fuzzer", "parts",
              recordio_part_of(labels, 1) + recordio_part_of("mid", 2) + recordio_part_of("end", 3) +
                  recordio_part_of(record));
  expect_seed("recordio_fuzzer", "index", "0\t0\n1\t40\n7\t92\n");
}

TEST(DatasetFuzzersTest, SeedsOfLmdbAndItsMessages) {
  std::vector<std::pair<std::string, std::string>> items;
  for (int i = 0; i < 40; ++i) {
    items.emplace_back("key " + std::to_string(100 + i), std::string(i == 7 ? 700 : 10 + i, 'v'));
  }
  expect_seed("lmdb_fuzzer", "one_leaf",
              testing::lmdb_file_of({{"a", "1"}, {"b", std::string(3000, '2')}}, 512));
  expect_seed("lmdb_fuzzer", "empty", testing::lmdb_file_of({}, 512));
  constexpr uint32_t kPageBytes = 256;
  const std::string tree = testing::lmdb_file_of(items, kPageBytes);
  expect_seeds("lmdb_fuzzer", "tree", tree);
  expect_seed("lmdb_fuzzer", "tree_without_meta", tree.substr(2 * kPageBytes));

  expect_seeds("datum_fuzzer", "encoded", testing::datum_of("picture", 7));
  expect_seed("datum_fuzzer", "pixels", testing::datum_of_pixels(std::string(12, 'p'), 3, 2, 2, -1));
  expect_seeds("datum_fuzzer", "protos",
               testing::tensor_protos_of({testing::picture_proto("abc"), testing::int32_proto({1, -2}),
                                          testing::float_proto({0.5F, 2, 3, 4})}));
}

TEST(DatasetFuzzersTest, SeedsOfArrays) {
  expect_seeds("npy_fuzzer", "int32", npy_file("'<i4'", "(2, 3)", testing::counted<int32_t>(6)));
  expect_seed("npy_fuzzer", "fortran_2.0",
              npy_file("'<f8'", "(2, 3, 4)", testing::counted<double>(24), true, 2));
  expect_seed("npy_fuzzer", "bytes_3.0",
              npy_file("'|u1'", "(7, 5)", testing::counted<uint8_t>(35), false, 3));
  expect_seed("npy_fuzzer", "scalar", npy_file("'|b1'", "()", "x"));
  expect_seed("npy_fuzzer", "empty", npy_file("'=i8'", "(0, 4)", ""));
  expect_seed("npy_fuzzer", "old_header",
              testing::npy_of_header("{'shape': (3L, 2L), \"fortran_order\": False,'descr':'<u2'}",
                                     testing::counted<uint16_t>(6)));
}

TEST(DatasetFuzzersTest, SeedsOfAnnotations) {
  const std::string images =
      R"("images": [{"id": 7, "file_name": "b.jpg", "width": 4, "height": 3, "x": [{}]},
    {"id": 3, "file_name": "a \"\u00e9\n.jpg", "width": 8, "height": 9}])";
  const std::string categories = R"("categories": [{"id": 18, "keypoints": ["nose", "eye"]}, {"id": 4}])";
  const auto document = [&](const std::string& annotations) {
    return "{\"info\": null, " + images + ", \"annotations\": [" + annotations + "], " + categories + "}";
  };
  const std::string object = R"({"image_id": 7, "category_id": 4, "bbox": [1, 1, 2, 1.5], )";
  expect_seeds("coco_fuzzer", "polygons.json",
               document(object + R"("segmentation": [[0, 0, 2, 0, 2, 3], [1, 1, 3, 1, 3.5, 2, 1, 2]]})"));
  expect_seed("coco_fuzzer", "runs.json",
              document(object + R"("iscrowd": 1, "segmentation": {"counts": [4, 5, 3], "size": [3, 4]}}, )" +
                       object + R"("area": 5, "segmentation": {"size": [3, 4], "counts": "453"}})"));
  expect_seed("coco_fuzzer", "keypoints.json",
              document(R"({"image_id": 3, "category_id": 18, "bbox": [0, 0, 8, 9], "num_keypoints": 1,)"
                       R"( "keypoints": [1, 2, 2, 0, 0, 0], "segmentation": []})"));
  expect_seed("coco_fuzzer", "none.json", document(""));

  expect_seed("mask_runs_fuzzer", "one_run", packed_runs({273}));
  expect_seed("mask_runs_fuzzer", "runs", packed_runs({3, 10, 5, 10, 4, 41, 0, 200}));
  expect_seed("mask_runs_fuzzer", "too_long", packed_runs({100, 73, 101}));
  expect_seed("mask_runs_fuzzer", "polygon", {40, 40, 120, 40, 120, 90, 60, 95, 20, 60});
}

}  // namespace
}  // namespace forebay::dataset
