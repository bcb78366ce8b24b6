#include "forebay/dataset/parquet/column_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forebay/memory/copy.h"

namespace forebay::dataset {
namespace {

template <class T>
bool has_value(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value == 0 || value == 1;
  } else if constexpr (std::is_integral_v<T>) {
    return value == std::trunc(value) && value >= static_cast<double>(std::numeric_limits<T>::min()) &&
           value < std::ldexp(1.0, std::numeric_limits<T>::digits);
  } else {
    return true;
  }
}

template <class T>
T value_as(double value) {
  if constexpr (std::is_same_v<T, tensor::Float16>) {
    return tensor::Float16(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

Status null_found() {
  return data_loss("it is null; give `fill` for what is to stand there");
}

}  // namespace

Result<NullFill> null_fill(double value, tensor::DType dtype) {
  return tensor::visit_dtype(dtype, [&]<class Tag>(Tag) -> Result<NullFill> {
    using T = typename Tag::type;
    if (!has_value<T>(value)) {
      return invalid_argument("`fill` is {}, which {} does not have", value, tensor::name_of(dtype));
    }
    const T element = value_as<T>(value);
    const Bytes bytes = std::as_bytes(std::span(&element, 1));
    return NullFill(bytes.begin(), bytes.end());
  });
}

uint64_t ColumnBlock::size_bytes() const {
  return values_.size_bytes() + row_starts_.size() * sizeof(uint64_t) + repetition_.size() +
         value_of_.size() * sizeof(uint32_t) + sizeof(*this);
}

ColumnBlock::Slots ColumnBlock::slots_of(uint64_t row) const {
  return row_starts_.empty() ? Slots{row, row + 1} : Slots{row_starts_[row], row_starts_[row + 1]};
}

Result<tensor::Tensor> ColumnBlock::row(uint64_t row, const NullFill* fill) const {
  Slots slots = slots_of(row);
  if (leaf_.type == ParquetType::kByteArray) {
    return text_of(slots.begin, fill);
  }
  tensor::TensorSpec spec;
  spec.dtype = leaf_.dtype;
  if (leaf_.max_repetition > 0) {
    FOREBAY_ASSIGN_OR_RETURN(spec.shape, lists_of(&slots, fill));
  }
  if (leaf_.is_bytes()) {
    spec.shape.push_back(leaf_.width);
  }
  return elements_of(slots, spec, fill);
}

Result<tensor::Tensor> ColumnBlock::text_of(uint64_t slot, const NullFill* fill) const {
  const uint32_t number = value_of(slot);
  if (number >= kMaxValues && fill == nullptr) {
    return null_found();
  }
  const Bytes text = number >= kMaxValues ? Bytes() : values_.value(number);
  return tensor::Tensor::copy_of_bytes(text,
                                       {{static_cast<int64_t>(text.size())}, tensor::DType::kUint8, {}});
}

/// The extents of a row's lists. Leaves no slots if they are empty.
Result<tensor::Shape> ColumnBlock::lists_of(Slots* slots, const NullFill* fill) const {
  tensor::Shape shape;
  const uint32_t first = value_of(slots->begin);
  if (first == kNullList && fill == nullptr) {
    return null_found();
  }
  if (slots->count() == 1 && (first == kNullList || first == kEmptyList)) {
    slots->end = slots->begin;
    for (int axis = 0; axis < leaf_.max_repetition; ++axis) {
      shape.push_back(0);
    }
    return shape;
  }
  if (leaf_.max_repetition == 1) {
    shape.push_back(static_cast<int64_t>(slots->count()));
    return shape;
  }
  // How many lists or elements begin at each level; those of one level have equally many of the next.
  std::vector<uint64_t> counts(leaf_.max_repetition, 1);
  for (uint64_t slot = slots->begin + 1; slot < slots->end; ++slot) {
    for (int level = repetition_[slot]; level <= leaf_.max_repetition; ++level) {
      ++counts[static_cast<size_t>(level - 1)];
    }
  }
  uint64_t above = 1;
  for (const uint64_t count : counts) {
    shape.push_back(static_cast<int64_t>(count / above));
    above = count;
  }
  for (uint64_t i = 0; i < slots->count(); ++i) {
    int level = leaf_.max_repetition;  // which slot i has if all lists are equally long
    uint64_t step = 1;
    while (level > 0 && i % (step * static_cast<uint64_t>(shape[level - 1])) == 0) {
      step *= static_cast<uint64_t>(shape[level - 1]);
      --level;
    }
    const uint32_t number = value_of(slots->begin + i);
    if (repetition_[slots->begin + i] != level || number == kEmptyList || number == kNullList) {
      return data_loss("its lists of lists are not equally long, or some are empty, so they are no tensor");
    }
  }
  return shape;
}

Result<tensor::Tensor> ColumnBlock::elements_of(Slots slots, const tensor::TensorSpec& spec,
                                                const NullFill* fill) const {
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor tensor, tensor::Tensor::allocate(spec));
  auto* out = static_cast<std::byte*>(tensor.mutable_data());
  const size_t element = leaf_.is_bytes() ? leaf_.width : tensor::size_of(spec.dtype);
  uint64_t slot = slots.begin;
  while (slot < slots.end) {
    const uint32_t number = value_of(slot);
    if (number >= kMaxValues) {
      if (fill == nullptr) {
        return null_found();
      }
      for (size_t i = 0; i < element; ++i) {
        *out++ = (*fill)[i % fill->size()];
      }
      ++slot;
      continue;
    }
    uint64_t run = 1;  // neighbours, of which all bytes are wanted
    while (element == leaf_.width && slot + run < slots.end && value_of(slot + run) == number + run) {
      ++run;
    }
    const Bytes values = values_.values(number, run);
    if (run > 1) {
      memory::copy(out, values.data(), values.size());
    } else {
      std::copy_n(values.data(), element, out);  // the low bytes of a number that is stored wider
    }
    out += run * element;
    slot += run;
  }
  return tensor;
}

}  // namespace forebay::dataset
