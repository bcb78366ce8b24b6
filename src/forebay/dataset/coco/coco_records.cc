// What becomes of the numbers of a record, and of the record when it is whole.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "forebay/dataset/coco/coco_handler.h"
#include "forebay/dataset/coco/mask_runs.h"

namespace forebay::dataset {
namespace {

constexpr size_t kMaxKept = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxExtent = std::numeric_limits<int32_t>::max();
constexpr int64_t kLeastInt32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

}  // namespace

bool CocoHandler::set_whole(int64_t whole, int64_t low, int64_t high, int64_t* target) {
  if (whole == kNotWhole || whole < low || whole > high) {
    return fail("a number of `{}` is no whole number from {} to {}", section_name(), low, high);
  }
  *target = whole;
  return true;
}

bool CocoHandler::number_of_record(int64_t whole) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  switch (field_) {
    case Field::kId:
      return section_ == Section::kCategories ? set_whole(whole, kLeastInt32, kMaxInt32, &id_)
                                              : set_whole(whole, -kMost, kMost, &id_);
    case Field::kWidth:
      return set_whole(whole, 0, kMaxExtent, &image_.width);
    case Field::kHeight:
      return set_whole(whole, 0, kMaxExtent, &image_.height);
    case Field::kImageId:
      return set_whole(whole, -kMost, kMost, &image_id_);
    case Field::kCategoryId:
      return set_whole(whole, kLeastInt32, kMaxInt32, &category_);
    case Field::kCrowd:
      return set_whole(whole, 0, kMaxInt32, &crowd_);
    case Field::kBox:
      return fail("a `bbox` is a number, not a list of 4");
    default:
      return true;
  }
}

bool CocoHandler::number_of_list(double value, int64_t whole) {
  const auto real = static_cast<float>(value);
  if (!std::isfinite(real)) {
    return fail("the number {} is too large", value);
  }
  if (depth_ == 4 && field_ == Field::kBox) {
    list_.push_back(value);
    return list_.size() <= 4 || fail("a `bbox` has more than 4 numbers");
  }
  if (depth_ == 4 && field_ == Field::kKeypoints) {
    out_.keypoints.push_back(real);
    return true;
  }
  if (depth_ == 5 && !is_runs_) {
    out_.coordinates.push_back(real);
    return true;
  }
  if (depth_ == 5 && runs_field_ == RunsField::kSize) {
    int64_t extent = 0;
    if (!set_whole(whole, 1, kMaxExtent, &extent)) {
      return false;
    }
    list_.push_back(value);
    return list_.size() <= 2 || fail("the `size` of a mask has more than 2 numbers");
  }
  if (depth_ == 5 && runs_field_ == RunsField::kCounts) {
    int64_t count = 0;
    if (!set_whole(whole, 0, kMaxMaskPixels, &count)) {
      return false;
    }
    out_.runs.push_back(static_cast<uint32_t>(count));
    return true;
  }
  return scalar();
}

void CocoHandler::begin_record() {
  field_ = Field::kOther;
  image_ = {};
  object_ = {};
  object_.polygons.begin = out_.polygon_ends.size();
  object_.runs.begin = out_.runs.size();
  object_.keypoints.begin = out_.keypoints.size();
  id_ = kNotWhole;
  image_id_ = kNotWhole;
  category_ = kNotWhole;
  crowd_ = 0;
  has_name_ = false;
  is_runs_ = false;
}

bool CocoHandler::end_record() {
  if (out_.images.size() >= kMaxKept || out_.objects.size() >= kMaxKept) {
    return fail("there are more than {} images or objects", kMaxKept);
  }
  switch (section_) {
    case Section::kImages:
      return end_image();
    case Section::kCategories:
      return end_category();
    default:
      return end_annotation();
  }
}

bool CocoHandler::end_image() {
  if (id_ == kNotWhole || !has_name_ || image_.name.empty()) {
    return fail("an image has no {}", id_ == kNotWhole ? "`id`" : "`file_name`");
  }
  image_.id = id_;
  out_.images.push_back(std::move(image_));
  return true;
}

bool CocoHandler::end_category() {
  if (id_ == kNotWhole) {
    return fail("a category has no `id`");
  }
  out_.categories.push_back(static_cast<int32_t>(id_));
  return true;
}

bool CocoHandler::end_annotation() {
  const bool is_large = object_.box[2] >= wants_.size_threshold && object_.box[3] >= wants_.size_threshold;
  if (!is_large || (crowd_ != 0 && !wants_.crowds)) {
    drop_parts();
    return true;
  }
  if (image_id_ == kNotWhole || category_ == kNotWhole) {
    return fail("an annotation has no {}", image_id_ == kNotWhole ? "`image_id`" : "`category_id`");
  }
  object_.image_id = image_id_;
  object_.category = static_cast<int32_t>(category_);
  object_.polygons.end = out_.polygon_ends.size();
  object_.runs.end = out_.runs.size();
  object_.keypoints.end = out_.keypoints.size();
  if (object_.keypoints.size() % 3 != 0) {
    return fail("`keypoints` are {} numbers; each has 3", object_.keypoints.size());
  }
  out_.most_keypoints = std::max(out_.most_keypoints, object_.keypoints.size() / 3);
  out_.objects.push_back(object_);
  return true;
}

void CocoHandler::drop_parts() {
  const size_t polygons = object_.polygons.begin;
  out_.polygon_ends.resize(polygons);
  out_.coordinates.resize(polygons == 0 ? 0 : out_.polygon_ends.back());
  out_.runs.resize(object_.runs.begin);
  out_.keypoints.resize(object_.keypoints.begin);
}

bool CocoHandler::end_polygon() {
  const size_t begin = out_.polygon_ends.empty() ? 0 : out_.polygon_ends.back();
  const size_t count = out_.coordinates.size() - begin;
  if (count % 2 != 0) {
    return fail("a polygon has {} numbers; each of its vertices has 2", count);
  }
  out_.polygon_ends.push_back(out_.coordinates.size());
  return true;
}

bool CocoHandler::end_runs() {
  is_runs_ = false;
  if (list_.size() != 2) {
    return fail("a mask has no `size` of 2 numbers");
  }
  object_.mask_height = static_cast<int64_t>(list_[0]);
  object_.mask_width = static_cast<int64_t>(list_[1]);
  if (object_.mask_height > kMaxMaskPixels / object_.mask_width) {
    return fail("a mask of {} x {} pixels has more than {}", object_.mask_width, object_.mask_height,
                kMaxMaskPixels);
  }
  const auto pixels = static_cast<uint64_t>(object_.mask_height * object_.mask_width);
  if (has_packed_counts_) {
    if (Status status = unpack_runs(packed_counts_, pixels, &out_.runs); !status.ok()) {
      return fail(std::move(status));
    }
  }
  const std::span<const uint32_t> runs = std::span<const uint32_t>(out_.runs).subspan(object_.runs.begin);
  if (runs.empty()) {
    return fail("a mask has no `counts`");
  }
  Status status = check_runs(runs, pixels);
  return status.ok() || fail(std::move(status));
}

}  // namespace forebay::dataset
