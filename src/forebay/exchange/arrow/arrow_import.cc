// Imports Arrow arrays as columns. Nothing in an array is trusted before it is checked: counts and pointers
// here, content by tensor::validate.
#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/exchange/arrow/arrow_array.h"
#include "forebay/exchange/arrow/text_views.h"
#include "forebay/memory/copy.h"

namespace forebay::exchange {
namespace {

using memory::Buffer;
using memory::MemoryKind;
using tensor::BufferRange;
using tensor::Column;
using tensor::ColumnLayout;
using tensor::ColumnType;
using tensor::ColumnTypeRef;

constexpr int64_t kMaxRows = int64_t{1} << 48;

// Where the buffers are and what keeps them alive.
struct Source {
  MemoryKind kind = MemoryKind::kHost;
  std::shared_ptr<void> holder;
  ArrowImportOptions options;

  bool is_readable() const { return memory::is_host_accessible(kind); }
};

class ColumnReader {
 public:
  ColumnReader(const Source& source, const arrow::Schema& schema, const arrow::Array& array,
               const ColumnTypeRef& type)
      : source_(source), schema_(schema), array_(array), type_(type) {}

  Result<Column> read() {
    FOREBAY_RETURN_IF_ERROR(check_counts());
    Column column;
    column.type = type_;
    column.length = array_.length;
    column.null_count = array_.null_count;
    column.offset = array_.offset;
    FOREBAY_RETURN_IF_ERROR(read_buffers(column));
    for (size_t i = 0; i < type_->children.size(); ++i) {
      ColumnReader child(source_, *schema_.children[i], *array_.children[i], type_->children[i].type);
      FOREBAY_ASSIGN_OR_RETURN(Column read, child.read());
      column.children.push_back(std::make_shared<const Column>(std::move(read)));
    }
    if (type_->id == tensor::TypeId::kDictionary) {
      ColumnReader values(source_, *schema_.dictionary, *array_.dictionary, type_->value_type);
      FOREBAY_ASSIGN_OR_RETURN(Column read, values.read());
      column.dictionary = std::make_shared<const Column>(std::move(read));
    }
    return column;
  }

 private:
  bool is_view() const { return schema_.dictionary == nullptr && is_text_view(schema_.format); }

  // Polars gives all-null columns a validity bitmap, which Arrow's null type does not have; it is ignored.
  bool is_null_with_validity() const { return type_->id == tensor::TypeId::kNull && array_.n_buffers == 1; }

  Status check_counts() const {
    if (array_.length < 0 || array_.offset < 0 || array_.length > kMaxRows || array_.offset > kMaxRows ||
        array_.null_count < tensor::kUnknownNullCount || array_.null_count > array_.length) {
      return invalid_argument("an Arrow array of {} has length {}, offset {} and {} nulls",
                              type_->to_string(), array_.length, array_.offset, array_.null_count);
    }
    const bool has_buffers = is_view() ? array_.n_buffers >= 3 && array_.n_buffers < (int64_t{1} << 32)
                                       : array_.n_buffers == type_->buffer_count() || is_null_with_validity();
    if (!has_buffers || (array_.n_buffers > 0 && array_.buffers == nullptr)) {
      return invalid_argument("an Arrow array of {} has {} buffers", type_->to_string(), array_.n_buffers);
    }
    const auto children = static_cast<int64_t>(type_->children.size());
    if (array_.n_children != children || (children > 0 && array_.children == nullptr)) {
      return invalid_argument("an Arrow array of {} has {} children", type_->to_string(), array_.n_children);
    }
    for (int64_t i = 0; i < children; ++i) {
      if (array_.children[i] == nullptr) {
        return invalid_argument("child {} of an Arrow array is missing", i);
      }
    }
    if ((type_->id == tensor::TypeId::kDictionary) != (array_.dictionary != nullptr)) {
      return invalid_argument("an Arrow array of {} does not match its dictionary", type_->to_string());
    }
    return ok_status();
  }

  Status read_buffers(Column& column) {
    const int64_t rows = array_.offset + array_.length;
    if (type_->layout() != ColumnLayout::kNothing) {
      FOREBAY_ASSIGN_OR_RETURN(BufferRange validity, validity_of(column, rows));
      column.buffers.push_back(std::move(validity));
    }
    if (is_view()) {
      return read_views(column);
    }
    switch (type_->layout()) {
      case ColumnLayout::kBits:
        return add(column, 1, (rows + 7) / 8, 1);
      case ColumnLayout::kFixed:
        return add_fixed(column, rows);
      case ColumnLayout::kText:
        FOREBAY_RETURN_IF_ERROR(add_offsets(column, rows));
        return add_text(column, rows);
      case ColumnLayout::kList:
        return add_offsets(column, rows);
      default:
        return ok_status();
    }
  }

  Result<BufferRange> validity_of(Column& column, int64_t rows) {
    if (array_.buffers[0] == nullptr) {
      if (array_.null_count > 0) {
        return invalid_argument("an Arrow array of {} has {} nulls and no validity bitmap",
                                type_->to_string(), array_.null_count);
      }
      column.null_count = 0;
      return BufferRange();
    }
    return range(0, (rows + 7) / 8, 1);
  }

  Status add_fixed(Column& column, int64_t rows) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(rows, type_->value_width(), &bytes)) {
      return invalid_argument("an Arrow array of {} rows is larger than any memory", rows);
    }
    const bool is_number = type_->id != tensor::TypeId::kFixedBinary;
    const int64_t width = type_->value_width();
    return add(column, 1, bytes, is_number ? std::min<int64_t>(width, 8) : 1);
  }

  Status add_offsets(Column& column, int64_t rows) {
    if (array_.buffers[1] == nullptr && array_.length == 0) {
      column.offset = 0;
      column.buffers.emplace_back();
      return ok_status();
    }
    return add(column, 1, (rows + 1) * type_->offset_width(), type_->offset_width());
  }

  // Adds the bytes of text: as many as the last offset says.
  Status add_text(Column& column, int64_t rows) {
    if (!source_.is_readable()) {
      return failed_precondition("text in {} memory cannot be imported: its size is stored there",
                                 memory::name_of(source_.kind));
    }
    const BufferRange& offsets = column.buffers[1];
    int64_t bytes = 0;
    if (offsets.is_present()) {
      bytes = type_->offset_width() == 4 ? offsets.as<int32_t>()[rows] : offsets.as<int64_t>()[rows];
    }
    if (bytes < 0) {
      return invalid_argument("the last offset of an Arrow array of {} is {}", type_->to_string(), bytes);
    }
    return add(column, 2, bytes, 1);
  }

  Status read_views(Column& column) {
    if (!source_.options.may_copy || !source_.is_readable()) {
      return failed_precondition("views of text need a copy on the host to become columns");
    }
    FOREBAY_ASSIGN_OR_RETURN(TextOfViews text, text_of_views(array_, column.buffers[0]));
    column.buffers.push_back(std::move(text.offsets));
    column.buffers.push_back(std::move(text.bytes));
    return ok_status();
  }

  Status add(Column& column, int index, int64_t bytes, int64_t alignment) {
    FOREBAY_ASSIGN_OR_RETURN(BufferRange part, range(index, bytes, alignment));
    column.buffers.push_back(std::move(part));
    return ok_status();
  }

  Result<BufferRange> range(int index, int64_t bytes, int64_t alignment) {
    const void* data = array_.buffers[index];
    if (bytes == 0) {
      return BufferRange();
    }
    if (data == nullptr) {
      return invalid_argument("buffer {} of an Arrow array of {} is missing", index, type_->to_string());
    }
    if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(alignment) != 0) {
      return aligned_copy(data, bytes);
    }
    auto release = [holder = source_.holder]() mutable { holder.reset(); };
    return BufferRange(
        Buffer::wrap(const_cast<void*>(data), static_cast<size_t>(bytes), source_.kind, std::move(release)));
  }

  Result<BufferRange> aligned_copy(const void* data, int64_t bytes) {
    if (!source_.options.may_copy || !source_.is_readable()) {
      return failed_precondition("a misaligned buffer of an Arrow array needs a copy to become a column");
    }
    FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, Buffer::allocate(static_cast<size_t>(bytes)));
    memory::copy(buffer->data(), data, static_cast<size_t>(bytes));
    return BufferRange(std::move(buffer));
  }

  const Source& source_;
  const arrow::Schema& schema_;
  const arrow::Array& array_;
  const ColumnTypeRef& type_;
};

Result<Column> import_from(const Source& source, const arrow::Schema& schema, const arrow::Array& array) {
  if (array.release == nullptr) {
    return invalid_argument("the Arrow array has been released");
  }
  FOREBAY_ASSIGN_OR_RETURN(const tensor::Field field, field_of(schema));
  FOREBAY_ASSIGN_OR_RETURN(Column column, ColumnReader(source, schema, array, field.type).read());
  const auto level = source.is_readable() ? source.options.validation : tensor::ValidationLevel::kMinimal;
  FOREBAY_RETURN_IF_ERROR(
      tensor::validate(column, level, field.name.empty() ? std::string_view("column") : field.name));
  return column;
}

EventWait& event_wait() {
  static auto* wait = new EventWait;
  return *wait;
}

}  // namespace

Result<Column> import_column(const arrow::Schema& schema, arrow::Owned<arrow::Array> array,
                             const ArrowImportOptions& options) {
  auto holder = std::make_shared<arrow::Owned<arrow::Array>>(std::move(array));
  return import_from({MemoryKind::kHost, holder, options}, schema, **holder);
}

void set_event_wait(EventWait wait) {
  event_wait() = std::move(wait);
}

Result<Column> import_device_column(const arrow::Schema& schema, arrow::Owned<arrow::DeviceArray> array,
                                    const ArrowImportOptions& options) {
  auto holder = std::make_shared<arrow::Owned<arrow::DeviceArray>>(std::move(array));
  const arrow::DeviceArray& device = **holder;
  if (device.sync_event != nullptr) {
    if (!event_wait()) {
      return failed_precondition(
          "an Arrow array on device type {} waits for an event of a driver that is not present",
          device.device_type);
    }
    FOREBAY_RETURN_IF_ERROR(event_wait()(device.sync_event, device.device_type, device.device_id));
  }
  return import_from({memory_kind_of({device.device_type, 0}), holder, options}, schema, device.array);
}

}  // namespace forebay::exchange
