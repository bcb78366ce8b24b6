// Parses arbitrary bytes as annotations, and paints the masks of what is found.

#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/coco/coco_annotations.h"
#include "forebay/dataset/coco/mask_runs.h"

using namespace forebay;

namespace {

constexpr int64_t kMaxPainted = 1 << 12;

void paint(const dataset::CocoAnnotations& annotations, const dataset::CocoObject& object) {
  const int64_t height = object.runs.size() == 0 ? 17 : object.mask_height;
  const int64_t width = object.runs.size() == 0 ? 19 : object.mask_width;
  if (height > kMaxPainted / width) {
    return;
  }
  std::vector<int32_t> mask(static_cast<size_t>(height * width));
  dataset::MaskPainter painter(mask.data(), height, width);
  for (size_t polygon = object.polygons.begin; polygon < object.polygons.end; ++polygon) {
    const dataset::CocoPart part = annotations.polygon(polygon);
    painter.paint_polygon(std::span(annotations.coordinates).subspan(part.begin, part.size()), 1)
        .IgnoreError();
  }
  painter.paint_runs(std::span(annotations.runs).subspan(object.runs.begin, object.runs.size()), 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryByteSource source(std::as_bytes(std::span(data, size)));
  for (const bool wants_all : {false, true}) {
    const Result<dataset::CocoAnnotations> found = dataset::parse_coco(
        source, "fuzz.json", {wants_all, wants_all, wants_all, true, wants_all ? -1.0f : 0.1f});
    if (!found.ok()) {
      FOREBAY_CHECK(!message(found.status()).empty());
      continue;
    }
    for (const dataset::CocoObject& object : found->objects) {
      FOREBAY_CHECK(object.polygons.end <= found->polygon_ends.size());
      FOREBAY_CHECK(object.keypoints.end <= found->keypoints.size());
      paint(*found, object);
    }
  }
  return 0;
}
