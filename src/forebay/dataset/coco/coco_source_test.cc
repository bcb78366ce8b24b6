#include "forebay/dataset/coco/coco_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset/coco/coco_annotations.h"
#include "forebay/dataset/coco/mask_runs.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MemorySet;

const std::string kImages =
    R"([{"id": 7, "file_name": "b.jpg", "width": 4, "height": 3, "license": {"x": [1, {}]}},
                                {"id": 3, "file_name": "a \"\u00e9\n.jpg", "width": 8, "height": 9}])";
const std::string kCategories = R"([{"id": 18, "keypoints": ["nose", "eye"]}, {"name": "x", "id": 4}])";

/// A file of annotations with these objects.
std::string coco(const std::string& objects) {
  return R"({"info": null, "images": )" + kImages + R"(, "annotations": [)" + objects +
         R"(], "categories": )" + kCategories + "}";
}

std::string object(const std::string& more, const std::string& box = "[1, 1, 2, 1.5]") {
  return R"({"image_id": 7, "category_id": 4, "bbox": )" + box + (more.empty() ? "" : ", " + more) + "}";
}

template <class T>
std::vector<T> numbers(const tensor::Tensor& tensor) {
  const auto span = tensor.view().span<T>();
  return {span.begin(), span.end()};
}

class CocoSourceTest : public ::testing::Test {
 protected:
  CocoSourceTest() {
    set_.put("pictures/b.jpg", "picture b");
    set_.put("pictures/a \"\u00e9\n.jpg", "picture a");
    options_.registry = &set_.registry;
    options_.file_root = "mem://set/pictures";
  }

  Result<std::shared_ptr<Source>> make(const std::string& annotations) {
    options_.annotations_file = set_.put("annotations.json", annotations);
    return make_coco_source(options_);
  }

  /// The fields of sample `index`.
  std::vector<tensor::Tensor> read(const std::string& annotations, int64_t index) {
    const Result<std::shared_ptr<Source>> source = make(annotations);
    EXPECT_TRUE(source.ok()) << source.status();
    if (!source.ok()) {
      return std::vector<tensor::Tensor>(6);
    }
    const Result<Record> record = read_now(**source, index);
    EXPECT_TRUE(record.ok()) << record.status();
    return record.ok() ? record->fields : std::vector<tensor::Tensor>(6);
  }

  std::string error(const std::string& annotations) {
    const Status status = make(annotations).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(message(status)), HasSubstr("annotations.json"));
    return std::string(message(status));
  }

  MemorySet set_;
  CocoSourceOptions options_;
};

TEST_F(CocoSourceTest, OrdersImagesByTheirIds) {
  const std::string annotations = coco(object("") + ", " + object("", "[0, 0, 4, 3]"));
  const Result<std::shared_ptr<Source>> source = make(annotations);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->size(), 2);
  EXPECT_EQ((*source)->num_fields(), 3);
  const Record first = *read_now(**source, 0);
  EXPECT_EQ(testing::text_of(first.fields[0]), "picture a");
  EXPECT_EQ(first.fields[1].shape(), (tensor::Shape{0, 4}));
  EXPECT_EQ(first.fields[2].shape(), (tensor::Shape{0}));
  const Record second = *read_now(**source, 1);
  EXPECT_EQ(testing::text_of(second.fields[0]), "picture b");
  EXPECT_THAT(numbers<float>(second.fields[1]), ElementsAre(1, 1, 2, 1.5f, 0, 0, 4, 3));
  EXPECT_THAT(numbers<int32_t>(second.fields[2]), ElementsAre(2, 2));
  testing::expect_plans_of_what_is_read(**source, *set_.store);
}

TEST_F(CocoSourceTest, TakesImagesByName) {
  options_.images = {"b.jpg", "nowhere.jpg", "b.jpg"};
  options_.image_ids = true;
  const Result<std::shared_ptr<Source>> source = make(coco(""));
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->size(), 2);
  EXPECT_THAT(numbers<int32_t>(read_now(**source, 1)->fields[3]), ElementsAre(7));
  options_.images = {"nowhere.jpg"};
  EXPECT_EQ(make(coco("")).status().code(), StatusCode::kNotFound);
}

TEST_F(CocoSourceTest, LeavesObjectsOut) {
  const std::string objects =
      object(R"("iscrowd": 1)") + ", " + object("", "[0, 0, 0.05, 3]") + ", " +
      R"({"image_id": 7, "category_id": 18, "bbox": [0, 0, 2, 2]}, )" +
      R"({"image_id": 4711, "category_id": 18, "bbox": [0, 0, 2, 2]}, {"caption": "x"})";
  EXPECT_THAT(numbers<int32_t>(read(coco(objects), 1)[2]), ElementsAre(2, 1));
  options_.include_iscrowd = false;
  options_.skip_empty = true;
  options_.avoid_class_remapping = true;
  EXPECT_THAT(numbers<int32_t>(read(coco(objects), 0)[2]), ElementsAre(18));
}

TEST_F(CocoSourceTest, GivesPolygons) {
  const std::string objects = object(R"("segmentation": [[0, 0, 2, 0, 2, 3], [1, 1, 3, 1, 3, 2, 1, 2]])") +
                              ", " +
                              object(R"("segmentation": {"size": [3, 4], "counts": "not looked at"})") +
                              ", " + object(R"("segmentation": [[4, 0, 4, 3, 1, 1.5]])");
  options_.polygon_masks = true;
  options_.ratio = true;
  options_.ltrb = true;
  const std::vector<tensor::Tensor> fields = read(coco(objects), 1);
  EXPECT_THAT(numbers<float>(fields[1]), ::testing::Contains(0.75f));
  EXPECT_THAT(numbers<int32_t>(fields[3]), ElementsAre(0, 0, 3, 0, 3, 7, 2, 7, 10));
  EXPECT_EQ(fields[4].shape(), (tensor::Shape{10, 2}));
  EXPECT_EQ(numbers<float>(fields[4])[19], 0.5f);
  options_.masks = true;
  EXPECT_THAT(numbers<int32_t>(read(coco(objects), 1)[3]), ElementsAre(0, 0, 6, 0, 6, 14, 2, 14, 20));
}

TEST_F(CocoSourceTest, PaintsMasks) {
  const std::string objects = object(R"("segmentation": {"counts": [4, 5, 3], "size": [3, 4]})") + ", " +
                              R"({"image_id": 7, "category_id": 18, "bbox": [0, 0, 2, 2],)" +
                              R"( "segmentation": [[0, 0, 2, 0, 2, 3, 0, 3]]})";
  options_.pixelwise_masks = true;
  options_.ratio = true;  // which is for numbers, not for masks
  const tensor::Tensor mask = read(coco(objects), 1)[3];
  EXPECT_EQ(mask.spec(), (tensor::TensorSpec{{3, 4, 1}, tensor::DType::kInt32, "HWC"}));
  EXPECT_THAT(numbers<int32_t>(mask), ElementsAre(1, 1, 2, 0, 1, 2, 2, 0, 1, 2, 2, 0));
  EXPECT_THAT(numbers<int32_t>(read(coco(objects), 0)[3]), ::testing::Each(0));
}

TEST_F(CocoSourceTest, GivesKeypoints) {
  options_.keypoints = true;
  options_.ratio = true;
  const std::string objects =
      object(R"("keypoints": [2, 1.5, 1, 4, 3, 2])") + ", " + object(R"("keypoints": [1, 3, 2])");
  const tensor::Tensor keypoints = read(coco(objects), 1)[3];
  EXPECT_EQ(keypoints.shape(), (tensor::Shape{2, 2, 3}));
  EXPECT_THAT(numbers<float>(keypoints), ElementsAre(0.5f, 0.5f, 1, 1, 1, 2, 0.25f, 1, 2, 0, 0, 0));
}

TEST_F(CocoSourceTest, SaysWhatIsWrongAndWhere) {
  options_.pixelwise_masks = true;
  options_.keypoints = true;
  EXPECT_THAT(error(""), HasSubstr("JSON"));
  EXPECT_THAT(error(R"({"images": [{"id": 1,)"), HasSubstr("at byte 21"));
  EXPECT_THAT(error("{\"images\": [{\"file_name\": \"\xff\"}]}"), HasSubstr("JSON"));
  EXPECT_THAT(error(coco("") + "x"), HasSubstr("JSON"));
  EXPECT_THAT(error("3"), HasSubstr("single value"));
  EXPECT_THAT(error("[]"), HasSubstr("list"));
  EXPECT_THAT(error(R"({"images": {}})"), HasSubstr("`images` is an object"));
  EXPECT_THAT(error(R"({"images": 3})"), HasSubstr("`images` is no list"));
  EXPECT_THAT(error(R"({"images": [3]})"), HasSubstr("elements are objects"));
  EXPECT_THAT(error(R"({"images": [[]]})"), HasSubstr("elements are objects"));
  EXPECT_THAT(error(R"({"images": [{"id": 3}]})"), HasSubstr("`file_name`"));
  EXPECT_THAT(error(R"({"images": [{"file_name": "x"}]})"), HasSubstr("`id`"));
  EXPECT_THAT(error(R"({"images": [{"id": 1.5, "file_name": "x"}]})"), HasSubstr("whole number"));
  EXPECT_THAT(error(R"({"images": [{"id": 1, "file_name": "x", "width": -3}]})"), HasSubstr("whole number"));
  EXPECT_THAT(error(R"({"images": [{"id": 1, "file_name": "x"}]})"), HasSubstr("`width`"));
  EXPECT_THAT(error(R"({"images": [{"id": 1, "file_name": "x", "width": 100000, "height": 100000}]})"),
              HasSubstr("too large"));
  EXPECT_THAT(error(R"({"categories": [{"name": "x"}]})"), HasSubstr("category has no `id`"));
  EXPECT_THAT(error(std::string(100, '[')), HasSubstr("list"));
  EXPECT_THAT(error(R"({"x": )" + std::string(100, '[')), HasSubstr("64 deep"));
}

TEST_F(CocoSourceTest, SaysWhatIsWrongWithObjects) {
  options_.pixelwise_masks = true;
  options_.keypoints = true;
  const auto wrong = [this](const std::string& more, const std::string& box = "[1, 1, 2, 2]") {
    return error(coco(object(more, box)));
  };
  EXPECT_THAT(wrong("", "[1, 2, 3]"), HasSubstr("3 numbers"));
  EXPECT_THAT(wrong("", "[1, 2, 3, 4, 5]"), HasSubstr("more than 4"));
  EXPECT_THAT(wrong("", "[1, 2, [3], 4]"), HasSubstr("list stands"));
  EXPECT_THAT(wrong("", "[1, 2, {}, 4]"), HasSubstr("object stands"));
  EXPECT_THAT(wrong("", "[1, 2, \"3\", 4]"), HasSubstr("value stands"));
  EXPECT_THAT(wrong("", "7"), HasSubstr("is a number"));
  EXPECT_THAT(wrong("", "[1, 2, 1e300, 4]"), HasSubstr("too large"));
  EXPECT_THAT(wrong(R"("category_id": 77)"), HasSubstr("category 77"));
  EXPECT_THAT(wrong(R"("category_id": 1e30)"), HasSubstr("whole number"));
  EXPECT_THAT(wrong(R"("keypoints": [1, 2])"), HasSubstr("`keypoints`"));
  EXPECT_THAT(wrong(R"("segmentation": [1, 2, 3, 4])"), HasSubstr("value stands"));
  EXPECT_THAT(wrong(R"("segmentation": [[1, 2, 3]])"), HasSubstr("3 numbers"));
  EXPECT_THAT(wrong(R"("segmentation": [[[1]]])"), HasSubstr("list stands"));
  EXPECT_THAT(wrong(R"("segmentation": {"counts": [12]})"), HasSubstr("`size`"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [3, 4]})"), HasSubstr("`counts`"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [3, 4, 5], "counts": [12]})"), HasSubstr("`size`"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [0, 4], "counts": [12]})"), HasSubstr("whole number"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [90000, 90000], "counts": [12]})"), HasSubstr("more than"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [3, 4], "counts": [5, 8]})"), HasSubstr("longer"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [3, 4], "counts": [5, -1]})"), HasSubstr("whole number"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [3, 4], "counts": "\u0001"})"), HasSubstr("character"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [3, 4], "counts": "P"})"), HasSubstr("within a number"));
  EXPECT_THAT(wrong(R"("segmentation": {"size": [3, 4], "counts": "oooooooooo"})"), HasSubstr("too long"));
}

TEST_F(CocoSourceTest, BreaksOnlyTheSampleOfAMaskThatDoesNotFit) {
  options_.pixelwise_masks = true;
  for (const auto& [mask, what] : {std::pair(R"({"size": [4, 4], "counts": [16]})", "4 x 4"),
                                   std::pair("[[0, 0, 4, 0, 4, 300]]", "far outside")}) {
    const auto source = make(coco(object(std::string(R"("segmentation": )") + mask)));
    ASSERT_TRUE(source.ok()) << source.status();
    const Status status = read_now(**source, 1).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_THAT(std::string(message(status)), HasSubstr(what));
    EXPECT_TRUE(read_now(**source, 0).ok());
  }
}

TEST_F(CocoSourceTest, HandsOnWhatTheStoreSays) {
  ASSERT_TRUE(make(coco("")).ok());
  set_.store->fail_reads("annotations.json", unavailable("the wire is cut"), 1);
  const Status cut = make_coco_source(options_).status();
  EXPECT_EQ(cut.code(), StatusCode::kUnavailable) << cut;
  options_.annotations_file = "mem://set/nowhere.json";
  EXPECT_EQ(make_coco_source(options_).status().code(), StatusCode::kNotFound);
  options_.annotations_file = "";
  EXPECT_EQ(make_coco_source(options_).status().code(), StatusCode::kInvalidArgument);
}

TEST(MaskRuns, PaintDownTheColumns) {
  std::vector<int32_t> mask(12);
  MaskPainter painter(mask.data(), 3, 4);
  const std::vector<uint32_t> runs{1, 4, 6, 1};
  painter.paint_runs(runs, 5);
  EXPECT_THAT(mask, ElementsAre(0, 5, 0, 0, 5, 5, 0, 0, 5, 0, 0, 5));
}

TEST(MaskRuns, UnpackNegativeDifferences) {
  std::vector<uint32_t> runs{9};  // what was there before does not count
  // 4, 5, 3, 5 - 5 = 0, 3 + 100 = 103: the fourth is a difference, so is the fifth.
  ASSERT_TRUE(unpack_runs("453KT3", 1000, &runs).ok());
  EXPECT_THAT(runs, ElementsAre(9, 4, 5, 3, 0, 103));
  EXPECT_FALSE(unpack_runs("K", 1000, &runs).ok());
  EXPECT_FALSE(unpack_runs("453KT3", 100, &runs).ok());
}

}  // namespace
}  // namespace forebay::dataset
