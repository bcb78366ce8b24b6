// Masks of COCO, painted as its own tools paint them: runs of pixels down the columns, and polygons whose
// edge runs through the pixels at five times their resolution (the rule of pycocotools' `frPyObjects`).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::dataset {

/// Appends the runs that `text` packs: five bits a character, the lowest first, each run but the first three
/// as its difference from the run two before. data_loss for other text, and for runs longer than `pixels`.
Status unpack_runs(std::string_view text, uint64_t pixels, std::vector<uint32_t>* runs);

/// data_loss if the runs are more than `pixels` together.
Status check_runs(std::span<const uint32_t> runs, uint64_t pixels);

/// Paints labels over a mask of height x width, row after row. Borrows it.
class MaskPainter {
 public:
  MaskPainter(int32_t* mask, int64_t height, int64_t width) : mask_(mask), height_(height), width_(width) {}

  /// Runs of 0 and 1 by turns that have been checked; paints the ones.
  void paint_runs(std::span<const uint32_t> runs, int32_t label);

  /// A polygon of x, y, x, y, ... in pixels. data_loss if it reaches further outside the mask than the mask
  /// is long.
  Status paint_polygon(std::span<const float> coordinates, int32_t label);

 private:
  void paint(uint64_t begin, uint64_t end, int32_t label);
  void cross_edge(int64_t x, int64_t y, int64_t other_x, int64_t other_y);
  void step_to(int64_t x, int64_t y);
  Status check_polygon(std::span<const float> coordinates) const;

  int32_t* const mask_;
  const int64_t height_;
  const int64_t width_;
  std::vector<uint64_t> crossings_;  // where a column changes between outside and inside
  int64_t last_x_ = 0;
  int64_t last_y_ = 0;
  bool has_last_ = false;
};

}  // namespace forebay::dataset
