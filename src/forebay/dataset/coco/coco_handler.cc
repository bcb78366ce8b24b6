#include "forebay/dataset/coco/coco_handler.h"

#include <cmath>
#include <utility>

namespace forebay::dataset {
namespace {

constexpr int kMaxDepth = 64;

}  // namespace

bool CocoHandler::fail(Status status) {
  status_ = std::move(status);
  return false;
}

const char* CocoHandler::section_name() const {
  switch (section_) {
    case Section::kImages:
      return "images";
    case Section::kCategories:
      return "categories";
    default:
      return "annotations";
  }
}

bool CocoHandler::skip() {
  skips_from_ = depth_;
  return true;
}

bool CocoHandler::parse_error(size_t, const std::string&, const nlohmann::json::exception& error) {
  // The parser's own message names its own place and library first.
  const std::string_view text = error.what();
  const size_t begin = text.find(": ");
  return fail("this is not JSON: {}", begin == std::string_view::npos ? text : text.substr(begin + 2));
}

bool CocoHandler::binary(nlohmann::json::binary_t&) {
  return fail("there are no binary values in JSON");
}

bool CocoHandler::key(std::string& name) {
  if (is_skipping()) {
    return true;
  }
  const auto is_one_of = [&name](auto choices, auto other) {
    for (const auto& [choice, value] : choices) {
      if (name == choice) {
        return value;
      }
    }
    return other;
  };
  using Sections = std::initializer_list<std::pair<const char*, Section>>;
  using Fields = std::initializer_list<std::pair<const char*, Field>>;
  if (depth_ == 1) {
    section_ = is_one_of(Sections{{"images", Section::kImages},
                                  {"categories", Section::kCategories},
                                  {"annotations", Section::kAnnotations}},
                         Section::kOther);
  } else if (depth_ == 3 && section_ == Section::kImages) {
    field_ = is_one_of(Fields{{"id", Field::kId},
                              {"file_name", Field::kName},
                              {"width", Field::kWidth},
                              {"height", Field::kHeight}},
                       Field::kOther);
  } else if (depth_ == 3 && section_ == Section::kCategories) {
    field_ = name == "id" ? Field::kId : Field::kOther;
  } else if (depth_ == 3) {
    field_ = is_one_of(Fields{{"image_id", Field::kImageId},
                              {"category_id", Field::kCategoryId},
                              {"iscrowd", Field::kCrowd},
                              {"bbox", Field::kBox},
                              {"segmentation", Field::kMask},
                              {"keypoints", Field::kKeypoints}},
                       Field::kOther);
  } else {
    runs_field_ =
        name == "size" ? RunsField::kSize : (name == "counts" ? RunsField::kCounts : RunsField::kOther);
  }
  return true;
}

// Opens a bracket, and refuses what is nested so deep that no annotation is.
bool CocoHandler::open(bool is_object) {
  if (++depth_ > kMaxDepth) {
    return fail("values are nested more than {} deep", kMaxDepth);
  }
  if (is_skipping()) {
    return true;
  }
  switch (depth_) {
    case 1:
      return is_object || fail("the annotations are a list, not an object with `images` and `annotations`");
    case 2:
      if (section_ == Section::kOther) {
        return skip();
      }
      return !is_object || fail("`{}` is an object, not a list", section_name());
    case 3:
      begin_record();
      return is_object || fail("`{}` holds a list; its elements are objects", section_name());
    default:
      return true;
  }
}

bool CocoHandler::start_object(size_t) {
  if (!open(true) || is_skipping() || depth_ < 4) {
    return status_.ok();
  }
  if (depth_ > 4 || field_ != Field::kMask || !wants_.runs) {
    const bool is_list_of_numbers = field_ == Field::kBox || field_ == Field::kKeypoints;
    return is_list_of_numbers ? fail("an object stands where numbers are") : skip();
  }
  is_runs_ = true;
  runs_field_ = RunsField::kOther;
  list_.clear();
  has_packed_counts_ = false;
  return true;
}

bool CocoHandler::start_array(size_t) {
  if (!open(false) || is_skipping() || depth_ < 4) {
    return status_.ok();
  }
  if (depth_ == 4) {
    const bool is_wanted = field_ == Field::kBox || (field_ == Field::kMask && wants_.polygons) ||
                           (field_ == Field::kKeypoints && wants_.keypoints);
    list_.clear();
    return is_wanted || skip();
  }
  if (field_ != Field::kMask || depth_ > 5) {
    return fail("a list stands where numbers are");
  }
  if (is_runs_ && runs_field_ == RunsField::kOther) {
    return skip();
  }
  return true;
}

bool CocoHandler::close() {
  if (skips_from_ == depth_) {
    skips_from_ = 0;
  }
  --depth_;
  return true;
}

bool CocoHandler::end_object() {
  if (!is_skipping() && depth_ == 3 && !end_record()) {
    return false;
  }
  if (!is_skipping() && depth_ == 4 && !end_runs()) {
    return false;
  }
  return close();
}

bool CocoHandler::end_array() {
  if (!is_skipping() && depth_ == 5 && !is_runs_ && !end_polygon()) {
    return false;
  }
  if (!is_skipping() && depth_ == 4 && field_ == Field::kBox) {
    if (list_.size() != 4) {
      return fail("a `bbox` has {} numbers, not 4", list_.size());
    }
    for (size_t i = 0; i < 4; ++i) {
      object_.box[i] = static_cast<float>(list_[i]);
    }
  }
  return close();
}

bool CocoHandler::scalar() {
  if (is_skipping() || depth_ == 3 || (depth_ == 1 && section_ == Section::kOther)) {
    return true;
  }
  if (depth_ == 4 && is_runs_ && runs_field_ == RunsField::kOther) {
    return true;
  }
  switch (depth_) {
    case 0:
      return fail("the annotations are a single value");
    case 1:
      return fail("`{}` is no list", section_name());
    case 2:
      return fail("`{}` holds a value; its elements are objects", section_name());
    default:
      return fail("a value stands where a list of numbers is");
  }
}

bool CocoHandler::string(std::string& value) {
  if (!is_skipping() && depth_ == 3 && field_ == Field::kName) {
    image_.name = std::move(value);
    has_name_ = true;
    return true;
  }
  if (!is_skipping() && depth_ == 4 && is_runs_ && runs_field_ == RunsField::kCounts) {
    packed_counts_ = std::move(value);
    has_packed_counts_ = true;
    return true;
  }
  return scalar();
}

bool CocoHandler::number_unsigned(uint64_t value) {
  const bool fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return number(static_cast<double>(value), fits ? static_cast<int64_t>(value) : kNotWhole);
}

bool CocoHandler::number_float(double value, const std::string&) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  const bool is_whole = std::fabs(value) <= kMaxExact && value == std::trunc(value);
  return number(value, is_whole ? static_cast<int64_t>(value) : kNotWhole);
}

bool CocoHandler::number(double value, int64_t whole) {
  if (is_skipping() || depth_ < 3) {
    return scalar();
  }
  return depth_ == 3 ? number_of_record(whole) : number_of_list(value, whole);
}

}  // namespace forebay::dataset
