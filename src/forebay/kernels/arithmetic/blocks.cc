#include "forebay/kernels/arithmetic/blocks.h"

#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>

namespace forebay::kernels {
namespace {

// Integer arithmetic wraps, so it is done in an unsigned type of at least 32 bits.
template <class T>
struct WrappingType {
  using type = std::conditional_t<(sizeof(T) <= 4), uint32_t, uint64_t>;
};

template <class T, class F>
T wrapping(T a, T b, F&& function) {
  if constexpr (std::is_floating_point_v<T>) {
    return function(a, b);
  } else {
    using U = typename WrappingType<T>::type;
    return static_cast<T>(function(static_cast<U>(a), static_cast<U>(b)));
  }
}

template <class T>
T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) {
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {
        return wrapping(T{0}, a, [](auto x, auto y) { return x - y; });
      }
    }
  }
  return static_cast<T>(a / b);
}

template <class T>
T remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    const auto product = wrapping(divide(a, b), b, [](auto x, auto y) { return x * y; });
    return b == 0 ? T{0} : wrapping(a, product, [](auto x, auto y) { return x - y; });
  }
}

template <class T>
T power(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if (std::cmp_less(exponent, 0)) {
      return 0;
    }
    using U = typename WrappingType<T>::type;
    U factor = static_cast<U>(base);
    U result = 1;
    for (U left = static_cast<U>(exponent); left != 0; left >>= 1) {
      result = (left & 1) != 0 ? result * factor : result;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
}

// Shifting by at least the type's width gives 0 (or the sign).
template <class T>
T shift(T a, T b, bool left) {
  constexpr int kBits = static_cast<int>(8 * sizeof(T));
  const bool is_far = std::cmp_less(b, 0) || std::cmp_greater_equal(b, kBits);
  if (left) {
    return is_far ? T{0}
                  : static_cast<T>(static_cast<typename WrappingType<T>::type>(a) << static_cast<int>(b));
  }
  return static_cast<T>(a >> (is_far ? kBits - 1 : static_cast<int>(b))) *
         static_cast<T>(!is_far || a < T{0} ? 1 : 0);
}

template <class T, class Out, class F>
void each(const void* a, const void* b, int size, void* out, F&& function) {
  const T* left = static_cast<const T*>(a);
  const T* right = static_cast<const T*>(b);
  Out* result = static_cast<Out*>(out);
  for (int i = 0; i < size; ++i) {
    result[i] = static_cast<Out>(function(left[i], right[i]));
  }
}

template <class T>
void apply_bitwise(ArithmeticOp op, const void* a, const void* b, int size, void* out) {
  switch (op) {
    case ArithmeticOp::kBitAnd:
      return each<T, T>(a, b, size, out, [](T x, T y) { return x & y; });
    case ArithmeticOp::kBitOr:
      return each<T, T>(a, b, size, out, [](T x, T y) { return x | y; });
    case ArithmeticOp::kBitXor:
      return each<T, T>(a, b, size, out, [](T x, T y) { return x ^ y; });
    case ArithmeticOp::kBitNot:
      if constexpr (std::is_same_v<T, bool>) {
        return each<T, T>(a, a, size, out, [](T x, T) { return !x; });
      } else {
        return each<T, T>(a, a, size, out, [](T x, T) { return ~x; });
      }
    default:
      if constexpr (!std::is_same_v<T, bool>) {
        const bool left = op == ArithmeticOp::kShiftLeft;
        each<T, T>(a, b, size, out, [left](T x, T y) { return shift(x, y, left); });
      }
  }
}

template <class T>
void apply_arithmetic(ArithmeticOp op, const void* a, const void* b, int size, void* out) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return each<T, T>(a, b, size, out,
                        [](T x, T y) { return wrapping(x, y, [](auto p, auto q) { return p + q; }); });
    case ArithmeticOp::kSub:
      return each<T, T>(a, b, size, out,
                        [](T x, T y) { return wrapping(x, y, [](auto p, auto q) { return p - q; }); });
    case ArithmeticOp::kMul:
      return each<T, T>(a, b, size, out,
                        [](T x, T y) { return wrapping(x, y, [](auto p, auto q) { return p * q; }); });
    case ArithmeticOp::kDiv:
    case ArithmeticOp::kFdiv:
      return each<T, T>(a, b, size, out, [](T x, T y) { return divide(x, y); });
    case ArithmeticOp::kMod:
      return each<T, T>(a, b, size, out, [](T x, T y) { return remainder(x, y); });
    case ArithmeticOp::kMin:
      return each<T, T>(a, b, size, out, [](T x, T y) { return x < y ? x : y; });
    case ArithmeticOp::kMax:
      return each<T, T>(a, b, size, out, [](T x, T y) { return x > y ? x : y; });
    case ArithmeticOp::kPow:
      return each<T, T>(a, b, size, out, [](T x, T y) { return power(x, y); });
    case ArithmeticOp::kMinus:
      return each<T, T>(a, a, size, out, [](T x, T) {
        if constexpr (std::is_floating_point_v<T>) {
          return -x;
        } else {
          return wrapping(T{0}, x, [](auto p, auto q) { return p - q; });
        }
      });
    case ArithmeticOp::kAbs:
      return each<T, T>(a, a, size, out, [](T x, T) {
        if constexpr (std::is_floating_point_v<T>) {
          return std::abs(x);
        } else {
          return std::cmp_less(x, 0) ? wrapping(T{0}, x, [](auto p, auto q) { return p - q; }) : x;
        }
      });
    default:  // kPlus
      return each<T, T>(a, a, size, out, [](T x, T) { return x; });
  }
}

// Branch-free per value, so that loops run at constant speed and may be vectorised. Compares by value, even
// if one type is signed and the other is not.
template <class T, class U>
void compare(ArithmeticOp op, const T* a, const U* b, int size, bool* out) {
  const auto write = [&](auto plain, auto of_values) {
    for (int i = 0; i < size; ++i) {
      if constexpr (std::is_same_v<T, U>) {
        out[i] = plain(a[i], b[i]);
      } else {
        out[i] = of_values(a[i], b[i]);
      }
    }
  };
  switch (op) {
    case ArithmeticOp::kEqual:
      return write(std::equal_to<>(), [](auto x, auto y) { return std::cmp_equal(x, y); });
    case ArithmeticOp::kNotEqual:
      return write(std::not_equal_to<>(), [](auto x, auto y) { return std::cmp_not_equal(x, y); });
    case ArithmeticOp::kLess:
      return write(std::less<>(), [](auto x, auto y) { return std::cmp_less(x, y); });
    case ArithmeticOp::kLessEqual:
      return write(std::less_equal<>(), [](auto x, auto y) { return std::cmp_less_equal(x, y); });
    case ArithmeticOp::kGreater:
      return write(std::greater<>(), [](auto x, auto y) { return std::cmp_greater(x, y); });
    default:
      return write(std::greater_equal<>(), [](auto x, auto y) { return std::cmp_greater_equal(x, y); });
  }
}

template <class T>
void apply(ArithmeticOp op, const void* a, const void* b, const void* c, int size, void* out) {
  if (op == ArithmeticOp::kClamp) {
    const T* low = static_cast<const T*>(b);
    const T* high = static_cast<const T*>(c);
    const T* value = static_cast<const T*>(a);
    for (int i = 0; i < size; ++i) {
      const T raised = value[i] <= low[i] ? low[i] : value[i];
      static_cast<T*>(out)[i] = raised >= high[i] ? high[i] : raised;  // the upper bound wins
    }
  } else if (is_comparison(op)) {
    compare(op, static_cast<const T*>(a), static_cast<const T*>(b), size, static_cast<bool*>(out));
  } else if (op == ArithmeticOp::kBitNot ||
             (op >= ArithmeticOp::kBitAnd && op <= ArithmeticOp::kShiftRight)) {
    if constexpr (std::is_integral_v<T>) {
      apply_bitwise<T>(op, a, b, size, out);
    }
  } else if constexpr (std::is_same_v<T, bool>) {  // only kPlus and kMul
    const bool is_product = op == ArithmeticOp::kMul;
    each<bool, bool>(a, is_product ? b : a, size, out, [](bool x, bool y) { return x && y; });
  } else {
    apply_arithmetic<T>(op, a, b, size, out);
  }
}

bool is_function(ArithmeticOp op) {
  return (op >= ArithmeticOp::kFabs && op <= ArithmeticOp::kAtanh) || op == ArithmeticOp::kFpow ||
         op == ArithmeticOp::kAtan2;
}

}  // namespace

void apply_to_block(ArithmeticOp op, tensor::DType dtype, const void* a, const void* b, const void* c,
                    int size, void* out) {
  tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if (is_function(op)) {
        apply_function(op, static_cast<const T*>(a), static_cast<const T*>(b), size, static_cast<T*>(out));
        return;
      }
    }
    if constexpr (!std::is_same_v<T, tensor::Float16>) {
      apply<T>(op, a, b, c, size, out);
    }
  });
}

void compare_unsigned_signed(ArithmeticOp op, const uint64_t* a, const int64_t* b, bool swapped, int size,
                             bool* out) {
  swapped ? compare(op, b, a, size, out) : compare(op, a, b, size, out);
}

}  // namespace forebay::kernels
