// Tensors, dense and row-major. `Tensor` shares ownership of its memory; `TensorView` and `MutableTensorView`
// borrow it. For windows with a row pitch see kernels/pixels/image_view.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/base/check.h"
#include "forebay/base/status.h"
#include "forebay/memory/buffer.h"
#include "forebay/tensor/dtype.h"
#include "forebay/tensor/layout.h"
#include "forebay/tensor/shape.h"

namespace forebay::tensor {

/// The description of a tensor, without its memory.
struct TensorSpec {
  Shape shape;
  DType dtype = DType::kUint8;
  Layout layout;

  int64_t volume() const { return shape.volume(); }
  size_t size_bytes() const { return static_cast<size_t>(shape.volume()) * size_of(dtype); }
  /// nullopt where no memory could have so many.
  std::optional<size_t> checked_size_bytes() const;
  std::string to_string() const;
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// Read-only, borrowed.
struct TensorView {
  const void* data = nullptr;
  TensorSpec spec;

  const Shape& shape() const { return spec.shape; }
  DType dtype() const { return spec.dtype; }
  int64_t volume() const { return spec.volume(); }
  template <class T>
  const T* as() const {
    FOREBAY_CHECK(spec.dtype == kDTypeOf<T>);
    return static_cast<const T*>(data);
  }
  template <class T>
  std::span<const T> span() const {
    return {as<T>(), static_cast<size_t>(volume())};
  }
  Bytes bytes() const { return {static_cast<const std::byte*>(data), spec.size_bytes()}; }
};

/// Writable, borrowed.
struct MutableTensorView {
  void* data = nullptr;
  TensorSpec spec;

  operator TensorView() const { return {data, spec}; }
  const Shape& shape() const { return spec.shape; }
  DType dtype() const { return spec.dtype; }
  int64_t volume() const { return spec.volume(); }
  template <class T>
  T* as() const {
    FOREBAY_CHECK(spec.dtype == kDTypeOf<T>);
    return static_cast<T*>(data);
  }
  template <class T>
  std::span<T> span() const {
    return {as<T>(), static_cast<size_t>(volume())};
  }
  MutableBytes bytes() const { return {static_cast<std::byte*>(data), spec.size_bytes()}; }
};

/// Shares ownership of a range of a buffer. Copying a Tensor copies no bytes. Access is not synchronised: a
/// writer must ensure that nobody reads (the engine's edges do that for everything it runs).
class Tensor {
 public:
  Tensor() = default;

  /// The range of `offset_bytes` plus the spec's bytes must lie within the buffer.
  Tensor(memory::BufferRef buffer, size_t offset_bytes, TensorSpec spec);

  /// Allocates a tensor with unspecified content.
  static Result<Tensor> allocate(const TensorSpec& spec,
                                 std::shared_ptr<memory::MemoryResource> resource = memory::host_pool());

  /// Allocates a tensor with a copy of `values` (counted).
  template <class T>
  static Result<Tensor> copy_of(std::span<const T> values, Shape shape, Layout layout = {}) {
    return copy_of_bytes(std::as_bytes(values), {shape, kDTypeOf<T>, layout});
  }
  static Result<Tensor> copy_of_bytes(Bytes bytes, const TensorSpec& spec);
  template <class T>
  static Result<Tensor> scalar(T value) {
    return copy_of<T>(std::span<const T>(&value, 1), Shape());
  }

  bool is_valid() const { return buffer_ != nullptr; }
  const TensorSpec& spec() const { return spec_; }
  const Shape& shape() const { return spec_.shape; }
  DType dtype() const { return spec_.dtype; }
  const Layout& layout() const { return spec_.layout; }
  int64_t volume() const { return spec_.volume(); }
  size_t size_bytes() const { return spec_.size_bytes(); }
  memory::MemoryKind kind() const { return buffer_->kind(); }
  const memory::BufferRef& buffer() const { return buffer_; }
  size_t offset_bytes() const { return offset_bytes_; }

  const void* data() const { return static_cast<const std::byte*>(buffer_->data()) + offset_bytes_; }
  void* mutable_data() const { return static_cast<std::byte*>(buffer_->data()) + offset_bytes_; }
  TensorView view() const { return {data(), spec_}; }
  MutableTensorView mutable_view() const { return {mutable_data(), spec_}; }
  Bytes bytes() const { return view().bytes(); }

  /// Returns the same bytes under another spec of the same size.
  Result<Tensor> reinterpreted(const TensorSpec& spec) const;

 private:
  memory::BufferRef buffer_;
  size_t offset_bytes_ = 0;
  TensorSpec spec_;
};

}  // namespace forebay::tensor
