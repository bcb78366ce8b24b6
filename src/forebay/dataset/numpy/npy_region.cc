#include "forebay/dataset/numpy/npy_region.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "forebay/kernels/generic/fill.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/dtype.h"

namespace forebay::dataset {
namespace {

// Pieces closer than this are read together.
constexpr uint64_t kLargestGap = 64 << 10;
constexpr uint64_t kMaxBlocks = 4096;
constexpr int64_t kMaxElements = int64_t{1} << 50;

template <size_t kSize>
void copy_elements(const std::byte* from, uint64_t stride, std::byte* to, uint64_t to_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, kSize);  // copy: one element
    from += stride;
    to += to_stride;
  }
}

void copy_axis(const std::byte* from, uint64_t stride, std::byte* to, uint64_t to_stride, int64_t count,
               size_t element) {
  switch (element) {
    case 1:
      return copy_elements<1>(from, stride, to, to_stride, count);
    case 2:
      return copy_elements<2>(from, stride, to, to_stride, count);
    case 4:
      return copy_elements<4>(from, stride, to, to_stride, count);
    default:
      return copy_elements<8>(from, stride, to, to_stride, count);
  }
}

/// Where the region ends, or the largest number.
int64_t end_of(const ArrayRegion& region, int axis) {
  const int64_t left = std::numeric_limits<int64_t>::max() - std::max<int64_t>(0, region.anchor[axis]);
  return region.anchor[axis] + std::min(region.shape[axis], left);
}

}  // namespace

Result<RegionPlan> RegionPlan::make(const NpyHeader& header, const ArrayRegion& region, uint64_t file_bytes) {
  if (file_bytes < header.offset_bytes || header.size_bytes() > file_bytes - header.offset_bytes) {
    return data_loss("an array of {} bytes from {} on, in a file of {}", header.size_bytes(),
                     header.offset_bytes, file_bytes);
  }
  const std::optional<int64_t> volume = region.shape.checked_volume();
  if (!volume || *volume > kMaxElements) {
    return invalid_argument("a region of shape {} is larger than any memory", region.shape.to_string());
  }
  RegionPlan plan;
  plan.spec_ = {region.shape, header.dtype, {}};
  if (*volume == 0 || !plan.place(header, region)) {
    plan.num_blocks_ = 0;
    return plan;
  }
  plan.cut_into_blocks();
  return plan;
}

/// Sets the axes, in the order of the file, and the first element; false if none is inside the array.
bool RegionPlan::place(const NpyHeader& header, const ArrayRegion& region) {
  const int rank = header.shape.rank();
  const uint64_t element = tensor::size_of(header.dtype);
  axes_.resize(static_cast<size_t>(rank));
  first_offset_ = header.offset_bytes;
  uint64_t stride = element;
  bool has_any = true;
  for (int i = rank - 1; i >= 0; --i) {
    const int axis = header.is_fortran ? rank - 1 - i : i;
    const int64_t begin = std::clamp<int64_t>(region.anchor[axis], 0, header.shape[axis]);
    const int64_t end = std::clamp(end_of(region, axis), begin, header.shape[axis]);
    const uint64_t to_stride = element * static_cast<uint64_t>(region.shape.volume(axis + 1, rank));
    axes_[i] = {end - begin, stride, to_stride};
    first_offset_ += static_cast<uint64_t>(begin) * stride;
    first_place_ += static_cast<uint64_t>(begin - std::min(begin, region.anchor[axis])) * to_stride;
    is_padded_ |= end - begin != region.shape[axis];
    has_any = has_any && end > begin;
    stride *= static_cast<uint64_t>(header.shape[axis]);
  }
  return has_any;
}

/// Takes axes into a block from the innermost on, while what lies between their pieces is short, or while
/// there would be too many blocks.
void RegionPlan::cut_into_blocks() {
  block_bytes_ = tensor::size_of(spec_.dtype);
  first_inner_ = static_cast<int>(axes_.size());
  bool is_dense = !is_padded_;
  for (; first_inner_ > 0; --first_inner_) {
    const Axis& axis = axes_[first_inner_ - 1];
    const bool is_near = axis.count == 1 || axis.stride - std::min(axis.stride, block_bytes_) <= kLargestGap;
    if (!is_near && blocks_of(first_inner_) <= kMaxBlocks) {
      break;
    }
    is_dense =
        is_dense && (axis.count == 1 || (axis.stride == block_bytes_ && axis.to_stride == axis.stride));
    block_bytes_ += static_cast<uint64_t>(axis.count - 1) * axis.stride;
  }
  num_blocks_ = blocks_of(first_inner_);
  is_one_run_ = is_dense && num_blocks_ == 1;
}

/// The number of blocks if the first `outer` axes stay outside of them; exact up to kMaxBlocks.
uint64_t RegionPlan::blocks_of(int outer) const {
  uint64_t blocks = 1;
  for (int i = 0; i < outer && blocks <= kMaxBlocks; ++i) {
    blocks *= static_cast<uint64_t>(axes_[i].count);
  }
  return blocks;
}

/// Where a block begins, in the file or in the tensor, behind the first one.
uint64_t RegionPlan::block_of(uint64_t number, uint64_t Axis::*stride) const {
  uint64_t offset = 0;
  for (int i = first_inner_ - 1; i >= 0; --i) {
    const auto count = static_cast<uint64_t>(axes_[i].count);
    offset += number % count * (axes_[i].*stride);
    number /= count;
  }
  return offset;
}

std::vector<ByteRange> RegionPlan::ranges() const {
  std::vector<ByteRange> ranges;
  ranges.reserve(num_blocks_);
  for (uint64_t block = 0; block < num_blocks_; ++block) {
    ranges.push_back({first_offset_ + block_of(block, &Axis::stride), block_bytes_});
  }
  return ranges;
}

void RegionPlan::copy_block(const std::byte* from, std::byte* to, int axis) const {
  const size_t element = tensor::size_of(spec_.dtype);
  if (axis == static_cast<int>(axes_.size())) {
    copy_axis(from, 0, to, 0, 1, element);
    return;
  }
  const Axis& here = axes_[axis];
  if (axis + 1 < static_cast<int>(axes_.size())) {
    for (int64_t i = 0; i < here.count; ++i) {
      copy_block(from, to, axis + 1);
      from += here.stride;
      to += here.to_stride;
    }
    return;
  }
  if (here.stride == element && here.to_stride == element) {
    memory::copy(to, from, static_cast<size_t>(here.count) * element);
    return;
  }
  copy_axis(from, here.stride, to, here.to_stride, here.count, element);
}

void RegionPlan::fill(std::span<const Bytes> blocks, float fill, MutableBytes destination) const {
  if (is_padded_) {
    const size_t count = destination.size() / tensor::size_of(spec_.dtype);
    kernels::fill_line(spec_.dtype, destination.data(), 0, 1, static_cast<int64_t>(count), fill);
  }
  for (uint64_t block = 0; block < num_blocks_; ++block) {
    std::byte* const to = destination.data() + first_place_ + block_of(block, &Axis::to_stride);
    copy_block(blocks[block].data(), to, first_inner_);
  }
}

}  // namespace forebay::dataset
