// Arrays whose content is computed later. An `Array` is a dense, row-major range of a `Storage`; operations
// on arrays only enqueue, tasks of the engine compute. Reading the content waits for exactly the tasks that
// write it.
//
// Ownership: an Array is a cheap handle (copying it copies no bytes). The memory of a storage is taken when
// the first task writes it, so what is only queued costs no memory, and goes back with the last handle or
// task.
//
// Thread safety: different Array objects may be used on different threads, also when they share a storage;
// one Array object is not to be changed while another thread uses it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/functional/any_invocable.h"
#include "forebay/base/status.h"
#include "forebay/engine/graph/variable.h"
#include "forebay/memory/buffer.h"
#include "forebay/tensor/tensor.h"

namespace forebay::ndarray {

class Node;

struct ArraySpec {
  tensor::Shape shape;
  tensor::DType dtype = tensor::DType::kFloat;

  int64_t volume() const { return shape.volume(); }
  size_t size_bytes() const { return static_cast<size_t>(shape.volume()) * tensor::size_of(dtype); }
  std::string to_string() const;
  friend bool operator==(const ArraySpec&, const ArraySpec&) = default;
};
using ArraySpecs = absl::InlinedVector<ArraySpec, 1>;

/// One block of memory and the variable that orders the tasks on it. A few bytes lie in the object itself.
class Storage {
 public:
  Storage(engine::Variable variable, size_t bytes) : variable_(std::move(variable)), size_bytes_(bytes) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const engine::Variable& variable() const { return variable_; }
  size_t size_bytes() const { return size_bytes_; }

  /// The memory that the first task which writes it will take, in bytes; 0 for all others. To be asked once
  /// for each task that is pushed.
  size_t promise_bytes() { return is_promised_.exchange(true, std::memory_order_relaxed) ? 0 : size_bytes_; }

  // For tasks that hold the variable (for writing, where it says so), and before any task is pushed.
  bool has_memory() const { return data_ != nullptr; }
  std::byte* data() const { return data_; }
  /// Takes memory, from the host pool if it is not little, unless it has some. For writing.
  Status take_memory();
  /// Takes this memory, from `offset_bytes` on, instead of its own. For writing.
  void adopt(memory::BufferRef buffer, size_t offset_bytes);
  /// Takes the memory of `from`, which nobody uses any more; false where that cannot be: memory of either was
  /// given to somebody outside, or is little. For writing both.
  bool take_from(Storage& from);

  /// The memory for somebody outside, who may look at any time: from now on it stays where it is. Keeps
  /// `storage` or its memory alive. For reading.
  static tensor::Tensor lend(const std::shared_ptr<Storage>& storage, size_t offset_bytes,
                             const tensor::TensorSpec& spec);

 private:
  static constexpr size_t kLittle = 64;

  const engine::Variable variable_;
  const size_t size_bytes_;
  std::byte* data_ = nullptr;
  memory::BufferRef buffer_;  // null for a little memory
  std::atomic<bool> is_lent_{false};
  std::atomic<bool> is_promised_{false};
  alignas(16) std::array<std::byte, kLittle> little_;
};
using StorageRef = std::shared_ptr<Storage>;

/// Where an array lies, without its history: what tasks hold.
struct Region {
  StorageRef storage;
  size_t offset_bytes = 0;
  ArraySpec spec;

  tensor::TensorView view() const { return {storage->data() + offset_bytes, {spec.shape, spec.dtype, {}}}; }
  tensor::MutableTensorView mutable_view() const {
    return {storage->data() + offset_bytes, {spec.shape, spec.dtype, {}}};
  }
};

class Array {
 public:
  Array() = default;
  explicit Array(Region region) : region_(std::move(region)) {}

  /// A new array, content unspecified; memory is taken when it is first written. invalid_argument for shapes
  /// that cannot be (negative extents, 2^62 elements and more).
  static Result<Array> create(ArraySpec spec);
  /// The same with its memory taken now, for arrays that may be read before anything was written.
  static Result<Array> empty(ArraySpec spec);
  /// Over the tensor's memory (host-accessible), which is shared. Waits for nothing but the buffer's fence.
  static Result<Array> share(const tensor::Tensor& tensor);

  bool is_valid() const { return region_.storage != nullptr; }
  const ArraySpec& spec() const { return region_.spec; }
  const tensor::Shape& shape() const { return region_.spec.shape; }
  tensor::DType dtype() const { return region_.spec.dtype; }
  int64_t volume() const { return region_.spec.volume(); }
  const Region& region() const { return region_; }

  /// The same memory, seen in another shape of equal volume, or from an offset. Not recorded by autograd.
  Array viewed(tensor::Shape shape, size_t more_offset_bytes = 0) const;
  /// The same array without history.
  Array detached() const { return Array(region_); }

  /// Waits until all writes pushed so far are done; the error that the array carries, if any, again and
  /// again.
  Status wait() const;
  /// Waits, then the content as a tensor over the same memory. Later writes are seen in it.
  Result<tensor::Tensor> tensor() const;
  /// Waits, then the content in memory of its own (counted). Later writes, also from other threads, are not
  /// seen in it.
  Result<tensor::Tensor> copied() const;

  // History, by autograd.
  const std::shared_ptr<Node>& node() const { return node_; }
  int node_output() const { return node_output_; }
  void set_node(std::shared_ptr<Node> node, int output) {
    node_ = std::move(node);
    node_output_ = output;
  }

 private:
  using Reader = absl::AnyInvocable<Result<tensor::Tensor>(const Region& region)>;
  Result<tensor::Tensor> read(Reader reader) const;

  Region region_;
  std::shared_ptr<Node> node_;
  int node_output_ = 0;
};
using Arrays = absl::InlinedVector<Array, 2>;

}  // namespace forebay::ndarray
