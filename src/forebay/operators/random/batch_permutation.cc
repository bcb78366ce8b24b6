// batch_permutation: a random order of the batch.
#include <algorithm>

#include "forebay/kernels/random/distributions.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct BatchPermutation {
  bool allow_repetitions = false;
  bool no_fixed_points = false;

  Status run_batch(std::span<Sample> samples) const {
    if (samples.empty()) {
      return ok_status();
    }
    memory::ScratchVector<int64_t> order(samples.size());
    RandomStream stream = samples[0].random();
    draw_order(stream, order);
    for (size_t i = 0; i < samples.size(); ++i) {
      const Result<MutableTensorView> out = samples[i].output(0, {Shape(), DType::kInt32, {}});
      FOREBAY_RETURN_IF_ERROR(samples[i].named(out.status()));
      *out->as<int32_t>() = static_cast<int32_t>(order[i]);
    }
    return ok_status();
  }

 private:
  void draw_order(RandomStream& stream, std::span<int64_t> order) const {
    const bool avoids_own_place = no_fixed_points && order.size() > 1;
    if (allow_repetitions) {
      for (size_t i = 0; i < order.size(); ++i) {
        const uint64_t drawn = stream.below(order.size() - (avoids_own_place ? 1 : 0));
        order[i] = static_cast<int64_t>(drawn + (avoids_own_place && drawn >= i ? 1 : 0));
      }
      return;
    }
    do {  // one permutation in e has no fixed point
      kernels::permute(stream, order);
    } while (avoids_own_place && has_fixed_point(order));
  }

  static bool has_fixed_point(std::span<const int64_t> order) {
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] == static_cast<int64_t>(i)) {
        return true;
      }
    }
    return false;
  }
};

}  // namespace

OperatorSpec batch_permutation() {
  return describe<BatchPermutation>("batch_permutation", "Draws an order of the samples of a batch.")
      .param("allow_repetitions", &BatchPermutation::allow_repetitions,
             "Draws each number for itself, so that some come several times and others not at all.")
      .param("no_fixed_points", &BatchPermutation::no_fixed_points,
             "No sample gets its own number, unless it is alone in its batch.")
      .outputs("For each sample one INT32 below the number of samples, as `permute_batch` takes them.")
      .matches("DALI batch_permutation; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
