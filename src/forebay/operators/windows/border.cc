#include "forebay/operators/windows/border.h"

#include <algorithm>
#include <vector>

#include "forebay/memory/scratch.h"

namespace forebay::operators {
namespace {

int64_t modulo(int64_t value, int64_t divisor) {
  const int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

}  // namespace

std::optional<Border> border_of(std::string_view policy) {
  if (policy == "edge" || policy == "clamp") {
    return Border::kClamp;
  }
  if (policy == "reflect" || policy == "reflect_1001") {
    return Border::kReflect1001;
  }
  if (policy == "reflect_101") {
    return Border::kReflect101;
  }
  if (policy == "wrap") {
    return Border::kWrap;
  }
  return std::nullopt;
}

int64_t continued_index(int64_t index, int64_t size, Border border) {
  switch (border) {
    case Border::kWrap:
      return modulo(index, size);
    case Border::kReflect1001: {
      const int64_t place = modulo(index, 2 * size);
      return place < size ? place : 2 * size - 1 - place;
    }
    case Border::kReflect101: {
      if (size == 1) {
        return 0;
      }
      const int64_t place = modulo(index, 2 * size - 2);
      return place < size ? place : 2 * size - 2 - place;
    }
    case Border::kClamp:
      break;
  }
  return std::clamp<int64_t>(index, 0, size - 1);
}

Status slice_continued(const TensorView& in, std::span<const int64_t> anchor, Border border,
                       const MutableTensorView& out) {
  const int rank = in.shape().rank();
  if (out.volume() == 0) {
    return ok_status();
  }
  if (in.volume() == 0) {
    return invalid_argument("an empty input of shape {} cannot be continued", in.shape().to_string());
  }
  // Offsets of each place of each axis in the input, in bytes; then one element at a time, in the output's
  // order.
  std::vector<memory::ScratchVector<size_t>> offsets(rank);
  size_t stride = tensor::size_of(in.dtype());
  for (int axis = rank - 1; axis >= 0; --axis) {
    offsets[axis].reserve(static_cast<size_t>(out.shape()[axis]));
    for (int64_t i = 0; i < out.shape()[axis]; ++i) {
      const int64_t place = continued_index(anchor[axis] + i, in.shape()[axis], border);
      offsets[axis].push_back(static_cast<size_t>(place) * stride);
    }
    stride *= static_cast<size_t>(in.shape()[axis]);
  }
  const size_t element = tensor::size_of(in.dtype());
  const auto* from = static_cast<const std::byte*>(in.data);
  auto* to = static_cast<std::byte*>(out.data);
  std::vector<int64_t> place(rank, 0);
  const int64_t volume = out.volume();
  for (int64_t i = 0; i < volume; ++i, to += element) {
    size_t offset = 0;
    for (int axis = 0; axis < rank; ++axis) {
      offset += offsets[axis][place[axis]];
    }
    std::copy_n(from + offset, element, to);
    for (int axis = rank - 1; axis >= 0 && ++place[axis] == out.shape()[axis]; --axis) {
      place[axis] = 0;
    }
  }
  return ok_status();
}

}  // namespace forebay::operators
