// segmentation.select_masks: the polygons of some masks, by their numbers.
#include <algorithm>
#include <limits>

#include "forebay/memory/copy.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// One row of the polygons: which mask, and its vertices [first, last).
struct PolygonRow {
  int32_t mask = 0;
  int32_t first = 0;
  int32_t last = 0;
};
static_assert(sizeof(PolygonRow) == 3 * sizeof(int32_t));

using PolygonRows = memory::ScratchVector<PolygonRow>;

struct SelectMasks {
  bool reindex_masks = false;

  int num_outputs() const { return 2; }

  Status run(Sample& sample) const {
    const Tensor& vertices = sample.input(2);
    FOREBAY_RETURN_IF_ERROR(check_inputs(sample));
    PolygonRows rows;
    int64_t count = 0;
    const std::span<const int32_t> masks = sample.input(0).view().span<int32_t>();
    for (size_t i = 0; i < masks.size(); ++i) {
      if (std::ranges::find(masks.first(i), masks[i]) != masks.begin() + static_cast<std::ptrdiff_t>(i)) {
        return invalid_argument("mask_ids names mask {} twice", masks[i]);
      }
      FOREBAY_RETURN_IF_ERROR(add_mask(sample.input(1), masks[i], vertices.shape()[0], &rows, &count));
    }
    if (count > std::numeric_limits<int32_t>::max()) {
      return invalid_argument("the polygons have {} vertices together; INT32 does not number as many", count);
    }
    TensorSpec spec = vertices.spec();
    spec.shape[0] = count;
    FOREBAY_ASSIGN_OR_RETURN(
        const MutableTensorView polygons,
        sample.output(0, {{static_cast<int64_t>(rows.size()), 3}, DType::kInt32, sample.input(1).layout()}));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(1, spec));
    write(rows, masks, vertices, polygons.as<int32_t>(), static_cast<std::byte*>(out.data));
    return ok_status();
  }

 private:
  static Status check_inputs(const Sample& sample) {
    const Tensor& masks = sample.input(0);
    const Tensor& polygons = sample.input(1);
    if (masks.dtype() != DType::kInt32 || masks.shape().rank() != 1) {
      return invalid_argument("mask_ids are INT32, n, not {}", masks.spec().to_string());
    }
    if (polygons.dtype() != DType::kInt32 || polygons.shape().rank() != 2 || polygons.shape()[1] != 3) {
      return invalid_argument("polygons are INT32, n x 3, not {}", polygons.spec().to_string());
    }
    if (sample.input(2).shape().rank() != 2) {
      return invalid_argument("vertices are n x coordinates, not {}", sample.input(2).spec().to_string());
    }
    return ok_status();
  }

  static Status add_mask(const Tensor& polygons, int32_t mask, int64_t vertices, PolygonRows* rows,
                         int64_t* count) {
    const size_t before = rows->size();
    const std::span<const int32_t> numbers = polygons.view().span<int32_t>();
    for (size_t i = 0; i < numbers.size(); i += 3) {
      const PolygonRow row{numbers[i], numbers[i + 1], numbers[i + 2]};
      if (row.mask != mask) {
        continue;
      }
      if (row.first < 0 || row.last < row.first || row.last > vertices) {
        return out_of_range("a polygon of mask {} has the vertices [{}, {}) of {}", mask, row.first, row.last,
                            vertices);
      }
      rows->push_back(row);
      *count += row.last - row.first;
    }
    if (rows->size() == before) {
      return invalid_argument("mask {} has no polygon", mask);
    }
    return ok_status();
  }

  void write(const PolygonRows& rows, std::span<const int32_t> masks, const Tensor& vertices,
             int32_t* polygon, std::byte* to) const {
    const size_t vertex_bytes = static_cast<size_t>(vertices.shape()[1]) * tensor::size_of(vertices.dtype());
    int32_t first = 0;
    for (const PolygonRow& row : rows) {
      const int32_t count = row.last - row.first;
      const auto place = static_cast<int32_t>(std::ranges::find(masks, row.mask) - masks.begin());
      *polygon++ = reindex_masks ? place : row.mask;
      *polygon++ = first;
      *polygon++ = first + count;
      const size_t bytes = static_cast<size_t>(count) * vertex_bytes;
      memory::copy(
          to, static_cast<const std::byte*>(vertices.data()) + static_cast<size_t>(row.first) * vertex_bytes,
          bytes);
      to += bytes;
      first += count;
    }
  }
};

}  // namespace

OperatorSpec segmentation_select_masks() {
  return describe<SelectMasks>("segmentation.select_masks", "Keeps the polygons of some masks.")
      .input("mask_ids", "INT32, n: the masks to keep, each once.")
      .input("polygons", "INT32, n x 3: the mask of each polygon, its first vertex, and one past its last.")
      .input("vertices", "n x coordinates, of any type.")
      .param("reindex_masks", &SelectMasks::reindex_masks,
             "Whether masks are numbered anew, by their places in `mask_ids`.")
      .outputs("The polygons of these masks, in the order of `mask_ids`, and their vertices.")
      .matches("DALI segmentation.select_masks")
      .build();
}

}  // namespace forebay::operators
