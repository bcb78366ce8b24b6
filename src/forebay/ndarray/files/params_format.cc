#include "forebay/ndarray/files/params_format.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_set>

#include "forebay/tensor/columns/utf8.h"

namespace forebay::ndarray {
namespace {

using tensor::DType;

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t kListMagic = 0x112;
constexpr uint32_t kFirstMagic = 0xF993fac8;
constexpr uint32_t kMagic = 0xF993fac9;
constexpr uint32_t kNumpyMagic = 0xF993faca;
constexpr uint64_t kLeastArrayBytes = 12;  // the minimum size of an array in a file
constexpr uint64_t kMaxNameBytes = 1 << 16;
constexpr int32_t kMaxRank = 32;
constexpr int32_t kCpu = 1;

/// Indexed by the file's type number.
constexpr DType kTypes[] = {
    DType::kFloat, DType::kFloat64, DType::kFloat16, DType::kUint8,  DType::kInt32,  DType::kInt8,
    DType::kInt64, DType::kBool,    DType::kInt16,   DType::kUint16, DType::kUint32, DType::kUint64,
};

Result<DType> dtype_of(int32_t number) {
  if (number < 0 || number >= static_cast<int32_t>(std::size(kTypes))) {
    return unimplemented("elements of type {}", number);
  }
  return kTypes[number];
}

int32_t number_of(DType dtype) {
  return static_cast<int32_t>(std::ranges::find(kTypes, dtype) - std::begin(kTypes));
}

/// Reads a source and keeps track of the position.
class Reader {
 public:
  explicit Reader(const ByteSource& source) : source_(source) {}

  uint64_t position() const { return position_; }
  uint64_t left() const { return source_.size_bytes() - position_; }

  template <class T>
  Result<T> number() {
    T value;
    FOREBAY_RETURN_IF_ERROR(bytes({reinterpret_cast<std::byte*>(&value), sizeof(value)}));
    return value;
  }

  Result<std::string> text(uint64_t size_bytes) {
    std::string made(size_bytes, '\0');
    FOREBAY_RETURN_IF_ERROR(bytes({reinterpret_cast<std::byte*>(made.data()), made.size()}));
    return made;
  }

  Status skip(uint64_t count) {
    FOREBAY_RETURN_IF_ERROR(check_left(count));
    position_ += count;
    return ok_status();
  }

 private:
  Status check_left(uint64_t count) const {
    return count <= left() ? ok_status() : data_loss("the file ends {} bytes too early", count - left());
  }
  Status bytes(MutableBytes destination) {
    FOREBAY_RETURN_IF_ERROR(check_left(destination.size()));
    FOREBAY_RETURN_IF_ERROR(source_.read(position_, destination));
    position_ += destination.size();
    return ok_status();
  }

  const ByteSource& source_;
  uint64_t position_ = 0;
};

template <class Extent>
Result<tensor::Shape> read_extents(Reader& reader, int32_t rank) {
  if (rank < 0 || rank > kMaxRank) {
    return data_loss("a rank of {}", rank);
  }
  if (rank > tensor::kMaxRank) {
    return unimplemented("an array of rank {}; arrays have at most {} axes", rank, tensor::kMaxRank);
  }
  tensor::Shape shape;
  for (int32_t axis = 0; axis < rank; ++axis) {
    FOREBAY_ASSIGN_OR_RETURN(const Extent extent, reader.number<Extent>());
    shape.push_back(static_cast<int64_t>(extent));
  }
  return shape;
}

Status check_dense(Reader& reader) {
  FOREBAY_ASSIGN_OR_RETURN(const int32_t storage_type, reader.number<int32_t>());
  if (storage_type == 1 || storage_type == 2) {
    return unimplemented("a sparse array ({})", storage_type == 1 ? "row_sparse" : "csr");
  }
  return storage_type == 0 ? ok_status() : data_loss("a storage type of {}", storage_type);
}

/// Reads what follows the magic.
Result<tensor::Shape> read_shape(Reader& reader, uint32_t magic) {
  if (magic != kMagic && magic != kNumpyMagic && magic != kFirstMagic) {
    return read_extents<uint32_t>(reader, static_cast<int32_t>(std::min<uint32_t>(magic, INT32_MAX)));
  }
  if (magic != kFirstMagic) {
    FOREBAY_RETURN_IF_ERROR(check_dense(reader));
  }
  FOREBAY_ASSIGN_OR_RETURN(const int32_t rank, reader.number<int32_t>());
  return read_extents<int64_t>(reader, rank);
}

Result<ParamsEntry> read_entry(Reader& reader) {
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t magic, reader.number<uint32_t>());
  ParamsEntry entry;
  FOREBAY_ASSIGN_OR_RETURN(entry.spec.shape, read_shape(reader, magic));
  const std::optional<int64_t> volume = entry.spec.shape.checked_volume();
  if (!volume) {
    return data_loss("a shape of {}", entry.spec.shape.to_string());
  }
  if (entry.spec.shape.rank() == 0 && magic != kNumpyMagic) {
    return data_loss("an array that was never given a shape");
  }
  FOREBAY_RETURN_IF_ERROR(reader.skip(2 * sizeof(int32_t)));  // the device
  FOREBAY_ASSIGN_OR_RETURN(const int32_t type, reader.number<int32_t>());
  FOREBAY_ASSIGN_OR_RETURN(entry.spec.dtype, dtype_of(type));
  entry.offset_bytes = reader.position();
  if (static_cast<uint64_t>(*volume) > reader.left() / tensor::size_of(entry.spec.dtype)) {
    return data_loss("{} need {} elements, of which the file has {}", entry.spec.to_string(), *volume,
                     reader.left() / tensor::size_of(entry.spec.dtype));
  }
  FOREBAY_RETURN_IF_ERROR(reader.skip(entry.spec.size_bytes()));
  return entry;
}

Result<std::string> read_name(Reader& reader) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size_bytes, reader.number<uint64_t>());
  if (size_bytes > kMaxNameBytes) {
    return data_loss("a name of {} bytes", size_bytes);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::string name, reader.text(size_bytes));
  if (!tensor::is_utf8(name)) {
    return data_loss("a name that is not UTF-8");
  }
  return name;
}

Status read_entries(Reader& reader, ParamsTable& table) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t magic, reader.number<uint64_t>());
  if (magic != kListMagic) {
    return data_loss("not a file of arrays: it begins with 0x{:x}, not 0x{:x}", magic, kListMagic);
  }
  FOREBAY_RETURN_IF_ERROR(reader.skip(sizeof(uint64_t)));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t count, reader.number<uint64_t>());
  if (count > reader.left() / kLeastArrayBytes) {
    return data_loss("{} arrays in {} bytes", count, reader.left());
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t start = reader.position();
    Result<ParamsEntry> entry = read_entry(reader);
    if (!entry.ok()) {
      return annotate(entry.status(),
                      fmt::format("array {} of {}, which begins at byte {}", i, count, start));
    }
    table.entries.push_back(*std::move(entry));
  }
  return ok_status();
}

Status read_names(Reader& reader, ParamsTable& table) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t count, reader.number<uint64_t>());
  if (count != 0 && count != table.entries.size()) {
    return data_loss("{} names for {} arrays", count, table.entries.size());
  }
  std::unordered_set<std::string> known;
  for (uint64_t i = 0; i < count; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(std::string name, read_name(reader));
    if (!known.insert(name).second) {
      return data_loss("two arrays are named '{}'", name);
    }
    table.names.push_back(std::move(name));
  }
  return ok_status();
}

/// Collects numbers and writes them together.
class Header {
 public:
  template <class T>
  void put(T value) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(value));
  }
  Status write(const ByteSink& sink) const { return sink(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

Status write_array(const tensor::TensorView& array, const ByteSink& sink) {
  const tensor::Shape& shape = array.shape();
  Header header;
  header.put(array.volume() == 0 || shape.rank() == 0 ? kNumpyMagic : kMagic);
  header.put(int32_t{0});  // dense
  header.put(static_cast<int32_t>(shape.rank()));
  for (const int64_t extent : shape) {
    header.put(extent);
  }
  header.put(kCpu);
  header.put(int32_t{0});
  header.put(number_of(array.dtype()));
  FOREBAY_RETURN_IF_ERROR(header.write(sink));
  return sink(array.bytes());
}

Status write_name(const std::string& name, const ByteSink& sink) {
  Header header;
  header.put(uint64_t{name.size()});
  FOREBAY_RETURN_IF_ERROR(header.write(sink));
  return sink(std::as_bytes(std::span(name)));
}

}  // namespace

Result<ParamsTable> parse_params(const ByteSource& source) {
  Reader reader(source);
  ParamsTable table;
  Status status = read_entries(reader, table);
  if (status.ok()) {
    status = read_names(reader, table);
  }
  if (!status.ok()) {
    return annotate(status, fmt::format("at byte {}", reader.position()));
  }
  return table;
}

Status write_params(std::span<const tensor::TensorView> arrays, std::span<const std::string> names,
                    const ByteSink& sink) {
  if (!names.empty() && names.size() != arrays.size()) {
    return invalid_argument("{} names for {} arrays", names.size(), arrays.size());
  }
  for (const tensor::TensorView& array : arrays) {
    if (number_of(array.dtype()) == static_cast<int32_t>(std::size(kTypes))) {
      return unimplemented("elements of type {} have no number in the file", tensor::name_of(array.dtype()));
    }
  }
  Header header;
  header.put(kListMagic);
  header.put(uint64_t{0});
  header.put(uint64_t{arrays.size()});
  FOREBAY_RETURN_IF_ERROR(header.write(sink));
  for (const tensor::TensorView& array : arrays) {
    FOREBAY_RETURN_IF_ERROR(write_array(array, sink));
  }
  Header count;
  count.put(uint64_t{names.size()});
  FOREBAY_RETURN_IF_ERROR(count.write(sink));
  for (const std::string& name : names) {
    FOREBAY_RETURN_IF_ERROR(write_name(name, sink));
  }
  return ok_status();
}

}  // namespace forebay::ndarray
