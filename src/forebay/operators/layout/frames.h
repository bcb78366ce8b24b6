// Frames: sequences worked on picture by picture, and arguments that may change from frame to frame: a tensor
// whose layout begins with F has a value for each frame.
//
//   FOREBAY_ASSIGN_OR_RETURN(const FrameFloats angles, FrameFloats::of(sample, angle));
//   FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, angles));
//   return for_each_frame(sample, frames, frames.spec(), [&](const TensorView& in, int64_t frame,
//                                                            const MutableTensorView& out) {
//     return turned(in, angles.number(frame), out);
//   });
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/operators/arg.h"

namespace forebay::operators {

/// The numbers of one argument for one sample, by frame; borrowed as ArgumentValues are.
template <class Number>
class FrameValues {
 public:
  /// From a constant, a default, or the sample's tensor of any numeric type; of an argument that is one
  /// number, a tensor with more a frame is an error.
  template <class T>
  static Result<FrameValues> of(const Sample& sample, const Arg<T>& argument) {
    if (!argument.is_tensor()) {
      return FrameValues(ArgumentValues<Number>(constant_span(argument.constant())));
    }
    FOREBAY_ASSIGN_OR_RETURN(FrameValues values,
                             argument.traits().checked(of_tensor(sample.argument(argument.slot()))));
    if (std::is_same_v<T, Number> && values.size_ != 1 && values.frames_ != 0) {
      return invalid_argument("argument '{}' is one number and was given a tensor of {}",
                              argument.traits().name, sample.argument(argument.slot()).spec().to_string());
    }
    return values;
  }
  static Result<FrameValues> of_tensor(const Tensor& tensor);

  bool is_per_frame() const { return is_per_frame_; }
  /// 1 if it does not change.
  int64_t frames() const { return frames_; }
  /// How many numbers a frame has.
  int64_t size() const { return size_; }
  /// The same numbers for every frame if it does not change, or has one frame.
  std::span<const Number> at(int64_t frame) const {
    return values_.span().subspan(static_cast<size_t>(frames_ == 1 ? 0 : frame * size_),
                                  static_cast<size_t>(size_));
  }
  /// Those of all frames.
  operator std::span<const Number>() const { return values_.span(); }  // NOLINT: it is one that may own
  /// Of an argument that is one number.
  Number number(int64_t frame) const { return at(frame)[0]; }

 private:
  explicit FrameValues(ArgumentValues<Number> values)
      : values_(std::move(values)), size_(static_cast<int64_t>(values_.size())) {}
  static std::span<const Number> constant_span(const Number& value) { return {&value, 1}; }
  static std::span<const Number> constant_span(const std::vector<Number>& values) { return values; }

  ArgumentValues<Number> values_;
  int64_t frames_ = 1;
  int64_t size_ = 0;
  bool is_per_frame_ = false;
};

using FrameFloats = FrameValues<float>;
using FrameIntegers = FrameValues<int64_t>;
extern template class FrameValues<float>;
extern template class FrameValues<int64_t>;

/// How many frames something has in which `parts` take part: those that have several must agree. 1 if none
/// changes; invalid_argument otherwise.
Result<int64_t> common_frames(std::initializer_list<const FrameFloats*> parts);

/// The element of `values` for component `index`: a single value holds for all.
template <class Number>
Number component(std::span<const Number> values, int64_t index) {
  return values[values.size() == 1 ? 0 : static_cast<size_t>(index)];
}

/// A sample's input 0 as frames: the parts along a first axis F; without one, the whole is the only frame.
class Frames {
 public:
  /// `layout` is the input's, or what it is taken for. invalid_argument if an argument changes from frame to
  /// frame and the input has no frames, or another number of them than the argument (1 holds for all).
  template <class... Values>
  static Result<Frames> of(const Sample& sample, const Layout& layout, const Values&... arguments) {
    const Frames frames(sample.input(0), layout);
    for (const int64_t count : {int64_t{-1}, (arguments.is_per_frame() ? arguments.frames() : -1)...}) {
      FOREBAY_RETURN_IF_ERROR(frames.check(count));
    }
    return frames;
  }

  bool is_sequence() const { return is_sequence_; }
  int64_t count() const { return count_; }
  /// One frame of the input: its layout has no F.
  const TensorSpec& spec() const { return spec_; }
  /// A tensor of as many frames as the input has, each of `frame`: with F, if the input has it.
  TensorSpec all_of(const TensorSpec& frame) const;

 private:
  Frames(const Tensor& input, const Layout& layout);
  Status check(int64_t argument_frames) const;

  TensorSpec spec_;
  int64_t count_ = 1;
  bool is_sequence_ = false;
};

using FrameWork =
    absl::FunctionRef<Status(const TensorView& in, int64_t frame, const MutableTensorView& out)>;

/// Makes output 0, each frame of `out_frame`, by `work` of the frames of input 0, which several threads may
/// do at once. The error is that of the first frame that has one.
Status for_each_frame(Sample& sample, const Frames& frames, const TensorSpec& out_frame, FrameWork work);

}  // namespace forebay::operators
