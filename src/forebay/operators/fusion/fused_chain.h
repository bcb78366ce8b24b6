// The operator made by fuse(): a decoder, a resize and a normalisation, each optional, in that order.
#pragma once

#include <optional>
#include <vector>

#include "forebay/operators/decoders/decoders.h"
#include "forebay/operators/fusion/fusion.h"
#include "forebay/operators/resampling/crop_mirror_normalize.h"
#include "forebay/operators/resampling/resize.h"

namespace forebay::operators {

class FusedChain final : public Operator {
 public:
  using DecodeFunction = Result<DecodeJob> (*)(const void* parameters, const Sample& sample);
  using ResizeFunction = Result<ResizePlan> (*)(const void* parameters, const Sample& sample,
                                                const TensorSpec& in);

  /// Which part of a chain a step is. If none of the three is set, it cannot be part of one.
  struct Part {
    DecodeFunction decode = nullptr;
    ResizeFunction resize = nullptr;
    bool is_normalize = false;
  };
  static Part part_of(const FusionStep& step);

  /// How many steps at the start of `chain` this class can run as one: at least two, or 0.
  static int longest(std::span<const FusionStep> chain);

  explicit FusedChain(std::span<const FusionStep> steps);

  Status run(Sample& sample) const override;
  /// Runs the steps one after the other, as without fusion.
  Status run_in_steps(Sample& sample) const;

 private:
  /// What to do with one sample, checked before the first pixel is decoded.
  struct Plan {
    std::optional<DecodeJob> decode;
    std::optional<ResizePlan> resize;
    std::optional<NormalizePlan> normalize;
    TensorSpec image;  // the decoder's output, or the input
  };

  /// The sample as step `index` sees it, with its own arguments and random numbers.
  Sample at(Sample& sample, size_t index, std::span<const Tensor> inputs, std::span<Tensor> outputs,
            SampleServices& services) const;
  Result<Plan> make_plan(Sample& sample) const;
  static bool can_stream(const Plan& plan);
  Status stream_resized(Sample& sample, const Plan& plan, const MutableTensorView& out) const;
  Status stream_normalized(const Plan& plan, const MutableTensorView& out) const;
  /// Adds the name of step `index` to an error.
  Status named(size_t index, const Status& status) const;

  std::vector<FusionStep> steps_;
  std::vector<Part> parts_;
};

}  // namespace forebay::operators
