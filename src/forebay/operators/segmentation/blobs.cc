// Runs of equal labels along the last axis are joined with those that they touch in earlier rows, by a forest
// of disjoint sets whose roots are the earliest runs (Tarjan, "Efficiency of a good but not linear set union
// algorithm", J. ACM 1975, with halved paths).
#include "forebay/operators/segmentation/blobs.h"

#include <algorithm>
#include <limits>

namespace forebay::operators {
namespace {

/// Elements [first, last) of one row.
struct LabelRun {
  int64_t label = 0;
  int32_t first = 0;
  int32_t last = 0;
  int64_t parent = 0;
};

class RunForest {
 public:
  explicit RunForest(const Shape& shape) : shape_(shape), rank_(shape.rank()), row_of_({0}) {}

  /// Rows come in order.
  template <class T>
  void add_row(std::span<const T> row, int64_t background) {
    for (size_t at = 0; at < row.size();) {
      size_t end = at + 1;
      while (end < row.size() && row[end] == row[at]) {
        ++end;
      }
      const auto label = static_cast<int64_t>(row[at]);
      if (label != background) {
        runs_.push_back(
            {label, static_cast<int32_t>(at), static_cast<int32_t>(end), static_cast<int64_t>(runs_.size())});
      }
      at = end;
    }
    row_of_.push_back(runs_.size());
    join_with_neighbours(static_cast<int64_t>(row_of_.size()) - 2);
  }

  memory::ScratchVector<Blob> blobs() {
    memory::ScratchVector<Blob> found;
    memory::ScratchVector<size_t> blob_of(runs_.size());
    for (size_t row = 0; row + 1 < row_of_.size(); ++row) {
      for (size_t run = row_of_[row]; run < row_of_[row + 1]; ++run) {
        const auto root = static_cast<size_t>(root_of(static_cast<int64_t>(run)));
        if (root == run) {
          blob_of[run] = found.size();
          found.push_back(empty_blob(runs_[run].label));
        }
        cover(found[blob_of[root]], static_cast<int64_t>(row), runs_[run]);
      }
    }
    return found;
  }

 private:
  static Blob empty_blob(int64_t label) {
    Blob blob;
    blob.label = label;
    blob.low.fill(std::numeric_limits<int32_t>::max());
    return blob;
  }

  void cover(Blob& blob, int64_t row, const LabelRun& run) const {
    const auto last_axis = static_cast<size_t>(rank_ - 1);
    blob.low[last_axis] = std::min(blob.low[last_axis], run.first);
    blob.high[last_axis] = std::max(blob.high[last_axis], run.last);
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      const auto at = static_cast<int32_t>(row % shape_[axis]);
      row /= shape_[axis];
      const auto place = static_cast<size_t>(axis);
      blob.low[place] = std::min(blob.low[place], at);
      blob.high[place] = std::max(blob.high[place], at + 1);
    }
  }

  void join_with_neighbours(int64_t row) {
    int64_t stride = 1;  // in rows
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      if (row / stride % shape_[axis] > 0) {
        join_rows(static_cast<size_t>(row - stride), static_cast<size_t>(row));
      }
      stride *= shape_[axis];
    }
  }

  void join_rows(size_t earlier, size_t later) {
    size_t a = row_of_[earlier];
    size_t b = row_of_[later];
    while (a < row_of_[earlier + 1] && b < row_of_[later + 1]) {
      const LabelRun& one = runs_[a];
      const LabelRun& other = runs_[b];
      if (one.label == other.label && one.first < other.last && other.first < one.last) {
        join(static_cast<int64_t>(a), static_cast<int64_t>(b));
      }
      (one.last < other.last ? a : b) += 1;
    }
  }

  void join(int64_t a, int64_t b) {
    const auto [earlier, later] =
        std::pair(std::min(root_of(a), root_of(b)), std::max(root_of(a), root_of(b)));
    runs_[static_cast<size_t>(later)].parent = earlier;
  }

  int64_t root_of(int64_t run) {
    for (;;) {
      int64_t& parent = runs_[static_cast<size_t>(run)].parent;
      if (parent == run) {
        return run;
      }
      parent = runs_[static_cast<size_t>(parent)].parent;
      run = parent;
    }
  }

  Shape shape_;
  int rank_;
  memory::ScratchVector<LabelRun> runs_;
  memory::ScratchVector<size_t> row_of_;  // where the runs of each row begin
};

}  // namespace

int64_t Blob::volume(int rank) const {
  int64_t product = 1;
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis) {
    product *= high[axis] - low[axis];
  }
  return product;
}

Status check_mask(const Tensor& mask) {
  const Shape& shape = mask.shape();
  const bool has_labels = mask.dtype() == DType::kBool || tensor::is_integer(mask.dtype());
  if (!has_labels || mask.dtype() == DType::kUint64 || shape.rank() == 0) {
    return invalid_argument("a mask holds integers or bools and has axes, unlike {}",
                            mask.spec().to_string());
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] > std::numeric_limits<int32_t>::max()) {
      return invalid_argument("a mask of {} is too long", mask.spec().to_string());
    }
  }
  return ok_status();
}

memory::ScratchVector<Blob> find_blobs(const Tensor& mask, int64_t background) {
  return tensor::visit_dtype(mask.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    RunForest forest(mask.shape());
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> elements = mask.view().template span<T>();
      const auto width = static_cast<size_t>(mask.shape().back());
      for (size_t at = 0; at < elements.size(); at += width) {
        forest.add_row(elements.subspan(at, width), background);
      }
    }
    return forest.blobs();
  });
}

}  // namespace forebay::operators
