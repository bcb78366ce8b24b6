// The elements of a tensor as they come out of a JSON array, one by one, straight into the tensor's memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// What must be known of a tensor before its elements can be read.
struct TensorHead {
  std::string label;  // how messages call it
  Datatype datatype = Datatype::kFp32;
  std::vector<int64_t> shape;
};

/// Not thread safe. Arrays are flat or nested as the shape is; begin_array() and end_array() are called for
/// the array of all elements too. Every error is an invalid_argument that names the tensor and the element.
class ElementWriter {
 public:
  /// `max_elements`: more cannot follow; a shape that claims more is refused before memory is taken. FP16 and
  /// BF16 are refused: JSON has no numbers of theirs, as Triton has it.
  static Result<ElementWriter> make(TensorHead head, uint64_t max_elements);

  Status begin_array();
  Status end_array();
  bool is_open() const { return !starts_.empty(); }

  Status put(bool value);
  Status put(int64_t value);
  Status put(uint64_t value);
  /// `text`: the number as it was written, to round it once and not twice.
  Status put(double value, std::string_view text);
  Status put(std::string_view value);

  /// The tensor, still without its name.
  Result<NamedTensor> finish() &&;

 private:
  explicit ElementWriter(TensorHead head) : head_(std::move(head)) {}

  Status check_room() const;
  Status unfit(std::string_view found) const;
  template <class Integer>
  Status put_integer(Integer value);
  template <class Element, class Integer>
  Status store_in_range(Integer value);
  template <class Element>
  Status store(Element value);

  TensorHead head_;
  std::vector<int64_t> volumes_;  // of the arrays at each level of nesting
  std::vector<int64_t> starts_;   // of the open arrays: how many elements were there before
  int64_t count_ = 0;
  memory::BufferRef buffer_;  // null for kBytes
  std::string text_;          // of kBytes
};

}  // namespace forebay::serving
