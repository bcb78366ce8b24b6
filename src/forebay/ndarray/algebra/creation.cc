#include "forebay/ndarray/algebra/creation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/copy.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using tensor::MutableTensorView;

constexpr int64_t kFilledAShare = int64_t{1} << 18;

class Full final : public Operation {
 public:
  Full(ArraySpec spec, double value) : spec_(std::move(spec)), value_(value) {}

  std::string_view name() const override { return "full"; }
  Result<ArraySpecs> infer(std::span<const ArraySpec>) const override { return ArraySpecs{spec_}; }
  Status run(const Operands& operands) const override { return fill_view(operands.outputs[0], value_); }

 private:
  const ArraySpec spec_;
  const double value_;
};

class Arange final : public Operation {
 public:
  Arange(ArraySpec spec, double start, double step, int64_t repeat)
      : spec_(std::move(spec)), start_(start), step_(step), repeat_(repeat) {}

  std::string_view name() const override { return "arange"; }
  Result<ArraySpecs> infer(std::span<const ArraySpec>) const override { return ArraySpecs{spec_}; }

  Status run(const Operands& operands) const override {
    const MutableTensorView& out = operands.outputs[0];
    tensor::visit_dtype(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* const values = out.as<T>();
      for (int64_t i = 0; i < out.volume(); ++i) {
        values[i] = kernels::convert_plainly<T>(start_ + static_cast<double>(i / repeat_) * step_);
      }
    });
    return ok_status();
  }

 private:
  const ArraySpec spec_;
  const double start_;
  const double step_;
  const int64_t repeat_;
};

/// Elements surrounded by zeros.
class Place final : public Operation {
 public:
  Place(ArraySpec spec, int64_t offset) : spec_(std::move(spec)), offset_(offset) {}

  std::string_view name() const override { return "place"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }
  Result<ArraySpecs> infer(std::span<const ArraySpec>) const override { return ArraySpecs{spec_}; }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const size_t item = tensor::size_of(spec_.dtype);
    const size_t before = static_cast<size_t>(offset_) * item;
    auto* const out = static_cast<std::byte*>(operands.outputs[0].data);
    const size_t bytes = in.spec.size_bytes();
    std::memset(out, 0, before);
    memory::copy(out + before, in.data, bytes);
    std::memset(out + before + bytes, 0, spec_.size_bytes() - before - bytes);
    return ok_status();
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const ArraySpec& part = request.input_specs[0];
    FOREBAY_ASSIGN_OR_RETURN(const Array flat,
                             reshape(request.output_gradients[0], tensor::Shape{spec_.volume()}));
    FOREBAY_ASSIGN_OR_RETURN(const Array range, rows(flat, offset_, offset_ + part.volume()));
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, reshape(range, part.shape));
    return Arrays{std::move(gradient)};
  }

 private:
  const ArraySpec spec_;
  const int64_t offset_;
};

}  // namespace

Status fill_view(const MutableTensorView& out, double value) {
  return share(out.volume(), kFilledAShare, [&](int64_t first, int64_t last) {
    tensor::visit_dtype(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::fill(out.as<T>() + first, out.as<T>() + last, kernels::convert_plainly<T>(value));
    });
  });
}

Result<Array> full(const ArraySpec& spec, double value) {
  return apply_one(std::make_shared<Full>(spec, value), {});
}

Status fill(const Array& array, double value) {
  return apply_into(std::make_shared<Full>(array.spec(), value), {}, array);
}

Result<Array> arange(double start, double stop, double step, int64_t repeat, tensor::DType dtype) {
  const double count = std::ceil((stop - start) / step);
  if (!std::isfinite(count) || repeat < 1 || count > 0x1p53) {
    return invalid_argument("arange from {} to {} by {}, each {} times, has no end", start, stop, step,
                            repeat);
  }
  const ArraySpec spec{{std::max<int64_t>(static_cast<int64_t>(count), 0) * repeat}, dtype};
  return apply_one(std::make_shared<Arange>(spec, start, step, repeat), {});
}

Result<Array> copy_of_bytes(Bytes bytes, const ArraySpec& spec) {
  if (bytes.size() != spec.size_bytes()) {
    return invalid_argument("{} bytes are not {}", bytes.size(), spec.to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(Array array, Array::empty(spec));
  memory::copy(array.region().storage->data(), bytes.data(), bytes.size());
  return array;
}

Result<Array> place(const Array& array, const ArraySpec& spec, int64_t offset) {
  return apply_one(std::make_shared<Place>(spec, offset), {&array, 1});
}

}  // namespace forebay::ndarray
