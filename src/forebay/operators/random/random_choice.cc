// random.choice: numbers below n, or slices of a tensor, chosen at random.
#include <algorithm>
#include <cmath>
#include <functional>

#include "forebay/memory/copy.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/layout/axes.h"
#include "forebay/operators/random/random_output.h"

namespace forebay::operators {
namespace {

constexpr double kSumTolerance = 1e-4;

/// Running sums of probabilities.
Result<memory::ScratchVector<double>> cumulated(std::span<const float> probabilities, int64_t count) {
  if (static_cast<int64_t>(probabilities.size()) != count) {
    return invalid_argument("p holds {} probabilities for {} elements to pick from", probabilities.size(),
                            count);
  }
  memory::ScratchVector<double> sums;
  sums.reserve(probabilities.size());
  double sum = 0;
  for (const float probability : probabilities) {
    if (!(probability >= 0 && probability <= 1)) {
      return invalid_argument("p contains {}, which is not a probability", probability);
    }
    sums.push_back(sum += probability);
  }
  if (std::fabs(sum - 1) >= kSumTolerance) {
    return invalid_argument("the probabilities in p sum up to {}, not to 1", sum);
  }
  return sums;
}

struct RandomChoice {
  Arg<std::vector<float>> p;
  Arg<std::vector<int64_t>> shape;

  Status prepare(const Arguments& arguments) { return RandomOutput{shape, {}}.check(arguments, 1); }

  Status run(Sample& sample) const {
    const Tensor& from = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const int64_t count, number_of_choices(from));
    FOREBAY_ASSIGN_OR_RETURN(const Shape picks, (RandomOutput{shape, {}}.output_shape(sample, 1)));
    FOREBAY_ASSIGN_OR_RETURN(const std::function<int64_t()> pick, picker(sample, count));
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, output_spec(from, picks));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    if (from.shape().rank() == 0) {
      write_numbers(pick, out);
    } else {
      copy_slices(from, pick, picks.volume(), out);
    }
    return ok_status();
  }

 private:
  static Result<int64_t> number_of_choices(const Tensor& from) {
    int64_t count = from.shape().rank() == 0 ? 0 : from.shape()[0];
    if (from.shape().rank() == 0) {
      if (!tensor::is_integer(from.dtype())) {
        return invalid_argument("a scalar to choose below must be an integer, not {}",
                                tensor::name_of(from.dtype()));
      }
      FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers value, ArgumentIntegers::of(from));
      count = value[0];
    }
    if (count <= 0) {
      return invalid_argument("there is nothing to choose from: {} elements", count);
    }
    return count;
  }

  /// Returns a function that draws the next index.
  Result<std::function<int64_t()>> picker(const Sample& sample, int64_t count) const {
    RandomStream stream = sample.random();
    if (!p.is_given()) {
      return [stream, count]() mutable {
        return static_cast<int64_t>(stream.below(static_cast<uint64_t>(count)));
      };
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats probabilities, p.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(memory::ScratchVector<double> sums, cumulated(probabilities, count));
    return [stream, sums = std::move(sums)]() mutable {
      // The product may round up to the whole sum, which is past the last element.
      const double point = std::min(stream.uniform_double() * sums.back(), std::nextafter(sums.back(), 0.0));
      return static_cast<int64_t>(std::ranges::upper_bound(sums, point) - sums.begin());
    };
  }

  static Result<TensorSpec> output_spec(const Tensor& from, const Shape& picks) {
    TensorSpec spec{picks, from.dtype(), {}};
    const int inner = std::max(0, from.shape().rank() - 1);
    if (picks.rank() + inner > tensor::kMaxRank) {
      return invalid_argument("picks of {} from {} would have more than {} axes", picks.to_string(),
                              from.spec().to_string(), tensor::kMaxRank);
    }
    for (int axis = 1; axis < from.shape().rank(); ++axis) {
      spec.shape.push_back(from.shape()[axis]);
    }
    if (!spec.shape.checked_volume()) {
      return invalid_argument("no tensor can have the shape {}", spec.shape.to_string());
    }
    if (picks.rank() == 0 && !from.layout().empty()) {
      spec.layout = layout_without(from.layout(), std::vector<int>{0});
    } else if (spec.shape.rank() == from.shape().rank()) {
      spec.layout = from.layout();
    }
    return spec;
  }

  static void write_numbers(const std::function<int64_t()>& pick, const MutableTensorView& out) {
    tensor::visit_dtype(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>) {
        std::ranges::generate(out.span<T>(), [&] { return static_cast<T>(pick()); });
      }
    });
  }

  static void copy_slices(const Tensor& from, const std::function<int64_t()>& pick, int64_t count,
                          const MutableTensorView& out) {
    const size_t slice_bytes = from.size_bytes() / static_cast<size_t>(from.shape()[0]);
    auto* to = static_cast<std::byte*>(out.data);
    for (int64_t i = 0; i < count; ++i) {
      const size_t offset = static_cast<size_t>(pick()) * slice_bytes;
      memory::copy(to, static_cast<const std::byte*>(from.data()) + offset, slice_bytes);
      to += slice_bytes;
    }
  }
};

}  // namespace

OperatorSpec random_choice() {
  return describe<RandomChoice>("random.choice", "Picks integers or slices of a tensor at random.")
      .input("a",
             "An integer n: picks from 0 to n-1. A tensor with axes: picks from its slices along the first.")
      .optional_input("shape_like", "A tensor whose shape the picks get; its content is not read.")
      .param("p", &RandomChoice::p, "Probability of each element; evenly without it. They sum up to 1.")
      .param("shape", &RandomChoice::shape,
             "Shape of the picks; one pick without it. Not together with shape_like.")
      .outputs("The picks, of the type of `a`; the other axes of `a` follow those of the shape.")
      .matches("DALI random.choice; other picks, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
