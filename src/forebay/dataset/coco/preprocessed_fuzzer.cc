// Takes arbitrary bytes as the files of preprocessed annotations, makes samples of what is found, and writes
// the files anew.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/coco/coco_fields.h"
#include "forebay/dataset/coco/preprocessed_set.h"
#include "forebay/dataset/testing/preprocessed_files.h"

using namespace forebay;

namespace {

constexpr int64_t kMaxPainted = 1 << 12;

void make_samples(const dataset::CocoSet& set, dataset::CocoSourceOptions options) {
  for (const dataset::CocoImage& image : set.annotations.images) {
    if (options.pixelwise_masks && (image.width == 0 || image.height > kMaxPainted / image.width)) {
      return;
    }
  }
  const dataset::CocoFields fields(set.annotations, options);
  for (const size_t image : set.images) {
    std::vector<tensor::Tensor> made;
    const Status status = fields.add(set.annotations.images[image], set.objects[image], &made);
    FOREBAY_CHECK(status.ok() || options.pixelwise_masks);
  }
}

void read(const dataset::testing::FilesOfLists& files, const dataset::CocoSourceOptions& options) {
  const dataset::PreprocessedParts parts = dataset::parts_of(options);
  Result<dataset::PreprocessedLists> lists =
      dataset::read_preprocessed_lists(dataset::testing::opener_of(files), "fuzz", parts);
  if (!lists.ok()) {
    FOREBAY_CHECK(!message(lists.status()).empty());
    return;
  }
  const Result<dataset::CocoSet> set = dataset::set_of_lists(*std::move(lists), parts, "fuzz");
  if (!set.ok()) {
    FOREBAY_CHECK(!message(set.status()).empty());
    return;
  }
  make_samples(*set, options);
  const Result<dataset::PreprocessedLists> again = dataset::lists_of_set(*set, options);
  FOREBAY_CHECK(again.ok());
  const auto expect_same = [&files](std::string_view file, Bytes content) {
    const std::string_view written(reinterpret_cast<const char*>(content.data()), content.size());
    if (file == "boxes.dat" || file == "vertices.dat") {
      return ok_status();  // what is no number has many forms
    }
    const auto before = files.find(file);
    const bool is_empty = before == files.end();
    FOREBAY_CHECK(is_empty || before->second == written || before->second + "\n" == written);
    return ok_status();
  };
  const auto pass_over = [](std::string_view) { return ok_status(); };
  FOREBAY_CHECK(dataset::write_preprocessed_lists(*again, parts, expect_same, pass_over).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto files = dataset::testing::unpacked_files({reinterpret_cast<const char*>(data), size});
  dataset::CocoSourceOptions options;
  read(files, options);
  options.image_ids = true;
  options.polygon_masks = true;
  read(files, options);
  options.polygon_masks = false;
  options.pixelwise_masks = true;
  read(files, options);
  return 0;
}
