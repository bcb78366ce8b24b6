// COCO's annotations: the objects of pictures, in one JSON file (cocodataset.org, "Data format"). The file is
// parsed as it is read; what is not asked for is skipped and takes no memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

struct CocoImage {
  std::string name;
  int64_t id = 0;
  int64_t width = 0;  // 0 if the file does not say
  int64_t height = 0;
};

/// A part of one of the lists of CocoAnnotations.
struct CocoPart {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end - begin; }
};

struct CocoObject {
  int64_t image_id = 0;
  int32_t category = 0;
  std::array<float, 4> box{};  // left, top, width, height in pixels
  CocoPart polygons;           // of polygon_ends
  CocoPart runs;               // of runs
  int64_t mask_height = 0;     // of the mask that the runs describe
  int64_t mask_width = 0;
  CocoPart keypoints;  // of keypoints
};

struct CocoAnnotations {
  std::vector<CocoImage> images;
  std::vector<int32_t> categories;  // ids in the file's order
  std::vector<CocoObject> objects;

  std::vector<float> coordinates;    // x, y, x, y, ... of all polygons, one behind the other
  std::vector<size_t> polygon_ends;  // where the coordinates of each polygon end
  std::vector<uint32_t> runs;        // lengths of runs of 0 and 1 by turns, down the columns
  std::vector<float> keypoints;      // x, y, visibility
  size_t most_keypoints = 0;         // that an object has

  /// The coordinates of a polygon.
  CocoPart polygon(size_t number) const {
    return {number == 0 ? 0 : polygon_ends[number - 1], polygon_ends[number]};
  }
};

/// Which annotations are kept, and what of them.
struct CocoWants {
  bool polygons = false;
  bool runs = false;
  bool keypoints = false;
  bool crowds = true;           // objects with `iscrowd`
  float size_threshold = 0.1f;  // objects of less width or height, in pixels, are dropped
};

/// Images of more pixels have no masks.
inline constexpr int64_t kMaxMaskPixels = int64_t{512} << 20;

/// data_loss, naming the file and the offset, for what is no JSON, or not COCO's; otherwise the source's
/// error.
Result<CocoAnnotations> parse_coco(const ByteSource& file, const std::string& name, const CocoWants& wants);

}  // namespace forebay::dataset
