// One step of an optimizer over a range of weights, in one pass, for float or double. The formulas are those
// of the papers cited, with MXNet's treatment of the gradient: g = clip(rescale * gradient) + wd * weight,
// or, where noted, g = clip(rescale * gradient + wd * weight).
//
// Each operation is rounded separately, so the bits are the same on every target. `out` may be `weight`.
#pragma once

#include <cstdint>

namespace forebay::kernels {

struct UpdateOptions {
  double lr = 0;
  double wd = 0;
  double rescale = 1;
  double clip = -1;  // limit on the gradient's magnitude; negative: none
  double momentum = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double gamma1 = 0.95;
  double gamma2 = 0.9;
  double epsilon = 1e-8;
  double clip_weights = -1;
};

/// The update rules, and the state that each keeps between steps.
enum class UpdateRule : uint8_t {
  kSgd,          // out = weight - lr g
  kMomentum,     // momentum: m = momentum m - lr g; out = weight + m (Polyak, 1964)
  kNesterov,     // momentum: m = momentum m - lr g; out = weight + momentum m - lr g (Nesterov, 1983)
  kSign,         // out = (1 - lr wd) weight - lr sign(gradient) (Bernstein et al., 2018)
  kAdam,         // mean, variance; wd inside the clip (Kingma and Ba, 2015, without bias correction)
  kRmsProp,      // n; wd inside the clip; epsilon inside the root (Tieleman and Hinton, 2012)
  kRmsPropAlex,  // n, g, delta; wd inside the clip (Graves, 2013)
  kAdaGrad,      // history of the gradient without wd (Duchi et al., 2011)
};
constexpr int kMaxStates = 3;

int state_count(UpdateRule rule);

template <class T>
void update(UpdateRule rule, const UpdateOptions& options, int64_t count, const T* weight, const T* gradient,
            T* const* states, T* out);

}  // namespace forebay::kernels
