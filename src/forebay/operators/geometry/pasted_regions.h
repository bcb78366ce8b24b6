// Which regions of images go where on a canvas: arguments that say it in pixels or as parts (_rel), and what
// multi_paste makes of them.
#pragma once

#include <array>
#include <vector>

#include "forebay/memory/host/scratch.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

/// In pixels, (y, x). Within its image and the canvas.
struct PastedRegion {
  const Tensor* source = nullptr;
  std::array<int64_t, 2> from{};
  std::array<int64_t, 2> size{};
  std::array<int64_t, 2> to{};
};

using PastedRegions = memory::ScratchVector<PastedRegion>;

/// Copies the region to its place on the canvas, HWC with as many channels; elements are converted as cast()
/// does.
Status paste_region(const PastedRegion& region, const MutableTensorView& canvas);

struct RegionArguments {
  Arg<std::vector<int64_t>> in_anchors;
  Arg<std::vector<float>> in_anchors_rel;
  Arg<std::vector<int64_t>> shapes;
  Arg<std::vector<float>> shapes_rel;
  Arg<std::vector<int64_t>> out_anchors;
  Arg<std::vector<float>> out_anchors_rel;

  /// invalid_argument for arguments that exclude each other.
  Status check_regions() const;

  /// A region of each of `sources`, HWC, on a canvas of that shape. invalid_argument, saying which, if one
  /// reaches beyond its image or the canvas.
  Result<PastedRegions> regions_of(const Sample& sample, std::span<const Tensor* const> sources,
                                   const Shape& canvas) const;
};

template <class T>
void add_region_arguments(Description<T>& description) {
  description
      .param("in_anchors", &T::in_anchors,
             "Where in the images the regions begin, a pair (y, x) a region; (0, 0) without it.")
      .param("in_anchors_rel", &T::in_anchors_rel, "The same as parts of the image, rounded down.")
      .param("shapes", &T::shapes,
             "Heights and widths of the regions; without it, up to the ends of the images.")
      .param("shapes_rel", &T::shapes_rel, "The same as parts of the image, rounded up.")
      .param("out_anchors", &T::out_anchors,
             "Where on the canvas the regions begin, a pair (y, x) a region; (0, 0) without it.")
      .param("out_anchors_rel", &T::out_anchors_rel, "The same as parts of the canvas, rounded down.");
}

}  // namespace forebay::operators
