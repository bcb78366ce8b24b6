#include "forebay/tensor/records/record_table.h"

#include <algorithm>
#include <cstring>

#include "forebay/memory/host/huge_page_resource.h"

namespace forebay::tensor {
namespace {

// How many records are converted at a time if some fields are bools, which are bytes in records and bits in
// columns.
constexpr int64_t kChunk = 4096;

// Packs eight bools at `bytes` (any value but 0 is true) into bits.
uint8_t packed_bits(const std::byte* bytes) {
  constexpr uint64_t kLowBits = 0x0101010101010101;
  constexpr uint64_t kGather = 0x0102040810204080;  // moves bit 0 of byte i to bit 56 + i
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  word |= word >> 4;
  word |= word >> 2;
  word |= word >> 1;
  return static_cast<uint8_t>(((word & kLowBits) * kGather) >> 56);
}

void pack_bits(const std::byte* bytes, int64_t count, uint8_t* bits) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    bits[i / 8] = packed_bits(bytes + i);
  }
  if (i < count) {
    std::byte last[8] = {};
    std::copy(bytes + i, bytes + count, last);
    bits[i / 8] = packed_bits(last);
  }
}

void unpack_bits(const uint8_t* bits, int64_t first, int64_t count, std::byte* bytes) {
  for (int64_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(bit_at(bits, first + i));
  }
}

bool is_bits(const RecordField& field) {
  return field.dtype == DType::kBool;
}

// The bool fields, and their values as bytes while a chunk of records is converted.
struct BoolBytes {
  std::vector<std::vector<std::byte>> of_field;

  explicit BoolBytes(const RecordLayout& layout) : of_field(layout.field_count()) {
    for (int i = 0; i < layout.field_count(); ++i) {
      if (is_bits(layout.fields()[i])) {
        of_field[i].resize(kChunk * layout.fields()[i].count);
      }
    }
  }
  bool is_needed() const {
    return std::any_of(of_field.begin(), of_field.end(), [](const auto& bytes) { return !bytes.empty(); });
  }
};

// Calls function(first, count) to cover all of `rows`, in chunks if there are bools.
template <class F>
Status for_chunks(int64_t rows, bool in_chunks, F&& function) {
  const int64_t step = in_chunks ? kChunk : std::max<int64_t>(rows, 1);
  for (int64_t first = 0; first < rows; first += step) {
    FOREBAY_RETURN_IF_ERROR(function(first, std::min(step, rows - first)));
  }
  return ok_status();
}

Stores stores_of(int64_t bytes) {
  return bytes >= kStreamingBytes ? Stores::kStreaming : Stores::kCached;
}

Status split_into(const RecordLayout& layout, Bytes records, const ColumnPlaces& places, MutableBytes block) {
  const int64_t stride = layout.stride_bytes();
  const int64_t rows = static_cast<int64_t>(records.size()) / stride;
  BoolBytes bools(layout);
  const Stores stores = stores_of(rows * layout.payload_bytes());
  return for_chunks(rows, bools.is_needed(), [&](int64_t first, int64_t count) {
    std::vector<MutableBytes> columns;
    for (int i = 0; i < layout.field_count(); ++i) {
      const int64_t width = layout.fields()[i].size_bytes();
      columns.push_back(is_bits(layout.fields()[i])
                            ? MutableBytes(bools.of_field[i])
                            : block.subspan(places.offsets_bytes[i] + first * width, count * width));
    }
    FOREBAY_RETURN_IF_ERROR(
        split_records(layout, records.subspan(first * stride, count * stride), columns, stores));
    for (int i = 0; i < layout.field_count(); ++i) {
      const int64_t each = layout.fields()[i].count;
      if (is_bits(layout.fields()[i])) {
        auto* const bits = reinterpret_cast<uint8_t*>(block.data() + places.offsets_bytes[i]);
        pack_bits(bools.of_field[i].data(), count * each, bits + first * each / 8);
      }
    }
    return ok_status();
  });
}

Column column_in(const memory::BufferRef& block, int64_t offset, const RecordField& field, int64_t rows) {
  const int64_t elements = rows * field.count;
  const int64_t bytes = is_bits(field) ? (elements + 7) / 8 : rows * field.size_bytes();
  Column column{.type = column_type(field.dtype), .length = elements};
  column.buffers = {BufferRange(), BufferRange(block, offset, bytes)};
  if (!field.is_array()) {
    return column;
  }
  Column rows_of{.type = column_type_of(field), .length = rows, .buffers = {BufferRange()}};
  rows_of.children = {std::make_shared<const Column>(std::move(column))};
  return rows_of;
}

// The elements of a field's column, without those before its slice; checks type and nulls.
Result<Column> elements_of(const RecordField& field, const Table& table) {
  FOREBAY_ASSIGN_OR_RETURN(const ColumnRef column, table.column(field.name));
  const int64_t size = column->type->id == TypeId::kFixedSizeList ? column->type->list_size : 1;
  Column elements = *column;
  if (elements.count_nulls() != 0) {
    return invalid_argument("column '{}' contains nulls, which records cannot", field.name);
  }
  if (column->type->id == TypeId::kFixedSizeList) {
    FOREBAY_ASSIGN_OR_RETURN(elements,
                             column->children[0]->slice(column->offset * size, column->length * size));
  }
  if (dtype_of(elements.type->id) != field.dtype || size != field.count) {
    return invalid_argument("column '{}' is of {}, the field of {}", field.name, column->type->to_string(),
                            column_type_of(field)->to_string());
  }
  if (elements.count_nulls() != 0) {
    return invalid_argument("column '{}' contains nulls, which records cannot", field.name);
  }
  return elements;
}

}  // namespace

ColumnTypeRef column_type_of(const RecordField& field) {
  return field.is_array() ? tensor_type(field.dtype, field.extents()) : column_type(field.dtype);
}

Result<Table> table_of_records(const RecordLayout& layout, Bytes records,
                               std::shared_ptr<memory::MemoryResource> resource) {
  if (records.size() % layout.stride_bytes() != 0) {
    return invalid_argument("{} bytes are not a whole number of records of {}", records.size(),
                            layout.stride_bytes());
  }
  const int64_t rows = static_cast<int64_t>(records.size()) / layout.stride_bytes();
  FOREBAY_ASSIGN_OR_RETURN(const ColumnPlaces places, place_columns(layout, rows));
  if (resource == nullptr) {
    resource = places.total_bytes >= kStreamingBytes ? memory::huge_page_resource() : memory::host_pool();
  }
  if (!memory::is_host_accessible(resource->kind())) {
    return failed_precondition("records are converted in host memory, not in '{}'", resource->name());
  }
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef block,
                           memory::Buffer::allocate(places.total_bytes, std::move(resource)));
  FOREBAY_RETURN_IF_ERROR(split_into(layout, records, places, block->mutable_bytes()));
  std::vector<Field> fields;
  std::vector<ColumnRef> columns;
  for (int i = 0; i < layout.field_count(); ++i) {
    Column column = column_in(block, places.offsets_bytes[i], layout.fields()[i], rows);
    fields.push_back({layout.fields()[i].name, column.type, false, {}});
    columns.push_back(std::make_shared<const Column>(std::move(column)));
  }
  return Table::make(std::move(fields), std::move(columns), rows);
}

Status records_of_table(const RecordLayout& layout, const Table& table, MutableBytes records) {
  const int64_t stride = layout.stride_bytes();
  if (static_cast<int64_t>(records.size()) / stride != table.rows() || records.size() % stride != 0) {
    return invalid_argument("{} bytes for {} records of {}", records.size(), table.rows(), stride);
  }
  std::vector<Column> elements;
  for (const RecordField& field : layout.fields()) {
    FOREBAY_ASSIGN_OR_RETURN(Column found, elements_of(field, table));
    elements.push_back(std::move(found));
  }
  BoolBytes bools(layout);
  const Stores stores = stores_of(static_cast<int64_t>(records.size()));
  return for_chunks(table.rows(), bools.is_needed(), [&](int64_t first, int64_t count) {
    std::vector<Bytes> columns;
    for (int i = 0; i < layout.field_count(); ++i) {
      const RecordField& field = layout.fields()[i];
      const Column& from = elements[i];
      if (is_bits(field)) {
        unpack_bits(from.buffers[1].as<uint8_t>(), from.offset + first * field.count, count * field.count,
                    bools.of_field[i].data());
        columns.emplace_back(bools.of_field[i]);
        continue;
      }
      const int64_t element = static_cast<int64_t>(size_of(field.dtype));
      columns.emplace_back(from.buffers[1].data() + from.offset * element + first * field.size_bytes(),
                           count * field.size_bytes());
    }
    return join_records(layout, columns, records.subspan(first * stride, count * stride), stores);
  });
}

}  // namespace forebay::tensor
