// noise.salt_and_pepper: some pixels replaced by the extremes.
#include <limits>
#include <optional>
#include <type_traits>

#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// The values that are put in: those given, else the type's limits, and -1 and 1 for floats.
template <class T>
T salt_or_pepper(const std::optional<float>& given, bool is_salt) {
  if (given) {
    return kernels::convert_saturated<T>(*given);
  }
  if constexpr (std::is_integral_v<T>) {
    return is_salt ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  } else {
    return T(is_salt ? 1.0f : -1.0f);
  }
}

struct SaltAndPepper {
  Arg<float> prob = 0.05f;
  Arg<float> salt_vs_pepper = 0.5f;
  bool per_channel = false;
  Arg<float> salt_val;
  Arg<float> pepper_val;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const float chance, prob.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float chance_of_salt, salt_vs_pepper.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const std::optional<float> salt, given(sample, salt_val));
    FOREBAY_ASSIGN_OR_RETURN(const std::optional<float> pepper, given(sample, pepper_val));
    if (!(chance >= 0 && chance <= 1) || !(chance_of_salt >= 0 && chance_of_salt <= 1)) {
      return invalid_argument("prob is {} and salt_vs_pepper {}; both are probabilities", chance,
                              chance_of_salt);
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
    const auto [outer, channels, inner] = channels_of(in);
    RandomStream stream = sample.random();
    tensor::visit_dtype(in.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T values[] = {salt_or_pepper<T>(pepper, false), salt_or_pepper<T>(salt, true)};
      const T* from = in.view().as<T>();
      T* to = out.as<T>();
      for (int64_t block = 0; block < outer * inner; ++block) {
        const int64_t start = block / inner * channels * inner + block % inner;
        for (int64_t i = 0; i < channels; ++i) {
          to[start + i * inner] = from[start + i * inner];
        }
        if (stream.coin(chance)) {
          const T value = values[stream.coin(chance_of_salt) ? 1 : 0];
          for (int64_t i = 0; i < channels; ++i) {
            to[start + i * inner] = value;
          }
        }
      }
    });
    return ok_status();
  }

 private:
  static Result<std::optional<float>> given(const Sample& sample, const Arg<float>& argument) {
    if (!argument.is_given()) {
      return std::optional<float>();
    }
    FOREBAY_ASSIGN_OR_RETURN(const float value, argument.get(sample));
    return std::optional<float>(value);
  }

  /// What is drawn for at once lies `inner` apart: the channels of a pixel, or single elements.
  struct Channels {
    int64_t outer;
    int64_t channels;
    int64_t inner;
  };
  Channels channels_of(const Tensor& in) const {
    const Shape& shape = in.shape();
    const int axis = in.layout().empty() ? shape.rank() - 1 : in.layout().find('C');
    if (per_channel || axis < 0) {
      return {in.volume(), 1, 1};
    }
    return {shape.volume(0, axis), shape[axis], shape.volume(axis + 1, shape.rank())};
  }
};

}  // namespace

OperatorSpec noise_salt_and_pepper() {
  return describe<SaltAndPepper>("noise.salt_and_pepper",
                                 "Replaces some pixels by the least or the largest value.")
      .input("data", "Any tensor; without a layout its last axis is that of the channels.")
      .param("prob", &SaltAndPepper::prob, "How likely a pixel is replaced.")
      .param("salt_vs_pepper", &SaltAndPepper::salt_vs_pepper,
             "How likely salt takes its place, rather than pepper.")
      .param("per_channel", &SaltAndPepper::per_channel, "Draws for each channel of a pixel by itself.")
      .param("salt_val", &SaltAndPepper::salt_val,
             "Salt; without it the type's largest value, and 1 for floats.")
      .any_number()
      .param("pepper_val", &SaltAndPepper::pepper_val,
             "Pepper; without it the type's least value, and -1 for floats.")
      .any_number()
      .outputs("The same shape and type.")
      .matches("DALI noise.salt_and_pepper; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
