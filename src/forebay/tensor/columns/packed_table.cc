#include "forebay/tensor/columns/packed_table.h"

#include <algorithm>
#include <cstring>

#include "forebay/base/round_up.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/packed_format.h"

namespace forebay::tensor {
namespace {

uint64_t aligned(uint64_t bytes) {
  return round_up(bytes, kPackedAlignment);
}

// Returns rows [first, first + count) of a child; the bounds have been checked.
Column part_of(const ColumnRef& child, int64_t first, int64_t count) {
  Result<Column> part = child->slice(first, count);
  FOREBAY_CHECK(part.ok());
  return *std::move(part);
}

// Copies `count` bits, starting at bit `first`, to bit 0; the bits after them become zero.
void shift_bits(const uint8_t* source, int64_t first, int64_t count, uint8_t* to) {
  const int shift = static_cast<int>(first % 8);
  const int64_t bytes = (count + 7) / 8;
  const uint8_t* const from = source + first / 8;
  if (shift == 0) {
    memory::copy(to, from, bytes);
  }
  const int64_t last = (first + count - 1) / 8 - first / 8;  // last readable byte, relative to `from`
  for (int64_t i = 0; shift != 0 && i < bytes; ++i) {
    const int next = i < last ? from[i + 1] : 0;
    to[i] = static_cast<uint8_t>((from[i] >> shift) | (next << (8 - shift)));
  }
  if (count % 8 != 0) {
    to[bytes - 1] &= static_cast<uint8_t>((1 << (count % 8)) - 1);
  }
}

template <class T>
void rebase(const std::byte* source, int64_t first, int64_t count, std::byte* to) {
  const T* const from = reinterpret_cast<const T*>(source) + first;
  T* const offsets = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) {
    offsets[i] = static_cast<T>(from[i] - from[0]);
  }
}

}  // namespace

// Writes the description, and records what goes where after it.
class Packer {
 public:
  explicit Packer(PackPlan& plan) : plan_(plan) {}

  void pack(const Table& table) {
    put(PackedHeader());
    put_metadata(table.metadata());
    for (const Field& field : table.fields()) {
      put_field(field);
    }
    for (const ColumnRef& column : table.columns()) {
      put_column(*column);
    }
    place(table);
  }

 private:
  void put_bytes(const void* data, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    plan_.description_.insert(plan_.description_.end(), bytes, bytes + size);
  }
  template <class T>
  void put(const T& value) {
    put_bytes(&value, sizeof(value));
  }
  void put_text(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    put_bytes(text.data(), text.size());
  }
  void put_metadata(const Metadata& metadata) {
    put(static_cast<uint32_t>(metadata.size()));
    for (const auto& [key, value] : metadata) {
      put_text(key);
      put_text(value);
    }
  }
  void put_field(const Field& field) {
    put_text(field.name);
    put(static_cast<uint8_t>(field.is_nullable));
    put_metadata(field.metadata);
    put_type(*field.type);
  }

  void put_tensor(const TensorShape& tensor) {
    put(static_cast<uint8_t>(tensor.shape.rank()));
    for (const int64_t extent : tensor.shape.extents()) {
      put(extent);
    }
    put(static_cast<uint8_t>(tensor.dim_names.size()));
    for (const std::string& name : tensor.dim_names) {
      put_text(name);
    }
    put(static_cast<uint8_t>(tensor.permutation.size()));
    for (const int axis : tensor.permutation) {
      put(static_cast<uint8_t>(axis));
    }
  }

  // Writes every parameter for every type: a few bytes more than necessary, but only one way to read them.
  void put_type(const ColumnType& type) {
    put(static_cast<uint8_t>(type.id));
    put(type.id == TypeId::kFixedBinary ? type.byte_width : type.list_size);
    put(static_cast<uint8_t>(type.precision));
    put(static_cast<int32_t>(type.scale));
    put(static_cast<uint8_t>(type.unit));
    put_text(type.timezone);
    put(static_cast<uint8_t>(type.tensor.has_value()));
    if (type.tensor) {
      put_tensor(*type.tensor);
    }
    put(static_cast<uint32_t>(type.children.size()));
    for (const Field& child : type.children) {
      put_field(child);
    }
    if (type.id == TypeId::kDictionary) {
      put(static_cast<uint8_t>(type.index_id));
      put(static_cast<uint8_t>(type.is_ordered));
      put_type(*type.value_type);
    }
  }

  // The offset is filled in once the size of the description is known; until then it is the piece's number.
  void put_piece(PackPlan::How how, const BufferRange& buffer, int64_t first, int64_t count, uint64_t bytes) {
    const bool is_there = bytes > 0;
    put(static_cast<uint64_t>(0));
    put(is_there ? bytes : uint64_t{0});
    if (is_there) {
      places_.push_back(plan_.description_.size() - 2 * sizeof(uint64_t));
      plan_.pieces_.push_back({how, buffer.data(), first, count, 0, bytes});
    }
  }

  void put_bits(const BufferRange& buffer, const Column& column, bool is_there) {
    const int64_t count = is_there ? column.length : 0;
    put_piece(PackPlan::How::kBits, buffer, column.offset, count, (count + 7) / 8);
  }

  void put_buffers(const Column& column) {
    const ColumnType& type = *column.type;
    if (type.buffer_count() > 0) {
      put_bits(column.buffers[0], column, column.count_nulls() > 0);
    }
    const int64_t width = type.value_width();
    const int offset_width = type.offset_width();
    if (type.layout() == ColumnLayout::kBits) {
      put_bits(column.buffers[1], column, true);
    } else if (type.layout() == ColumnLayout::kFixed) {
      put_piece(PackPlan::How::kCopy, column.buffers[1], column.offset * width, column.length * width,
                column.length * width);
    } else if (offset_width > 0) {
      const int64_t count = column.length == 0 ? 0 : column.length + 1;
      put_piece(offset_width == sizeof(int32_t) ? PackPlan::How::kOffsets32 : PackPlan::How::kOffsets64,
                column.buffers[1], column.offset, count, count * offset_width);
    }
    if (type.layout() == ColumnLayout::kText) {
      const auto [first, last] = ends(column);
      put_piece(PackPlan::How::kCopy, column.buffers[2], first, last - first, last - first);
    }
  }

  std::pair<int64_t, int64_t> ends(const Column& column) const {
    if (column.length == 0) {
      return {0, 0};
    }
    return {column.offset_at(column.offset), column.offset_at(column.offset + column.length)};
  }

  void put_column(const Column& column) {
    put(column.length);
    put(column.count_nulls());
    put_buffers(column);
    for (const ColumnRef& child : column.children) {
      if (column.type->layout() == ColumnLayout::kList) {
        const auto [first, last] = ends(column);
        put_column(part_of(child, first, last - first));
        continue;
      }
      const int64_t each = column.type->layout() == ColumnLayout::kFixedList ? column.type->list_size : 1;
      put_column(column.length == 0 ? part_of(child, 0, 0)
                                    : part_of(child, column.offset * each, column.length * each));
    }
    if (column.dictionary) {
      put_column(*column.dictionary);
    }
  }

  void place(const Table& table) {
    uint64_t end = aligned(plan_.description_.size());
    for (size_t i = 0; i < places_.size(); ++i) {
      plan_.pieces_[i].target = end;
      std::memcpy(plan_.description_.data() + places_[i], &end, sizeof(end));
      end = aligned(end + plan_.pieces_[i].bytes);
    }
    PackedHeader header;
    header.total_bytes = end;
    header.description_bytes = plan_.description_.size() - sizeof(header);
    header.rows = table.rows();
    header.columns = static_cast<uint32_t>(table.column_count());
    std::memcpy(plan_.description_.data(), &header, sizeof(header));
    plan_.size_bytes_ = end;
  }

  PackPlan& plan_;
  std::vector<size_t> places_;  // where in the description each piece's offset goes
};

Result<PackPlan> PackPlan::make(const Table& table) {
  FOREBAY_RETURN_IF_ERROR(validate(table, ValidationLevel::kBounds));
  PackPlan plan;
  plan.table_ = table;
  Packer(plan).pack(table);
  return plan;
}

void PackPlan::write_piece(const Piece& piece, std::byte* to) {
  switch (piece.how) {
    case How::kBits:
      shift_bits(reinterpret_cast<const uint8_t*>(piece.source), piece.first, piece.count,
                 reinterpret_cast<uint8_t*>(to));
      break;
    case How::kOffsets32:
      rebase<int32_t>(piece.source, piece.first, piece.count, to);
      break;
    case How::kOffsets64:
      rebase<int64_t>(piece.source, piece.first, piece.count, to);
      break;
    case How::kCopy:
      memory::copy(to, piece.source + piece.first, piece.bytes);
      break;
  }
}

Status PackPlan::write(MutableBytes region) const {
  if (region.size() < size_bytes_) {
    return invalid_argument("a table of {} bytes does not fit a region of {}", size_bytes_, region.size());
  }
  uint64_t end = description_.size();
  memory::copy(region.data(), description_.data(), end);
  for (const Piece& piece : pieces_) {
    std::memset(region.data() + end, 0, piece.target - end);
    write_piece(piece, region.data() + piece.target);
    end = piece.target + piece.bytes;
  }
  std::memset(region.data() + end, 0, size_bytes_ - end);
  return ok_status();
}

}  // namespace forebay::tensor
