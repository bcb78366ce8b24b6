// A region of an array in a file: which ranges of the file it needs, and how they become a tensor.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/numpy/npy_header.h"
#include "forebay/tensor/tensor.h"

namespace forebay::dataset {

/// A window of an array. It may extend outside of it, on any side.
struct ArrayRegion {
  std::array<int64_t, tensor::kMaxRank> anchor{};
  tensor::Shape shape;

  static ArrayRegion all_of(const tensor::Shape& shape) { return {{}, shape}; }
};

/// How a region is read: in blocks of equal length. What lies between two pieces of a block is read with it
/// where that is cheaper than a request of its own. Axes are in the order of the file, the outermost first.
class RegionPlan {
 public:
  /// data_loss if the array of `header` is larger than `file_bytes` allows. `region` is of the same rank and
  /// its extents are not negative.
  static Result<RegionPlan> make(const NpyHeader& header, const ArrayRegion& region, uint64_t file_bytes);

  /// None if the region holds no element of the array.
  std::vector<ByteRange> ranges() const;

  uint64_t read_bytes() const { return num_blocks_ * block_bytes_; }

  const tensor::TensorSpec& spec() const { return spec_; }

  /// Whether the one range is the tensor, byte for byte.
  bool is_one_run() const { return is_one_run_; }

  /// Fills the tensor: `blocks` are the bytes of ranges(), `fill` goes where the region is outside.
  void fill(std::span<const Bytes> blocks, float fill, MutableBytes destination) const;

 private:
  struct Axis {
    int64_t count = 0;       // places inside the array
    uint64_t stride = 0;     // in the file
    uint64_t to_stride = 0;  // in the tensor
  };

  bool place(const NpyHeader& header, const ArrayRegion& region);
  void cut_into_blocks();
  uint64_t blocks_of(int outer) const;
  void copy_block(const std::byte* from, std::byte* to, int axis) const;
  uint64_t block_of(uint64_t number, uint64_t Axis::*stride) const;

  tensor::TensorSpec spec_;
  std::vector<Axis> axes_;
  int first_inner_ = 0;  // the axes from here on are inside a block
  uint64_t num_blocks_ = 1;
  uint64_t block_bytes_ = 0;
  uint64_t first_offset_ = 0;  // of the first block in the file
  uint64_t first_place_ = 0;   // of its first element in the tensor
  bool is_padded_ = false;
  bool is_one_run_ = false;
};

}  // namespace forebay::dataset
