// my_lab.blend: mixes two pictures. my_lab.sparkle: sets random pixels to white.
#include <cstdint>

#include "forebay/plugin/operator.h"

namespace {

using namespace forebay::plugin;

struct Blend {
  Arg<float> weight = 0.5f;  // a constant, or a value a sample

  Status prepare(const Arguments&) const {
    return weight.is_tensor() ? ok_status() : check_weight(weight.constant());
  }

  // What the output will be: memory is taken for it before run().
  TensorSpec output_spec(const Sample& sample) const {
    const TensorSpec& first = sample.input(0).spec;
    const TensorSpec& second = sample.input(1).spec;
    if (first.dtype != DType::kUint8 || second.dtype != DType::kUint8 || first.shape != second.shape) {
      throw Error(invalid_argument("two uint8 pictures of one shape are needed, not ", name_of(first.dtype),
                                   " ", first.shape.to_string(), " and ", name_of(second.dtype), " ",
                                   second.shape.to_string()));
    }
    return first;
  }

  Status run(const Sample& sample) const {
    const float share = weight.get(sample);
    if (Status status = check_weight(share); !status.ok()) {
      return status;
    }
    const auto first = sample.input(0).span<uint8_t>();
    const auto second = sample.input(1).span<uint8_t>();
    const auto mixed = sample.output(0).span<uint8_t>();
    for (size_t i = 0; i < mixed.size(); ++i) {
      const float value = static_cast<float>(first[i]) * (1 - share) + static_cast<float>(second[i]) * share;
      mixed[i] = static_cast<uint8_t>(value + 0.5f);
    }
    return ok_status();
  }

 private:
  static Status check_weight(float share) {
    return share >= 0 && share <= 1 ? ok_status() : invalid_argument("weight is ", share, ", not 0 to 1");
  }
};

struct Sparkle {
  float probability = 0.01f;

  TensorSpec output_spec(const Sample& sample) const { return sample.input(0).spec; }

  // The random numbers are the sample's own: the same whatever the threads and the batch size.
  void run(const Sample& sample) const {
    RandomStream random = sample.random();
    const TensorView picture = sample.input(0);
    const auto from = picture.span<uint8_t>();
    const auto to = sample.output(0).span<uint8_t>();
    const int rank = picture.shape().rank();
    const size_t channels = rank > 0 ? static_cast<size_t>(picture.shape()[rank - 1]) : 1;
    bool is_white = false;
    for (size_t i = 0; i < to.size(); ++i) {
      if (i % channels == 0) {
        is_white = random.coin(probability);
      }
      to[i] = is_white ? 255 : from[i];
    }
  }
};

OperatorSpec blend() {
  return describe<Blend>("my_lab.blend", "Mixes two pictures.")
      .input("first", "A picture, uint8.")
      .input("second", "Another of the same shape.")
      .param("weight", &Blend::weight, "The share of the second, 0 to 1.")
      .outputs("The mixed picture.")
      .build();
}

OperatorSpec sparkle() {
  return describe<Sparkle>("my_lab.sparkle", "Sets random pixels to white.")
      .input("picture", "uint8, channels last.")
      .param("probability", &Sparkle::probability, "Of each pixel.")
      .outputs("The picture with white pixels.")
      .random()
      .build();
}

}  // namespace

FOREBAY_PLUGIN("my_lab", "1.0", blend(), sparkle())
