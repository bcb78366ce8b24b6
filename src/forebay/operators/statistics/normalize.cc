// normalize: mean 0 and standard deviation 1, over a sample or a batch.
#include "forebay/kernels/generic/normalize.h"

#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"
#include "forebay/operators/statistics/statistic.h"

namespace forebay::operators {
namespace {

struct Normalize {
  bool batch = false;
  Arg<float> mean;
  Arg<float> stddev;
  std::optional<std::vector<int64_t>> axes;
  std::optional<LayoutName> axis_names;
  float scale = 1;
  float shift = 0;
  float epsilon = 0;
  int64_t ddof = 0;
  DType dtype = DType::kFloat;

  Status prepare(const Arguments&) {
    if (axes && axis_names) {
      return invalid_argument("give the axes either as `axes` or as `axis_names`");
    }
    if ((axes && axes->empty()) || (axis_names && axis_names->names.empty())) {
      return invalid_argument("the statistics need at least one axis to be taken over");
    }
    const bool are_constants =
        mean.is_given() && !mean.is_tensor() && stddev.is_given() && !stddev.is_tensor();
    if ((axes || axis_names) && are_constants) {
      return invalid_argument("axes have no effect when mean and stddev are single numbers; leave them out");
    }
    if (batch && (mean.is_tensor() || stddev.is_tensor())) {
      return invalid_argument("batch=True goes with single numbers for mean and stddev, not with tensors");
    }
    if (ddof < 0 || ddof > INT32_MAX || !(epsilon >= 0)) {
      return invalid_argument("ddof and epsilon cannot be negative");
    }
    return ok_status();
  }

  Scope scope() const {
    const bool needs_statistics = !mean.is_given() || !stddev.is_given();
    return batch && needs_statistics ? Scope::kBatch : Scope::kSample;
  }

  Status run(Sample& sample) const { return run_batch(std::span<Sample>(&sample, 1)); }

  Status run_batch(std::span<Sample> samples) const {
    if (samples.empty()) {
      return ok_status();
    }
    const Result<std::vector<int>> over = reduced_axes(samples[0]);
    FOREBAY_RETURN_IF_ERROR(samples[0].named(over.status()));
    FOREBAY_RETURN_IF_ERROR(check_alike(samples, *over));
    FOREBAY_ASSIGN_OR_RETURN(const Statistic centre, centre_of(samples, *over));
    FOREBAY_ASSIGN_OR_RETURN(const Statistic factor, factor_of(samples, *over, centre));
    for (Sample& sample : samples) {
      FOREBAY_RETURN_IF_ERROR(sample.named(write(sample, centre, factor)));
    }
    return ok_status();
  }

 private:
  Status write(Sample& sample, const Statistic& centre, const Statistic& factor) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {in.shape(), dtype, in.layout()}));
    return kernels::normalize(in.view(), centre.view(), factor.view(), shift, out);
  }

  /// The axes to reduce: the ones named, else those that a tensor of statistics lacks, else all.
  Result<std::vector<int>> reduced_axes(const Sample& sample) const {
    const Tensor& in = sample.input(0);
    const int rank = in.shape().rank();
    if (axis_names) {
      return named_axes(axis_names->names, in.layout());
    }
    if (axes) {
      return resolved_axes(*axes, rank);
    }
    const Arg<float>* shaped = mean.is_tensor() ? &mean : (stddev.is_tensor() ? &stddev : nullptr);
    if (mean.is_tensor() && stddev.is_tensor() && sample.argument(mean.slot()).shape().rank() == 0) {
      shaped = &stddev;
    }
    const Shape given = shaped == nullptr ? Shape() : sample.argument(shaped->slot()).shape();
    std::vector<int> over;
    for (int axis = 0; axis < rank; ++axis) {
      if (given.rank() != rank || given[axis] == 1) {
        over.push_back(axis);
      }
    }
    return over;
  }

  Status check_alike(std::span<Sample> samples, std::span<const int> over) const {
    const Tensor& first = samples[0].input(0);
    const Shape wanted = kernels::reduced_shape(first.shape(), over);
    for (const Sample& sample : samples) {
      const Tensor& in = sample.input(0);
      if (in.shape().rank() != first.shape().rank() || kernels::reduced_shape(in.shape(), over) != wanted) {
        return sample.named(
            invalid_argument("samples of {} and {} cannot be normalised together over those axes",
                             first.spec().to_string(), in.spec().to_string()));
      }
    }
    return ok_status();
  }

  Result<Statistic> centre_of(std::span<const Sample> samples, std::span<const int> over) const {
    return mean.is_given() ? given_statistic(samples[0], mean, over, "mean") : means_of(samples, over);
  }

  Result<Statistic> factor_of(std::span<const Sample> samples, std::span<const int> over,
                              const Statistic& centre) const {
    if (!stddev.is_given()) {
      return multipliers_of(samples, over, centre, {scale, epsilon, static_cast<int>(ddof)});
    }
    FOREBAY_ASSIGN_OR_RETURN(Statistic given, given_statistic(samples[0], stddev, over, "stddev"));
    kernels::multipliers_from_stddev(given.values, epsilon, scale);
    return given;
  }
};

}  // namespace

OperatorSpec normalize() {
  return describe<Normalize>("normalize", "Shifts and scales to a mean of 0 and a standard deviation of 1.")
      .input("data", "Any tensor.")
      .param("batch", &Normalize::batch, "Whether the statistics are those of the whole batch.")
      .param("mean", &Normalize::mean,
             "The mean; that of the data without it. As a tensor, it has the input's axes, "
             "with an extent of 1 where it is taken over.")
      .any_number()
      .param("stddev", &Normalize::stddev, "The standard deviation; that of the data without it.")
      .any_number()
      .param(
          "axes", &Normalize::axes,
          "The axes that statistics are taken over. Without them, those that a given tensor lacks, else all.")
      .param("axis_names", &Normalize::axis_names, "The same by their letters in the layout.")
      .param("scale", &Normalize::scale, "The standard deviation of the output.")
      .any_number()
      .param("shift", &Normalize::shift, "The mean of the output.")
      .any_number()
      .param("epsilon", &Normalize::epsilon, "Added to the variance.")
      .param("ddof", &Normalize::ddof, "Subtracted from the number of elements when the variance is taken.")
      .param("dtype", &Normalize::dtype, "Type of the output; integers are rounded and saturated.")
      .outputs("(data - mean) / stddev * scale + shift; `shift` where the deviation is 0.")
      .matches("DALI normalize")
      .build();
}

}  // namespace forebay::operators
