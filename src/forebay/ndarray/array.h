// Arrays whose content is computed later. An `Array` is a dense, row-major range of a `Storage`. Operations
// on arrays only enqueue tasks; the engine's workers compute. Reading the content waits for exactly the tasks
// that write it.
//
// Ownership: an Array is a cheap handle (copying it copies no bytes). A storage's memory is allocated when
// the first task writes it, so operations that are only queued cost no memory; it is freed with the last
// handle or task.
//
// Thread safety: different Array objects may be used on different threads, even if they share a storage. One
// Array object must not be changed while another thread uses it.
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
#include "forebay/engine/variable.h"
#include "forebay/memory/buffer.h"
#include "forebay/ndarray/write_log.h"
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

/// One block of memory and the variable that orders the tasks on it. A few bytes are stored in the object
/// itself.
class Storage {
 public:
  Storage(engine::Variable variable, size_t bytes) : variable_(std::move(variable)), size_bytes_(bytes) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() { delete log_.load(std::memory_order_relaxed); }

  const engine::Variable& variable() const { return variable_; }
  size_t size_bytes() const { return size_bytes_; }

  // Counts of writes, for autograd: what a task will write counts when the task is pushed. Thread-safe.

  /// Notes one write of this range. Returns how many bytes the task will allocate for it: all for the first
  /// write of a storage, 0 for others.
  size_t note_write(size_t offset_bytes, size_t bytes);
  size_t note_write() { return note_write(0, size_bytes_); }
  /// How many writes there were. From now on is_unchanged() answers for this range.
  uint64_t writes_before_saving(size_t offset_bytes, size_t bytes);
  /// Whether the range is as it was when writes_before_saving() returned `writes`.
  bool is_unchanged(size_t offset_bytes, size_t bytes, uint64_t writes) const;

  // For tasks that access the variable (for writing, where noted), and before any task is pushed.
  bool has_memory() const { return data_ != nullptr; }
  std::byte* data() const { return data_; }
  /// Allocates memory if it has none, from the host pool unless it is only a few bytes. For writing.
  Status take_memory();
  /// Uses this memory, from `offset_bytes` on, instead of its own. For writing.
  void adopt(memory::BufferRef buffer, size_t offset_bytes);
  /// Takes over the memory of `from`, which must not be used any more. Returns false if that is impossible
  /// because memory of either was lent out or is only a few bytes. For writing both.
  bool take_from(Storage& from);

  /// Returns the memory to code outside, which may read it at any time: from now on it stays in place. Keeps
  /// `storage` or its memory alive. For reading.
  static tensor::Tensor lend(const std::shared_ptr<Storage>& storage, size_t offset_bytes,
                             const tensor::TensorSpec& spec);

 private:
  static constexpr size_t kLittle = 64;

  const engine::Variable variable_;
  const size_t size_bytes_;
  std::byte* data_ = nullptr;
  memory::BufferRef buffer_;  // null for a few bytes
  std::atomic<bool> is_lent_{false};
  std::atomic<uint64_t> writes_{0};
  std::atomic<WriteLog*> log_{nullptr};  // owned; made when a part is saved
  alignas(16) std::array<std::byte, kLittle> little_;
};
using StorageRef = std::shared_ptr<Storage>;

/// The memory of an array, without its history; what tasks hold.
struct Region {
  StorageRef storage;
  size_t offset_bytes = 0;
  ArraySpec spec;

  size_t note_write() const { return storage->note_write(offset_bytes, spec.size_bytes()); }
  uint64_t writes_before_saving() const {
    return storage->writes_before_saving(offset_bytes, spec.size_bytes());
  }
  bool is_unchanged(uint64_t writes) const {
    return storage->is_unchanged(offset_bytes, spec.size_bytes(), writes);
  }

  tensor::TensorView view() const { return {storage->data() + offset_bytes, {spec.shape, spec.dtype, {}}}; }
  tensor::MutableTensorView mutable_view() const {
    return {storage->data() + offset_bytes, {spec.shape, spec.dtype, {}}};
  }
};

class Array {
 public:
  Array() = default;
  explicit Array(Region region) : region_(std::move(region)) {}

  /// A new array with unspecified content; memory is allocated when it is first written. invalid_argument for
  /// impossible shapes (negative extents, 2^62 elements or more).
  static Result<Array> create(ArraySpec spec);
  /// The same with its memory allocated now, for arrays that may be read before anything was written.
  static Result<Array> empty(ArraySpec spec);
  /// An array that shares the tensor's memory, which must be host-accessible. Waits only for the buffer's
  /// fence.
  static Result<Array> share(const tensor::Tensor& tensor);

  bool is_valid() const { return region_.storage != nullptr; }
  const ArraySpec& spec() const { return region_.spec; }
  const tensor::Shape& shape() const { return region_.spec.shape; }
  tensor::DType dtype() const { return region_.spec.dtype; }
  int64_t volume() const { return region_.spec.volume(); }
  const Region& region() const { return region_; }

  /// The same memory with another shape of equal volume, or from an offset. Not recorded by autograd.
  Array viewed(tensor::Shape shape, size_t more_offset_bytes = 0) const;
  /// The same array without its history.
  Array detached() const { return Array(region_); }

  /// Blocks until all writes pushed so far are done. Returns the error that the array carries, if any, every
  /// time.
  Status wait() const;
  /// Waits, then returns the content as a tensor over the same memory. Later writes are visible in it.
  Result<tensor::Tensor> tensor() const;
  /// Waits, then returns a copy of the content (counted). Later writes, also by other threads, are not
  /// visible in it.
  Result<tensor::Tensor> copied() const;

  // The history, used by autograd.
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
