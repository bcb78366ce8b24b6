#include "forebay/ndarray/array.h"

#include <fmt/format.h>

#include "forebay/memory/copy.h"
#include "forebay/memory/device_driver.h"
#include "forebay/ndarray/block_allocator.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::ndarray {

namespace {

constexpr int kReadFirst = 1;  // priority: somebody waits for it

StorageRef make_storage(size_t bytes) {
  return std::allocate_shared<Storage>(BlockAllocator<Storage>(), new_variable(), bytes);
}

}  // namespace

std::string ArraySpec::to_string() const {
  return fmt::format("{} {}", tensor::name_of(dtype), shape.to_string());
}

size_t Storage::note_write(size_t offset_bytes, size_t bytes) {
  const uint64_t before = writes_.fetch_add(1, std::memory_order_relaxed);
  WriteLog* const log = log_.load(std::memory_order_acquire);
  if (log != nullptr) [[unlikely]] {
    log->note(offset_bytes, offset_bytes + bytes, before + 1);
  }
  return before == 0 ? size_bytes_ : 0;
}

// Only a part needs a log: any write changes a whole.
uint64_t Storage::writes_before_saving(size_t offset_bytes, size_t bytes) {
  const bool is_part = offset_bytes != 0 || bytes != size_bytes_;
  if (is_part && log_.load(std::memory_order_relaxed) == nullptr) {
    auto made = std::make_unique<WriteLog>();
    WriteLog* none = nullptr;
    if (log_.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) {
      (void)made.release();
    }
  }
  return writes_.load(std::memory_order_relaxed);
}

bool Storage::is_unchanged(size_t offset_bytes, size_t bytes, uint64_t writes) const {
  if (writes_.load(std::memory_order_relaxed) == writes || bytes == 0) [[likely]] {
    return true;
  }
  const bool is_part = offset_bytes != 0 || bytes != size_bytes_;
  const WriteLog* const log = is_part ? log_.load(std::memory_order_acquire) : nullptr;
  return log != nullptr && log->last_write(offset_bytes, offset_bytes + bytes) <= writes;
}

Status Storage::take_memory() {
  if (data_ != nullptr) {
    return ok_status();
  }
  if (size_bytes_ <= kLittle) {
    data_ = little_.data();
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(size_bytes_));
  adopt(std::move(buffer), 0);
  is_lent_.store(false, std::memory_order_relaxed);
  return ok_status();
}

void Storage::adopt(memory::BufferRef buffer, size_t offset_bytes) {
  buffer_ = std::move(buffer);
  data_ = static_cast<std::byte*>(buffer_->data()) + offset_bytes;
  is_lent_.store(true, std::memory_order_relaxed);
}

bool Storage::take_from(Storage& from) {
  const bool is_lent =
      is_lent_.load(std::memory_order_relaxed) || from.is_lent_.load(std::memory_order_relaxed);
  if (is_lent || from.buffer_ == nullptr) {
    return false;
  }
  buffer_ = std::move(from.buffer_);
  data_ = std::exchange(from.data_, nullptr);
  return true;
}

tensor::Tensor Storage::lend(const std::shared_ptr<Storage>& storage, size_t offset_bytes,
                             const tensor::TensorSpec& spec) {
  storage->is_lent_.store(true, std::memory_order_relaxed);
  if (storage->buffer_ != nullptr) {
    const auto* const begin = static_cast<const std::byte*>(storage->buffer_->data());
    return {storage->buffer_, static_cast<size_t>(storage->data_ - begin) + offset_bytes, spec};
  }
  auto buffer = memory::Buffer::wrap(storage->data_, storage->size_bytes_, memory::MemoryKind::kHost,
                                     [kept = storage]() mutable { kept.reset(); });
  return {std::move(buffer), offset_bytes, spec};
}

Result<Array> Array::create(ArraySpec spec) {
  const auto volume = spec.shape.checked_volume();
  if (!volume || *volume > (int64_t{1} << 58)) {
    return invalid_argument("no array can have the shape {}", spec.shape.to_string());
  }
  return Array(Region{make_storage(spec.size_bytes()), 0, spec});
}

Result<Array> Array::empty(ArraySpec spec) {
  FOREBAY_ASSIGN_OR_RETURN(Array array, create(std::move(spec)));
  FOREBAY_RETURN_IF_ERROR(array.region_.storage->take_memory());
  return array;
}

Result<Array> Array::share(const tensor::Tensor& tensor) {
  if (!tensor.is_valid() || !memory::is_host_accessible(tensor.kind())) {
    return failed_precondition("the tensor is not in host memory, which arrays need");
  }
  FOREBAY_RETURN_IF_ERROR(memory::wait(tensor.buffer()->last_write()));
  StorageRef storage = make_storage(tensor.size_bytes());
  storage->adopt(tensor.buffer(), tensor.offset_bytes());
  return Array(Region{std::move(storage), 0, {tensor.shape(), tensor.dtype()}});
}

Array Array::viewed(tensor::Shape shape, size_t more_offset_bytes) const {
  Region region = region_;
  region.spec.shape = shape;
  region.offset_bytes += more_offset_bytes;
  return Array(std::move(region));
}

Status Array::wait() const {
  return wait_for(region_.storage->variable());
}

// Reads in a task, so that no other task changes or replaces the memory meanwhile. The task owns what the
// reader uses, because an interrupted wait leaves it behind.
Result<tensor::Tensor> Array::read(Reader reader) const {
  Runtime& here = runtime();
  const engine::Variable done = new_variable();
  const engine::Variable& content = region_.storage->variable();
  auto found = std::make_shared<Result<tensor::Tensor>>(internal_error("the array was not read"));
  const engine::TaskOptions options{
      .name = "read", .reads = {&content, 1}, .writes = {&done, 1}, .priority = kReadFirst};
  FOREBAY_RETURN_IF_ERROR(
      here.engine->push(here.lane, options, [region = region_, found, reader = std::move(reader)]() mutable {
        *found = region.storage->has_memory() ? reader(region)
                                              : failed_precondition("the array has never been written");
        return ok_status();  // an error of reading goes to the reader, not to the lane
      }));
  FOREBAY_RETURN_IF_ERROR(wait_for(done));
  return *std::move(found);
}

Result<tensor::Tensor> Array::tensor() const {
  return read([](const Region& region) -> Result<tensor::Tensor> {
    return Storage::lend(region.storage, region.offset_bytes, {region.spec.shape, region.spec.dtype, {}});
  });
}

Result<tensor::Tensor> Array::copied() const {
  return read([](const Region& region) -> Result<tensor::Tensor> {
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor copy,
                             tensor::Tensor::allocate({region.spec.shape, region.spec.dtype, {}}));
    memory::copy(copy.mutable_data(), region.view().data, region.spec.size_bytes());
    return copy;
  });
}

}  // namespace forebay::ndarray
