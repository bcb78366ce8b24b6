// Tensors in libraries of operators: dense, in host memory, the last axis innermost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "forebay/plugin/error.h"

namespace forebay::plugin {
inline namespace v1 {

/// Element types. The numbers are those of DALIDataType.
enum class DType : int32_t {
  kNone = -1,
  kUint8 = kForebayPluginUint8,
  kUint16 = kForebayPluginUint16,
  kUint32 = kForebayPluginUint32,
  kUint64 = kForebayPluginUint64,
  kInt8 = kForebayPluginInt8,
  kInt16 = kForebayPluginInt16,
  kInt32 = kForebayPluginInt32,
  kInt64 = kForebayPluginInt64,
  kFloat16 = kForebayPluginFloat16,
  kFloat = kForebayPluginFloat,
  kFloat64 = kForebayPluginFloat64,
  kBool = kForebayPluginBool,
};

inline const char* name_of(DType dtype) {
  constexpr const char* kNames[] = {"uint8", "uint16", "uint32",  "uint64", "int8",    "int16",
                                    "int32", "int64",  "float16", "float",  "float64", "bool"};
  const auto number = static_cast<int32_t>(dtype);
  return number >= 0 && number < 12 ? kNames[number] : "none";
}

/// A number of half precision, as it lies in memory.
struct Float16 {
  uint16_t bits = 0;
};

template <class T>
struct DTypeOf;
#define FOREBAY_PLUGIN_DTYPE(type, value)         \
  template <>                                     \
  struct DTypeOf<type> {                          \
    static constexpr DType kValue = DType::value; \
  };
FOREBAY_PLUGIN_DTYPE(uint8_t, kUint8)
FOREBAY_PLUGIN_DTYPE(uint16_t, kUint16)
FOREBAY_PLUGIN_DTYPE(uint32_t, kUint32)
FOREBAY_PLUGIN_DTYPE(uint64_t, kUint64)
FOREBAY_PLUGIN_DTYPE(int8_t, kInt8)
FOREBAY_PLUGIN_DTYPE(int16_t, kInt16)
FOREBAY_PLUGIN_DTYPE(int32_t, kInt32)
FOREBAY_PLUGIN_DTYPE(int64_t, kInt64)
FOREBAY_PLUGIN_DTYPE(Float16, kFloat16)
FOREBAY_PLUGIN_DTYPE(float, kFloat)
FOREBAY_PLUGIN_DTYPE(double, kFloat64)
FOREBAY_PLUGIN_DTYPE(bool, kBool)
#undef FOREBAY_PLUGIN_DTYPE

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls `function(TypeTag<T>{})` with the C++ type of `dtype`; throws for float16, which C++17 cannot
/// compute with.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& function) {
  switch (dtype) {
    case DType::kUint8:
      return function(TypeTag<uint8_t>{});
    case DType::kUint16:
      return function(TypeTag<uint16_t>{});
    case DType::kUint32:
      return function(TypeTag<uint32_t>{});
    case DType::kUint64:
      return function(TypeTag<uint64_t>{});
    case DType::kInt8:
      return function(TypeTag<int8_t>{});
    case DType::kInt16:
      return function(TypeTag<int16_t>{});
    case DType::kInt32:
      return function(TypeTag<int32_t>{});
    case DType::kInt64:
      return function(TypeTag<int64_t>{});
    case DType::kFloat:
      return function(TypeTag<float>{});
    case DType::kFloat64:
      return function(TypeTag<double>{});
    case DType::kBool:
      return function(TypeTag<bool>{});
    default:
      throw Error(invalid_argument("elements of type ", name_of(dtype), " are not taken"));
  }
}

/// The extents of a tensor, outermost first.
class Shape {
 public:
  Shape() = default;  // no axes: one element
  Shape(std::initializer_list<int64_t> extents) {
    for (const int64_t extent : extents) {
      push_back(extent);
    }
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return extents_[static_cast<size_t>(axis)]; }
  int64_t& operator[](int axis) { return extents_[static_cast<size_t>(axis)]; }
  const int64_t* begin() const { return extents_.data(); }
  const int64_t* end() const { return extents_.data() + rank_; }
  void push_back(int64_t extent) {
    if (rank_ == kForebayPluginMaxRank) {
      throw Error(invalid_argument("a tensor has at most ", int{kForebayPluginMaxRank}, " axes"));
    }
    extents_[static_cast<size_t>(rank_++)] = extent;
  }

  /// The number of elements.
  int64_t volume() const {
    int64_t product = 1;
    for (const int64_t extent : *this) {
      product *= extent;
    }
    return product;
  }

  /// "2x3x4"; "scalar" for none.
  std::string to_string() const {
    std::string text;
    for (const int64_t extent : *this) {
      text += (text.empty() ? "" : "x") + std::to_string(extent);
    }
    return rank_ == 0 ? "scalar" : text;
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    bool is_equal = a.rank_ == b.rank_;
    for (int axis = 0; is_equal && axis < a.rank_; ++axis) {
      is_equal = a[axis] == b[axis];
    }
    return is_equal;
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  std::array<int64_t, kForebayPluginMaxRank> extents_{};
  int rank_ = 0;
};

/// A tensor without its memory.
struct TensorSpec {
  Shape shape;
  DType dtype = DType::kUint8;
  std::string layout;  // a letter an axis: "HWC"; empty: unknown
};

/// Elements one after the other, borrowed.
template <class T>
class Span {
 public:
  Span(T* data, size_t size) : data_(data), size_(size) {}
  T* data() const { return data_; }
  size_t size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_;
  size_t size_;
};

namespace detail {

template <class T>
void check_dtype(const TensorSpec& spec) {
  if (spec.dtype != DTypeOf<T>::kValue) {
    throw Error(invalid_argument("a tensor of ", name_of(spec.dtype), " was given where ",
                                 name_of(DTypeOf<T>::kValue), " is expected"));
  }
}

}  // namespace detail

/// Read-only, borrowed. as() and span() throw where T is not the element type.
struct TensorView {
  const void* data = nullptr;  // may be null if there are no elements
  TensorSpec spec;

  const Shape& shape() const { return spec.shape; }
  DType dtype() const { return spec.dtype; }
  int64_t volume() const { return spec.shape.volume(); }
  template <class T>
  const T* as() const {
    detail::check_dtype<T>(spec);
    return static_cast<const T*>(data);
  }
  template <class T>
  Span<const T> span() const {
    return {as<T>(), static_cast<size_t>(volume())};
  }
};

/// Writable, borrowed.
struct MutableTensorView {
  void* data = nullptr;
  TensorSpec spec;

  const Shape& shape() const { return spec.shape; }
  DType dtype() const { return spec.dtype; }
  int64_t volume() const { return spec.shape.volume(); }
  template <class T>
  T* as() const {
    detail::check_dtype<T>(spec);
    return static_cast<T*>(data);
  }
  template <class T>
  Span<T> span() const {
    return {as<T>(), static_cast<size_t>(volume())};
  }
};

namespace detail {

inline TensorSpec spec_of(const ForebayPluginTensor& tensor) {
  TensorSpec spec;
  for (int axis = 0; axis < tensor.rank; ++axis) {
    spec.shape.push_back(tensor.shape[axis]);
  }
  spec.dtype = static_cast<DType>(tensor.dtype);
  spec.layout = tensor.layout;
  return spec;
}

/// Says what an output will be.
inline void put(const TensorSpec& spec, ForebayPluginTensor* tensor) {
  if (spec.layout.size() >= kForebayPluginLayoutBytes) {
    throw Error(invalid_argument("the layout '", spec.layout, "' is too long"));
  }
  tensor->dtype = static_cast<int32_t>(spec.dtype);
  tensor->rank = spec.shape.rank();
  for (int axis = 0; axis < spec.shape.rank(); ++axis) {
    tensor->shape[axis] = spec.shape[axis];
  }
  for (size_t i = 0; i <= spec.layout.size(); ++i) {
    tensor->layout[i] = spec.layout.c_str()[i];
  }
}

}  // namespace detail

}  // namespace v1
}  // namespace forebay::plugin
