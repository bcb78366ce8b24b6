// Shared by transforms.*: a matrix of arguments, joined with one that comes in, for each frame.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/kernels/image/affine_matrix.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"

namespace forebay::operators {

using kernels::AffineMatrix;

/// A tensor of transforms: n x (n + 1) floats, or a sequence of such (F).
struct TransformInput {
  FrameFloats values;
  int dimensions = 0;
};
Result<TransformInput> transform_input(const Tensor& tensor);

using MatrixOf = absl::FunctionRef<AffineMatrix(int64_t frame)>;

struct Transform {
  bool reverse_order = false;

  /// The dimensions of input 0 if there is one, else 0; invalid_argument unless it is a transform.
  static Result<int> input_dimensions(const Sample& sample);

  /// Output 0: matrix_of(frame) for each frame of `parts` and of input 0, after the input's transform, or
  /// before it with `reverse_order`. All matrices have `dimensions`.
  Status put(Sample& sample, int dimensions, std::initializer_list<const FrameFloats*> parts,
             MatrixOf matrix_of) const;
};

/// Output 0 as `frames` matrices; with the axis F if `is_sequence`.
Status put_transforms(Sample& sample, int dimensions, int64_t frames, bool is_sequence, MatrixOf matrix_of);

/// invalid_argument unless `values` has one number, `dimensions`, or, if it may be left out, none.
Status check_size(const char* name, const FrameFloats& values, int64_t dimensions, bool may_be_one,
                  bool may_be_empty);

template <class T>
void add_transform_input(Description<T>& description) {
  description
      .optional_input("transform",
                      "A transform, n x (n + 1) floats or a sequence of such, to be joined with this one.")
      .param("reverse_order", &T::reverse_order,
             "False: this transform is applied after the one that comes in; True: before it.")
      .outputs(
          "The matrix, in rows, of the layout `**`; with an axis F before it if anything changes by frames.");
}

}  // namespace forebay::operators
