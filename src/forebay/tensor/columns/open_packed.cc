// Opens packed tables: each number is checked before it is used.
#include <cstring>
#include <string>

#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/packed_format.h"
#include "forebay/tensor/columns/packed_table.h"

namespace forebay::tensor {
namespace {

// Reads values from the description. Past the end everything is zero and is_broken() returns true.
class DescriptionReader {
 public:
  explicit DescriptionReader(Bytes bytes) : rest_(bytes) {}

  bool is_broken() const { return is_broken_; }
  size_t rest_bytes() const { return rest_.size(); }

  template <class T>
  T get() {
    T value{};
    if (rest_.size() < sizeof(T)) {
      is_broken_ = true;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  /// Reads a count of things that take at least one byte each.
  uint32_t get_count() {
    const auto count = get<uint32_t>();
    is_broken_ = is_broken_ || count > rest_.size();
    return is_broken_ ? 0 : count;
  }

  std::string get_text() {
    const uint32_t size = get_count();
    std::string text(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return text;
  }

  Metadata get_metadata() {
    Metadata metadata;
    for (uint32_t left = get_count(); left > 0 && !is_broken_; --left) {
      std::string key = get_text();
      metadata.emplace_back(std::move(key), get_text());
    }
    return metadata;
  }

 private:
  Bytes rest_;
  bool is_broken_ = false;
};

class Unpacker {
 public:
  Unpacker(const BufferRange& region, const PackedHeader& header, Bytes description)
      : region_(region), header_(header), reader_(description) {}

  Result<Table> unpack() {
    Metadata metadata = reader_.get_metadata();
    std::vector<Field> fields;
    for (uint32_t i = 0; i < header_.columns; ++i) {
      FOREBAY_ASSIGN_OR_RETURN(Field field, get_field(1));
      FOREBAY_RETURN_IF_ERROR(check_type(*field.type));
      fields.push_back(std::move(field));
    }
    std::vector<ColumnRef> columns;
    for (const Field& field : fields) {
      FOREBAY_ASSIGN_OR_RETURN(ColumnRef column, get_column(field.type));
      columns.push_back(std::move(column));
    }
    if (reader_.is_broken() || reader_.rest_bytes() != 0) {
      return data_loss("the description {}", reader_.is_broken() ? "ends early" : "goes on after its end");
    }
    return Table::make(std::move(fields), std::move(columns), static_cast<int64_t>(header_.rows),
                       std::move(metadata));
  }

 private:
  Result<Field> get_field(int depth) {
    Field field;
    field.name = reader_.get_text();
    field.is_nullable = reader_.get<uint8_t>() != 0;
    field.metadata = reader_.get_metadata();
    FOREBAY_ASSIGN_OR_RETURN(field.type, get_type(depth));
    return field;
  }

  Result<TensorShape> get_tensor() {
    TensorShape tensor;
    const int rank = reader_.get<uint8_t>();
    if (rank > kMaxRank) {
      return data_loss("a tensor shape of {} axes", rank);
    }
    for (int axis = 0; axis < rank; ++axis) {
      tensor.shape.push_back(reader_.get<int64_t>());
    }
    for (int left = reader_.get<uint8_t>(); left > 0 && !reader_.is_broken(); --left) {
      tensor.dim_names.push_back(reader_.get_text());
    }
    for (int left = reader_.get<uint8_t>(); left > 0 && !reader_.is_broken(); --left) {
      tensor.permutation.push_back(reader_.get<uint8_t>());
    }
    return tensor;
  }

  // Checks only depth and number of types here, which bounds the reading; check_type checks the rest.
  Result<ColumnTypeRef> get_type(int depth) {
    if (depth > kMaxTypeDepth || ++nodes_ > kMaxTypeNodes || reader_.is_broken()) {
      return data_loss("the types {}", reader_.is_broken() ? "end early" : "nest too deep or are too many");
    }
    ColumnType type;
    type.id = static_cast<TypeId>(reader_.get<uint8_t>());
    const auto size = reader_.get<int64_t>();
    (type.id == TypeId::kFixedBinary ? type.byte_width : type.list_size) = size;
    type.precision = reader_.get<uint8_t>();
    type.scale = reader_.get<int32_t>();
    type.unit = static_cast<TimeUnit>(reader_.get<uint8_t>());
    type.timezone = reader_.get_text();
    if (reader_.get<uint8_t>() != 0) {
      FOREBAY_ASSIGN_OR_RETURN(type.tensor, get_tensor());
    }
    for (uint32_t left = reader_.get_count(); left > 0; --left) {
      FOREBAY_ASSIGN_OR_RETURN(Field child, get_field(depth + 1));
      type.children.push_back(std::move(child));
    }
    if (type.id == TypeId::kDictionary) {
      type.index_id = static_cast<TypeId>(reader_.get<uint8_t>());
      type.is_ordered = reader_.get<uint8_t>() != 0;
      FOREBAY_ASSIGN_OR_RETURN(type.value_type, get_type(depth + 1));
    }
    return std::make_shared<const ColumnType>(std::move(type));
  }

  Result<BufferRange> get_buffer() {
    const auto place = reader_.get<uint64_t>();
    const auto bytes = reader_.get<uint64_t>();
    if (bytes == 0) {
      return BufferRange();
    }
    const uint64_t first = sizeof(PackedHeader) + header_.description_bytes;
    if (place % kPackedAlignment != 0 || place < first || place > header_.total_bytes ||
        bytes > header_.total_bytes - place) {
      return data_loss("a buffer of {} bytes at {} in a table of {} bytes, whose buffers begin at {}", bytes,
                       place, header_.total_bytes, first);
    }
    return BufferRange(region_.owner, region_.offset_bytes + place, bytes);
  }

  Result<ColumnRef> get_column(const ColumnTypeRef& type) {
    Column column{.type = type, .length = reader_.get<int64_t>(), .null_count = reader_.get<int64_t>()};
    for (int left = type->buffer_count(); left > 0; --left) {
      FOREBAY_ASSIGN_OR_RETURN(BufferRange buffer, get_buffer());
      column.buffers.push_back(std::move(buffer));
    }
    for (const Field& child : type->children) {
      FOREBAY_ASSIGN_OR_RETURN(ColumnRef part, get_column(child.type));
      column.children.push_back(std::move(part));
    }
    if (type->value_type) {
      FOREBAY_ASSIGN_OR_RETURN(column.dictionary, get_column(type->value_type));
    }
    return std::make_shared<const Column>(std::move(column));
  }

  const BufferRange& region_;
  const PackedHeader& header_;
  DescriptionReader reader_;
  int64_t nodes_ = 0;
};

Status check_header(const PackedHeader& header, size_t region_bytes, const OpenPackedOptions& options) {
  if (header.magic != kPackedMagic) {
    return data_loss("not a table: it begins with another magic number");
  }
  if (header.version != kPackedVersion || header.header_bytes != sizeof(header)) {
    return data_loss("version {} with a header of {} bytes; version {} is known", header.version,
                     header.header_bytes, kPackedVersion);
  }
  if (header.total_bytes > region_bytes || header.total_bytes < sizeof(header) ||
      header.description_bytes > header.total_bytes - sizeof(header)) {
    return data_loss("a table of {} bytes with a description of {} in a region of {}", header.total_bytes,
                     header.description_bytes, region_bytes);
  }
  if (header.description_bytes > options.max_description_bytes) {
    return resource_exhausted("a description of {} bytes; the limit is {}", header.description_bytes,
                              options.max_description_bytes);
  }
  if (header.rows > static_cast<uint64_t>(INT64_MAX) || header.columns > kMaxTypeNodes) {
    return data_loss("{} rows, {} columns", header.rows, header.columns);
  }
  return ok_status();
}

// Turns every error into data_loss, since the bytes are to blame, not the caller.
Status as_data_loss(const Status& status) {
  return status.ok() || status.code() != StatusCode::kInvalidArgument ? status
                                                                      : data_loss("{}", message(status));
}

Result<Table> open_region(const BufferRange& region, const OpenPackedOptions& options) {
  // Header and description are first copied into memory that nobody else can change.
  PackedHeader header;
  std::memcpy(&header, region.data(), sizeof(header));
  FOREBAY_RETURN_IF_ERROR(check_header(header, region.size_bytes, options));
  std::vector<std::byte> description(header.description_bytes);
  memory::copy(description.data(), region.data() + sizeof(header), description.size());
  FOREBAY_ASSIGN_OR_RETURN(Table table, Unpacker(region, header, description).unpack());
  FOREBAY_RETURN_IF_ERROR(validate(table, std::max(options.validation, ValidationLevel::kBounds)));
  return table;
}

}  // namespace

Result<Table> open_packed(const BufferRange& region, const OpenPackedOptions& options) {
  if (!region.is_present() || !memory::is_host_accessible(region.owner->kind())) {
    return failed_precondition("a packed table must be in host memory");
  }
  if (reinterpret_cast<uintptr_t>(region.data()) % kPackedAlignment != 0) {
    return invalid_argument("a packed table must be aligned to {} bytes", kPackedAlignment);
  }
  if (region.size_bytes < sizeof(PackedHeader)) {
    return data_loss("packed table: {} bytes are too few for its header", region.size_bytes);
  }
  Result<Table> table = open_region(region, options);
  if (!table.ok()) {
    return annotate(as_data_loss(table.status()), "packed table");
  }
  return table;
}

}  // namespace forebay::tensor
