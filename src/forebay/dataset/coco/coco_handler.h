// What the JSON parser tells of a file of annotations, put into CocoAnnotations.
//
//   {"images": [{...}], "categories": [{...}], "annotations": [{..., "bbox": [...], "segmentation": ...}]}
//   ^1         ^2^3                                            ^3          ^4      depth, by open brackets
//
// A segmentation is a list of polygons, or an object with `size` and `counts`. What is not asked for is
// skipped, however it looks.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "forebay/dataset/coco/coco_annotations.h"

namespace forebay::dataset {

/// The interface is that of nlohmann::json_sax. Each call returns whether to go on; status() says why not.
class CocoHandler {
 public:
  CocoHandler(const CocoWants& wants, CocoAnnotations* annotations) : wants_(wants), out_(*annotations) {}

  const Status& status() const { return status_; }

  bool null() { return scalar(); }
  bool boolean(bool value) { return number(value ? 1 : 0); }
  bool number_integer(int64_t value) { return number(static_cast<double>(value), value); }
  bool number_unsigned(uint64_t value);
  bool number_float(double value, const std::string& text);
  bool string(std::string& value);
  bool binary(nlohmann::json::binary_t& value);
  bool start_object(size_t members);
  bool key(std::string& name);
  bool end_object();
  bool start_array(size_t elements);
  bool end_array();
  bool parse_error(size_t position, const std::string& token, const nlohmann::json::exception& error);

 private:
  enum class Section { kOther, kImages, kCategories, kAnnotations };
  enum class Field {
    kOther,
    kId,
    kName,
    kWidth,
    kHeight,
    kImageId,
    kCategoryId,
    kCrowd,
    kBox,
    kMask,
    kKeypoints
  };
  enum class RunsField { kOther, kSize, kCounts };

  static constexpr int64_t kNotWhole = std::numeric_limits<int64_t>::min();

  bool fail(Status status);
  template <class... Args>
  bool fail(fmt::format_string<Args...> format, Args&&... args) {
    return fail(data_loss(format, std::forward<Args>(args)...));
  }

  bool is_skipping() const { return skips_from_ != 0; }
  bool skip();
  bool open(bool is_object);
  bool close();
  bool scalar();
  bool number(double value, int64_t whole = kNotWhole);
  bool number_of_record(int64_t whole);
  bool number_of_list(double value, int64_t whole);
  bool set_whole(int64_t whole, int64_t low, int64_t high, int64_t* target);

  void begin_record();
  bool end_record();
  bool end_image();
  bool end_category();
  bool end_annotation();
  bool end_polygon();
  bool end_runs();
  void drop_parts();
  const char* section_name() const;

  const CocoWants wants_;
  CocoAnnotations& out_;
  Status status_;

  int depth_ = 0;
  int skips_from_ = 0;  // the depth of what is skipped; 0: nothing is
  Section section_ = Section::kOther;
  Field field_ = Field::kOther;
  RunsField runs_field_ = RunsField::kOther;

  // The record under way.
  CocoImage image_;
  CocoObject object_;
  int64_t id_ = kNotWhole;
  int64_t image_id_ = kNotWhole;
  int64_t category_ = kNotWhole;
  int64_t crowd_ = 0;
  bool has_name_ = false;
  bool is_runs_ = false;
  std::vector<double> list_;   // of a box, or of a size
  std::string packed_counts_;  // runs as text
  bool has_packed_counts_ = false;
};

}  // namespace forebay::dataset
