#include "forebay/kernels/nn/optimizer.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/nn/optimizer.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The options as vectors, and formulas that the rules share.
template <class D>
struct Terms {
  using V = hn::Vec<D>;
  using T = hn::TFromD<D>;

  V set(double value) const { return hn::Set(d, static_cast<T>(value)); }
  HWY_INLINE V scaled(double factor, V value) const { return hn::Mul(set(factor), value); }
  HWY_INLINE V clipped(V value, double bound) const {
    return bound > 0 ? hn::Max(hn::Min(value, set(bound)), set(-bound)) : value;
  }
  /// wd * weight after the clip, or inside it.
  HWY_INLINE V gradient(V weight, V raw) const {
    return hn::Add(clipped(scaled(options.rescale, raw), options.clip), scaled(options.wd, weight));
  }
  HWY_INLINE V gradient_clipped_last(V weight, V raw) const {
    return clipped(hn::Add(scaled(options.rescale, raw), scaled(options.wd, weight)), options.clip);
  }
  /// factor * average + (1 - factor) * value
  HWY_INLINE V moving(double factor, V average, V value) const {
    return hn::Add(scaled(factor, average), hn::Mul(set(1 - factor), value));
  }

  D d;
  const UpdateOptions& options;
};

// A rule: step(terms, weight, raw gradient, states) updates the states and returns the new weight.
template <UpdateRule kRule>
struct Step;

template <>
struct Step<UpdateRule::kSgd> {
  static constexpr int kStates = 0;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V*) {
    return hn::Sub(weight, t.scaled(t.options.lr, t.gradient(weight, raw)));
  }
};

template <>
struct Step<UpdateRule::kMomentum> {
  static constexpr int kStates = 1;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V* state) {
    const V change = t.scaled(t.options.lr, t.gradient(weight, raw));
    state[0] = hn::Sub(t.scaled(t.options.momentum, state[0]), change);
    return hn::Add(weight, state[0]);
  }
};

template <>
struct Step<UpdateRule::kNesterov> {
  static constexpr int kStates = 1;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V* state) {
    const V change = t.scaled(t.options.lr, t.gradient(weight, raw));
    state[0] = hn::Sub(t.scaled(t.options.momentum, state[0]), change);
    return hn::Add(weight, hn::Sub(t.scaled(t.options.momentum, state[0]), change));
  }
};

template <>
struct Step<UpdateRule::kSign> {
  static constexpr int kStates = 0;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V*) {
    const V zero = hn::Zero(t.d);
    const V lr = t.set(t.options.lr);
    const V up = hn::IfThenElseZero(hn::Gt(raw, zero), lr);
    const V down = hn::IfThenElseZero(hn::Lt(raw, zero), lr);
    return hn::Add(hn::Sub(t.scaled(1 - t.options.lr * t.options.wd, weight), up), down);
  }
};

template <>
struct Step<UpdateRule::kAdam> {
  static constexpr int kStates = 2;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V* state) {
    const V g = t.gradient_clipped_last(weight, raw);
    state[0] = t.moving(t.options.beta1, state[0], g);
    state[1] = t.moving(t.options.beta2, state[1], hn::Mul(g, g));
    const V divisor = hn::Add(hn::Sqrt(state[1]), t.set(t.options.epsilon));
    return hn::Sub(weight, hn::Div(t.scaled(t.options.lr, state[0]), divisor));
  }
};

template <>
struct Step<UpdateRule::kRmsProp> {
  static constexpr int kStates = 1;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V* state) {
    const V g = t.gradient_clipped_last(weight, raw);
    state[0] = t.moving(t.options.gamma1, state[0], hn::Mul(g, g));
    const V divisor = hn::Sqrt(hn::Add(state[0], t.set(t.options.epsilon)));
    return t.clipped(hn::Sub(weight, hn::Div(t.scaled(t.options.lr, g), divisor)), t.options.clip_weights);
  }
};

template <>
struct Step<UpdateRule::kRmsPropAlex> {
  static constexpr int kStates = 3;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V* state) {
    const V g = t.gradient_clipped_last(weight, raw);
    state[0] = t.moving(t.options.gamma1, state[0], hn::Mul(g, g));
    state[1] = t.moving(t.options.gamma1, state[1], g);
    const V spread = hn::Sub(state[0], hn::Mul(state[1], state[1]));
    const V divisor = hn::Sqrt(hn::Add(spread, t.set(t.options.epsilon)));
    state[2] = hn::Sub(t.scaled(t.options.gamma2, state[2]), hn::Div(t.scaled(t.options.lr, g), divisor));
    return t.clipped(hn::Add(weight, state[2]), t.options.clip_weights);
  }
};

template <>
struct Step<UpdateRule::kAdaGrad> {
  static constexpr int kStates = 1;
  template <class D, class V>
  static HWY_INLINE V step(const Terms<D>& t, V weight, V raw, V* state) {
    const V g = t.clipped(t.scaled(t.options.rescale, raw), t.options.clip);
    state[0] = hn::Add(state[0], hn::Mul(g, g));
    const V slope = hn::Div(g, hn::Sqrt(hn::Add(state[0], t.set(t.options.epsilon))));
    return hn::Sub(weight, t.scaled(t.options.lr, hn::Add(slope, t.scaled(t.options.wd, weight))));
  }
};

/// Processes one vector of each array, at place i.
template <UpdateRule kRule, class D, class T>
HWY_INLINE void step_at(const Terms<D>& terms, int64_t i, const T* weight, const T* gradient,
                        T* const* states, T* out) {
  constexpr int kStates = Step<kRule>::kStates;
  hn::Vec<D> state[kStates + 1];
  for (int s = 0; s < kStates; ++s) {
    state[s] = hn::LoadU(terms.d, states[s] + i);
  }
  const auto made =
      Step<kRule>::step(terms, hn::LoadU(terms.d, weight + i), hn::LoadU(terms.d, gradient + i), state);
  for (int s = 0; s < kStates; ++s) {
    hn::StoreU(state[s], terms.d, states[s] + i);
  }
  hn::StoreU(made, terms.d, out + i);
}

template <UpdateRule kRule, class T>
void update_by(const UpdateOptions& options, int64_t count, const T* weight, const T* gradient,
               T* const* states, T* out) {
  const hn::ScalableTag<T> d;
  const Terms<decltype(d)> terms{d, options};
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    step_at<kRule>(terms, i, weight, gradient, states, out);
  }
  const hn::CappedTag<T, 1> one;
  const Terms<decltype(one)> scalar_terms{one, options};
  for (; i < count; ++i) {
    step_at<kRule>(scalar_terms, i, weight, gradient, states, out);
  }
}

template <class T>
void update_any(UpdateRule rule, const UpdateOptions& options, int64_t count, const T* weight,
                const T* gradient, T* const* states, T* out) {
  switch (rule) {
    case UpdateRule::kSgd:
      return update_by<UpdateRule::kSgd>(options, count, weight, gradient, states, out);
    case UpdateRule::kMomentum:
      return update_by<UpdateRule::kMomentum>(options, count, weight, gradient, states, out);
    case UpdateRule::kNesterov:
      return update_by<UpdateRule::kNesterov>(options, count, weight, gradient, states, out);
    case UpdateRule::kSign:
      return update_by<UpdateRule::kSign>(options, count, weight, gradient, states, out);
    case UpdateRule::kAdam:
      return update_by<UpdateRule::kAdam>(options, count, weight, gradient, states, out);
    case UpdateRule::kRmsProp:
      return update_by<UpdateRule::kRmsProp>(options, count, weight, gradient, states, out);
    case UpdateRule::kRmsPropAlex:
      return update_by<UpdateRule::kRmsPropAlex>(options, count, weight, gradient, states, out);
    case UpdateRule::kAdaGrad:
      return update_by<UpdateRule::kAdaGrad>(options, count, weight, gradient, states, out);
  }
}

void update_float(UpdateRule rule, const UpdateOptions& options, int64_t count, const float* weight,
                  const float* gradient, float* const* states, float* out) {
  update_any(rule, options, count, weight, gradient, states, out);
}
void update_double(UpdateRule rule, const UpdateOptions& options, int64_t count, const double* weight,
                   const double* gradient, double* const* states, double* out) {
  update_any(rule, options, count, weight, gradient, states, out);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

HWY_EXPORT(update_float);
HWY_EXPORT(update_double);

}  // namespace

int state_count(UpdateRule rule) {
  constexpr int kCounts[] = {0, 1, 1, 0, 2, 1, 3, 1};
  return kCounts[static_cast<size_t>(rule)];
}

template <class T>
void update(UpdateRule rule, const UpdateOptions& options, int64_t count, const T* weight, const T* gradient,
            T* const* states, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(update_float)(rule, options, count, weight, gradient, states, out);
  } else {
    HWY_DYNAMIC_DISPATCH(update_double)(rule, options, count, weight, gradient, states, out);
  }
}

template void update(UpdateRule, const UpdateOptions&, int64_t, const float*, const float*, float* const*,
                     float*);
template void update(UpdateRule, const UpdateOptions&, int64_t, const double*, const double*, double* const*,
                     double*);

}  // namespace forebay::kernels
#endif  // HWY_ONCE
