#include "forebay/ndarray/random/sampling.h"

#include <algorithm>
#include <vector>

#include "forebay/kernels/generic/convert.h"
#include "forebay/ndarray/random/random.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

constexpr int64_t kDrawsAShare = int64_t{1} << 12;

/// Calls body(i) for each of `count` numbers, using all idle workers.
template <class Body>
Status for_each_number(int64_t count, Body&& body) {
  return share(count, kDrawsAShare, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      body(i);
    }
  });
}

std::vector<double> numbers_of(const TensorView& view) {
  std::vector<double> numbers(static_cast<size_t>(view.volume()));
  tensor::visit_dtype(view.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(view.as<T>(), view.as<T>() + view.volume(), numbers.begin(),
                   &kernels::convert_plainly<double, T>);
  });
  return numbers;
}

void store(const MutableTensorView& out, int64_t index, double value) {
  tensor::visit_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    out.as<T>()[index] = kernels::convert_plainly<T>(value);
  });
}

Result<Shape> shape_behind(const Shape& front, const Shape& back) {
  if (front.rank() + back.rank() > tensor::kMaxRank) {
    return invalid_argument("more than {} dimensions", tensor::kMaxRank);
  }
  Shape shape = front;
  for (const int64_t extent : back) {
    shape.push_back(extent);
  }
  return shape;
}

class Sample final : public Operation {
 public:
  Sample(Distribution distribution, double first, double second, Shape shape, DType dtype)
      : distribution_(distribution), first_(first), second_(second), shape_(shape), dtype_(dtype) {}

  std::string_view name() const override { return kernels::name_of(distribution_); }
  bool is_differentiable() const override { return true; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }
  bool is_step() const override { return true; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    if (inputs.empty()) {
      return ArraySpecs{{shape_, dtype_}};
    }
    if (inputs.size() == 2 && !(inputs[0].shape == inputs[1].shape)) {
      return invalid_argument("parameters of {} and {}", inputs[0].to_string(), inputs[1].to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(Shape shape, shape_behind(inputs[0].shape, shape_));
    return ArraySpecs{{shape, dtype_}};
  }

  Status run(const Operands& operands) const override {
    const MutableTensorView& out = operands.outputs[0];
    std::vector<double> first{first_};
    std::vector<double> second{second_};
    if (!operands.inputs.empty()) {
      first = numbers_of(operands.inputs[0]);
      second =
          operands.inputs.size() > 1 ? numbers_of(operands.inputs[1]) : std::vector(first.size(), second_);
    }
    const int64_t each = first.empty() ? 0 : out.volume() / static_cast<int64_t>(first.size());
    return for_each_number(out.volume(), [&](int64_t i) {
      RandomStream stream(key_, static_cast<uint64_t>(i));
      const auto row = static_cast<size_t>(i / each);
      store(out, i, kernels::draw(distribution_, stream, first[row], second[row]));
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    return Arrays(request.input_specs.size());  // random numbers have no derivative
  }

 private:
  const Distribution distribution_;
  const double first_;
  const double second_;
  const Shape shape_;
  const DType dtype_;
  const uint64_t key_ = next_random_key();
};

class SampleCategories final : public Operation {
 public:
  SampleCategories(Shape shape, DType dtype) : shape_(shape), dtype_(dtype) {}

  std::string_view name() const override { return "multinomial"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }
  bool is_step() const override { return true; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const Shape& weights = inputs[0].shape;
    if (weights.rank() == 0 || weights.back() == 0) {
      return invalid_argument("no weights in {}", weights.to_string());
    }
    const Shape lines(weights.extents().first(static_cast<size_t>(weights.rank() - 1)));
    FOREBAY_ASSIGN_OR_RETURN(Shape shape, shape_behind(lines, shape_));
    return ArraySpecs{{shape.rank() == 0 ? Shape{1} : shape, dtype_}};
  }

  Status run(const Operands& operands) const override {
    const MutableTensorView& out = operands.outputs[0];
    const auto categories = static_cast<size_t>(operands.inputs[0].shape().back());
    std::vector<double> sums = numbers_of(operands.inputs[0]);
    for (size_t i = 0; i < sums.size(); ++i) {
      if (!(sums[i] >= 0)) {
        return invalid_argument("the weight {}", sums[i]);
      }
      sums[i] += i % categories == 0 ? 0 : sums[i - 1];
    }
    const size_t lines = sums.size() / categories;
    const int64_t each = lines == 0 ? 0 : out.volume() / static_cast<int64_t>(lines);
    return for_each_number(out.volume(), [&](int64_t i) {
      RandomStream stream(key_, static_cast<uint64_t>(i));
      const auto line = std::span(sums).subspan(static_cast<size_t>(i / each) * categories, categories);
      store(out, i, static_cast<double>(kernels::draw_category(stream, line)));
    });
  }

  Result<Arrays> gradients(const GradientRequest&) const override { return Arrays(1); }

 private:
  const Shape shape_;
  const DType dtype_;
  const uint64_t key_ = next_random_key();
};

class RandomPermutation final : public Operation {
 public:
  explicit RandomPermutation(int64_t count) : count_(count) {}

  std::string_view name() const override { return "shuffle"; }
  Result<ArraySpecs> infer(std::span<const ArraySpec>) const override {
    return ArraySpecs{{{count_}, DType::kInt64}};
  }
  Status run(const Operands& operands) const override {
    RandomStream stream(key_, 0);
    kernels::permute(stream, operands.outputs[0].span<int64_t>());
    return ok_status();
  }

 private:
  const int64_t count_;
  const uint64_t key_ = next_random_key();
};

}  // namespace

Result<Array> sample(Distribution distribution, double first, double second, const ArraySpec& spec) {
  return apply_one(std::make_shared<Sample>(distribution, first, second, spec.shape, spec.dtype), {});
}

Result<Array> sample(Distribution distribution, std::span<const Array> parameters, const Shape& shape,
                     DType dtype) {
  if (parameters.empty() || parameters.size() > 2) {
    return invalid_argument("{}: {} parameters", kernels::name_of(distribution), parameters.size());
  }
  return apply_one(std::make_shared<Sample>(distribution, 0, 0, shape, dtype), parameters);
}

Result<Array> sample_categories(const Array& weights, const Shape& shape, DType dtype) {
  return apply_one(std::make_shared<SampleCategories>(shape, dtype), {&weights, 1});
}

Result<Array> random_permutation(int64_t count) {
  return apply_one(std::make_shared<RandomPermutation>(count), {});
}

}  // namespace forebay::ndarray
