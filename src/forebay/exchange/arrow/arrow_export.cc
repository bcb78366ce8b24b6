// Exports columns as Arrow arrays. Every structure of the tree owns its part, so a consumer may move children
// out and release the rest.
#include <algorithm>
#include <array>

#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/exchange/arrow/arrow_array.h"
#include "forebay/memory/device_driver.h"

namespace forebay::exchange {
namespace {

using memory::MemoryKind;
using tensor::Column;

// Stands in for absent empty buffers, because consumers may read the first offset or check the pointer.
alignas(64) constexpr std::array<std::byte, 64> kNothing{};

struct ArrayContent {
  Column column;
  std::vector<const void*> buffers;
  std::vector<arrow::Array> children;
  std::vector<arrow::Array*> child_pointers;
  arrow::Array dictionary{};

  ~ArrayContent() {
    for (arrow::Array& child : children) {
      arrow::release(child);
    }
    arrow::release(dictionary);
  }
};

void release_array(arrow::Array* array) {
  delete static_cast<ArrayContent*>(array->private_data);
  array->release = nullptr;
}

void fill(const Column& column, arrow::Array* out) {
  auto content = std::make_unique<ArrayContent>();
  content->column = column;
  for (size_t i = 0; i < column.buffers.size(); ++i) {
    const void* data = column.buffers[i].data();
    content->buffers.push_back(data == nullptr && i > 0 ? kNothing.data() : data);
  }
  content->children.resize(column.children.size());
  for (size_t i = 0; i < column.children.size(); ++i) {
    fill(*column.children[i], &content->children[i]);
    content->child_pointers.push_back(&content->children[i]);
  }
  if (column.dictionary != nullptr) {
    fill(*column.dictionary, &content->dictionary);
  }
  *out = {};
  out->length = column.length;
  out->null_count = column.null_count;
  out->offset = column.offset;
  out->n_buffers = static_cast<int64_t>(content->buffers.size());
  out->n_children = static_cast<int64_t>(content->children.size());
  out->buffers = content->buffers.empty() ? nullptr : content->buffers.data();
  out->children = content->child_pointers.empty() ? nullptr : content->child_pointers.data();
  out->dictionary = column.dictionary != nullptr ? &content->dictionary : nullptr;
  out->release = &release_array;
  out->private_data = content.release();
}

Status wait_until_written(const Column& column) {
  for (const tensor::BufferRange& range : column.buffers) {
    const Fence ready = range.is_present() ? range.owner->last_write() : Fence{};
    if (!ready.is_trivial()) {
      FOREBAY_RETURN_IF_ERROR(memory::wait(ready));
    }
  }
  for (const tensor::ColumnRef& child : column.children) {
    FOREBAY_RETURN_IF_ERROR(wait_until_written(*child));
  }
  return column.dictionary ? wait_until_written(*column.dictionary) : ok_status();
}

Result<MemoryKind> kind_of(const Column& column) {
  const auto kind = column.memory_kind();
  if (!kind) {
    return failed_precondition("a column in several kinds of memory cannot be handed over");
  }
  return *kind;
}

int32_t device_type_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice:
      return dlpack::kCuda;
    case MemoryKind::kManaged:
      return dlpack::kCudaManaged;
    case MemoryKind::kSimulated:
      return dlpack::kExtension;
    default:
      return dlpack::kCpu;
  }
}

}  // namespace

Status export_column(const Column& column, arrow::Array* out) {
  FOREBAY_ASSIGN_OR_RETURN(const MemoryKind kind, kind_of(column));
  if (!memory::is_host_accessible(kind)) {
    return failed_precondition("a column in {} memory is handed over by Arrow's device interface only",
                               memory::name_of(kind));
  }
  FOREBAY_RETURN_IF_ERROR(wait_until_written(column));
  fill(column, out);
  return ok_status();
}

Status export_device_column(const Column& column, arrow::DeviceArray* out) {
  FOREBAY_ASSIGN_OR_RETURN(const MemoryKind kind, kind_of(column));
  FOREBAY_RETURN_IF_ERROR(wait_until_written(column));
  *out = {};
  fill(column, &out->array);
  out->device_type = device_type_of(kind);
  out->device_id = out->device_type == dlpack::kCpu ? -1 : 0;
  return ok_status();
}

}  // namespace forebay::exchange
