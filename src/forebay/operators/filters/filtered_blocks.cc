#include "forebay/operators/filters/filtered_blocks.h"

namespace forebay::operators {
namespace {

constexpr int kMaxFilteredAxes = 3;

bool is_plane_axis(char name) {
  return name == 'C' || name == 'F';
}

}  // namespace

FilteredBlocks FilteredBlocks::with_extents(std::span<const int64_t> extents) const {
  FilteredBlocks other = *this;
  for (int axis = 0; axis < count; ++axis) {
    other.shape[axis] = extents[static_cast<size_t>(axis)];
  }
  return other;
}

Result<FilteredBlocks> filtered_blocks(const TensorSpec& frame) {
  const Layout& layout = frame.layout;
  const int rank = frame.shape.rank();
  FilteredBlocks blocks;
  int end = rank;
  if (!layout.empty()) {
    while (blocks.first < rank && is_plane_axis(layout[blocks.first])) {
      ++blocks.first;
    }
    end -= end > blocks.first && layout[end - 1] == 'C' ? 1 : 0;
  }
  blocks.count = end - blocks.first;
  bool is_valid = blocks.count >= 1 && blocks.count <= kMaxFilteredAxes;
  for (int axis = blocks.first; axis < end && !layout.empty(); ++axis) {
    is_valid = is_valid && !is_plane_axis(layout[axis]);
  }
  if (!is_valid) {
    return invalid_argument(
        "one to three axes can be filtered, with F and C before them or C behind them; not {}",
        frame.to_string());
  }
  blocks.blocks = frame.shape.volume(0, blocks.first);
  for (int axis = blocks.first; axis < end; ++axis) {
    blocks.shape.push_back(frame.shape[axis]);
  }
  blocks.shape.push_back(end < rank ? frame.shape.back() : 1);
  return blocks;
}

Status for_each_block(const TensorView& in, const FilteredBlocks& blocks, const MutableTensorView& out,
                      const FilteredBlocks& out_blocks, BlockWork work) {
  const TensorSpec from{blocks.shape, in.dtype(), {}};
  const TensorSpec to{out_blocks.shape, out.dtype(), {}};
  for (int64_t block = 0; block < blocks.blocks; ++block) {
    const auto place = static_cast<size_t>(block);
    FOREBAY_RETURN_IF_ERROR(work({static_cast<const std::byte*>(in.data) + place * from.size_bytes(), from},
                                 {static_cast<std::byte*>(out.data) + place * to.size_bytes(), to}));
  }
  return ok_status();
}

Result<DType> filtered_type(const TensorSpec& in, std::optional<DType> dtype) {
  const DType out = dtype.value_or(in.dtype);
  if (out != in.dtype && out != DType::kFloat) {
    return invalid_argument("the output has the input's type, {}, or FLOAT, not {}",
                            tensor::name_of(in.dtype), tensor::name_of(out));
  }
  return out;
}

std::vector<std::string> border_modes() {
  return {"constant", "replicate", "reflect", "reflect_101", "wrap"};
}

}  // namespace forebay::operators
