#include "forebay/codec/jpeg/jpeg_arrays.h"

#include "forebay/memory/host/host_pool.h"

namespace forebay::codec {

jvirt_barray_ptr JpegArrays::request(JDIMENSION blocks_per_row, JDIMENSION rows) {
  if (count_ == arrays_.size()) {
    return nullptr;
  }
  Array& array = arrays_[count_++];
  array.blocks_per_row = blocks_per_row;
  array.row_count = rows;
  return reinterpret_cast<jvirt_barray_ptr>(&array);
}

bool JpegArrays::realize(uint64_t most_bytes) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < count_; ++i) {
    bytes += arrays_[i].bytes();
    const bool is_there = arrays_[i].memory != nullptr;
    if (bytes > most_bytes || (!is_there && !make(arrays_[i]))) {
      return false;
    }
  }
  return true;
}

bool JpegArrays::make(Array& array) {
  const Result<void*> memory = memory::process_host_pool().allocate_zeroed(array.bytes());
  if (!memory.ok()) {
    return false;
  }
  array.memory = *memory;
  auto* const blocks = static_cast<JBLOCKROW>(array.memory);
  array.rows = reinterpret_cast<JBLOCKARRAY>(static_cast<std::byte*>(array.memory) + array.block_bytes());
  for (size_t row = 0; row < array.row_count; ++row) {
    array.rows[row] = blocks + row * array.blocks_per_row;
  }
  return true;
}

JBLOCKARRAY JpegArrays::rows(jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count) {
  const Array& found = *reinterpret_cast<const Array*>(array);
  const bool are_there =
      found.rows != nullptr && count <= found.row_count && first <= found.row_count - count;
  return are_there ? found.rows + first : nullptr;
}

void JpegArrays::clear() {
  for (size_t i = 0; i < count_; ++i) {
    if (arrays_[i].memory != nullptr) {
      memory::process_host_pool().deallocate(arrays_[i].memory, arrays_[i].bytes(), Fence{});
    }
    arrays_[i] = {};
  }
  count_ = 0;
}

}  // namespace forebay::codec
