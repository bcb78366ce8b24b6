#include "forebay/ndarray/random/random.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/kernels/random/fill.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using tensor::DType;
using tensor::MutableTensorView;

constexpr int64_t kNumbersAShare = int64_t{1} << 15;  // a multiple of 4, where fillers may start

std::atomic<uint64_t> seed{0};
std::atomic<uint64_t> drawn{0};

/// Fills the output from number `first` on.
using Filler = std::function<void(uint64_t key, uint64_t first, const MutableTensorView& part)>;

class Random final : public Operation {
 public:
  Random(std::string_view name, ArraySpec spec, Filler filler)
      : name_(name), spec_(std::move(spec)), key_(next_random_key()), filler_(std::move(filler)) {}

  std::string_view name() const override { return name_; }
  Result<ArraySpecs> infer(std::span<const ArraySpec>) const override { return ArraySpecs{spec_}; }

  Status run(const Operands& operands) const override {
    const MutableTensorView& out = operands.outputs[0];
    return share(out.volume(), kNumbersAShare, [&](int64_t first, int64_t last) {
      filler_(key_, static_cast<uint64_t>(first), part_of(out, first, last));
    });
  }

 private:
  const std::string_view name_;
  const ArraySpec spec_;
  const uint64_t key_;
  const Filler filler_;
};

/// Fills parts of any float type with a function for float and double.
template <class Fill>
Filler float_filler(Fill fill) {
  return [fill](uint64_t key, uint64_t first, const MutableTensorView& part) {
    const auto count = static_cast<size_t>(part.volume());
    if (part.dtype() == DType::kFloat64) {
      fill(key, first, part.span<double>());
    } else if (part.dtype() == DType::kFloat) {
      fill(key, first, part.span<float>());
    } else {
      std::vector<float> values(count);
      fill(key, first, std::span(values));
      std::ranges::transform(values, part.as<tensor::Float16>(),
                             [](float value) { return tensor::Float16(value); });
    }
  };
}

Result<Array> draw(std::string_view name, const ArraySpec& spec, Filler filler) {
  return apply_one(std::make_shared<Random>(name, spec, std::move(filler)), {});
}

Status check_float(std::string_view name, const ArraySpec& spec) {
  return tensor::is_floating(spec.dtype)
             ? ok_status()
             : invalid_argument("{} draws floats, not {}", name, tensor::name_of(spec.dtype));
}

}  // namespace

void seed_random(uint64_t value) {
  seed.store(value);
  drawn.store(0);
}

uint64_t next_random_key() {
  static const uint64_t operator_key = hash64("ndarray");
  return random_key(seed.load(), drawn.fetch_add(1), operator_key);
}

Result<Array> random_uniform(double low, double high, const ArraySpec& spec) {
  FOREBAY_RETURN_IF_ERROR(check_float("uniform", spec));
  return draw("uniform", spec, float_filler([=](uint64_t key, uint64_t first, auto out) {
                kernels::fill_uniform(key, first, low, high, out);
              }));
}

Result<Array> random_normal(double mean, double deviation, const ArraySpec& spec) {
  FOREBAY_RETURN_IF_ERROR(check_float("normal", spec));
  if (!(deviation >= 0)) {
    return invalid_argument("normal: the deviation is {}", deviation);
  }
  return draw("normal", spec, float_filler([=](uint64_t key, uint64_t first, auto out) {
                kernels::fill_normal(key, first, mean, deviation, out);
              }));
}

Result<Array> random_mask(double probability, double scale, const ArraySpec& spec) {
  FOREBAY_RETURN_IF_ERROR(check_float("mask", spec));
  return draw("mask", spec, float_filler([=](uint64_t key, uint64_t first, auto out) {
                using T = typename decltype(out)::element_type;
                kernels::fill_uniform(key, first, 0.0, 1.0, out);
                for (T& value : out) {
                  value = value < static_cast<T>(probability) ? static_cast<T>(scale) : T{0};
                }
              }));
}

Result<Array> random_integers(int64_t low, int64_t high, const ArraySpec& spec) {
  const bool is_wide = spec.dtype == DType::kInt64;
  if (low >= high || (!is_wide && spec.dtype != DType::kInt32)) {
    return invalid_argument("randint: {} in [{}, {})", tensor::name_of(spec.dtype), low, high);
  }
  return draw("randint", spec, [=](uint64_t key, uint64_t first, const MutableTensorView& part) {
    if (is_wide) {
      kernels::fill_integers(key, first, low, high, part.span<int64_t>());
      return;
    }
    std::vector<int64_t> values(static_cast<size_t>(part.volume()));
    kernels::fill_integers(key, first, low, high, values);
    std::ranges::copy(values, part.as<int32_t>());
  });
}

}  // namespace forebay::ndarray
