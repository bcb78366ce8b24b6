// Unpacks arbitrary bytes as the runs of a mask, and paints them; then paints them as a polygon.

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/coco/mask_runs.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kHeight = 13;
  constexpr int64_t kWidth = 21;
  std::vector<int32_t> mask(kHeight * kWidth);
  dataset::MaskPainter painter(mask.data(), kHeight, kWidth);
  std::vector<uint32_t> runs;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (dataset::unpack_runs(text, kHeight * kWidth, &runs).ok() &&
      dataset::check_runs(runs, kHeight * kWidth).ok()) {
    painter.paint_runs(runs, 1);
  }
  std::vector<float> coordinates;
  for (size_t i = 0; i < size; ++i) {
    coordinates.push_back(static_cast<float>(data[i]) / 4 - 10);
  }
  coordinates.resize(size / 2 * 2);
  painter.paint_polygon(coordinates, 2).IgnoreError();
  for (const int32_t label : mask) {
    FOREBAY_CHECK(label >= 0 && label <= 2);
  }
  return 0;
}
