#include "forebay/dataset/index/sample_index.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/crc32c.h"
#include "forebay/base/random/random.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

static_assert(std::endian::native == std::endian::little, "the index is mapped, not converted");

constexpr uint64_t kMagic = 0x0058444e49594246;  // "FBYINDX\0"
constexpr uint32_t kVersion = 3;
constexpr uint64_t kMaxObjects = kNoObject;
constexpr uint64_t kMaxShards = kNoObject;
constexpr uint64_t kMaxFields = 1 << 16;
constexpr uint64_t kMaxSamples = uint64_t{1} << 40;
constexpr uint64_t kMaxOffset = uint64_t{1} << 62;

struct Header {
  uint64_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t header_bytes = 0;
  uint64_t file_bytes = 0;
  uint64_t samples = 0;
  uint64_t fields = 0;
  uint64_t objects = 0;
  uint64_t shards = 0;
  uint64_t names_bytes = 0;
  uint64_t parameters = 0;
  uint32_t objects_crc = 0;
  uint32_t rows_crc = 0;
  uint32_t shards_crc = 0;
  uint32_t unused = 0;
  uint32_t names_crc = 0;
  uint32_t header_crc = 0;  // over the header with this field set to 0
};
static_assert(sizeof(Header) == 96);

struct ObjectRow {
  uint64_t name_offset = 0;
  uint32_t name_bytes = 0;
  uint32_t version_bytes = 0;  // follows the name
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;
};
static_assert(sizeof(ObjectRow) == 32);

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
Bytes table_bytes(const std::vector<T>& rows) {
  return std::as_bytes(std::span(rows));
}

uint32_t header_crc(Header header) {
  header.header_crc = 0;
  return crc32c(std::as_bytes(std::span(&header, 1)));
}

std::string_view name_in(Bytes names, const ObjectRow& object) {
  return {reinterpret_cast<const char*>(names.data()) + object.name_offset, object.name_bytes};
}

std::string_view version_in(Bytes names, const ObjectRow& object) {
  const std::string_view name = name_in(names, object);
  return {name.data() + name.size(), object.version_bytes};
}

}  // namespace

Result<std::shared_ptr<const SampleIndex>> SampleIndex::from_image(Bytes image,
                                                                   std::shared_ptr<const void> owner,
                                                                   std::string_view name) {
  std::shared_ptr<SampleIndex> index(new SampleIndex());
  index->image_ = image;
  index->owner_ = std::move(owner);
  FOREBAY_RETURN_IF_ERROR(index->check(name));
  return index;
}

Status SampleIndex::check(std::string_view name) {
  if (image_.size() < sizeof(Header)) {
    return data_loss("{}: a sample index of {} bytes", name, image_.size());
  }
  const Header header = load<Header>(image_.data());
  if (header.magic != kMagic) {
    return data_loss("{}: not a sample index", name);
  }
  if (header.version != kVersion) {
    return data_loss("{}: a sample index of version {}; this program reads version {}", name, header.version,
                     kVersion);
  }
  if (header.header_crc != header_crc(header) || header.header_bytes != sizeof(Header)) {
    return data_loss("{}: the sample index's header is damaged", name);
  }
  const bool in_limits = header.samples > 0 && header.samples <= kMaxSamples && header.fields > 0 &&
                         header.fields <= kMaxFields && header.objects <= kMaxObjects &&
                         header.shards <= kMaxShards && header.names_bytes <= image_.size();
  const uint64_t objects_bytes = in_limits ? header.objects * sizeof(ObjectRow) : 0;
  const uint64_t rows_bytes = in_limits ? header.samples * header.fields * sizeof(SampleRow) : 0;
  const uint64_t shards_bytes = in_limits ? header.shards * sizeof(uint64_t) : 0;
  const uint64_t tables_bytes = sizeof(Header) + objects_bytes + rows_bytes + shards_bytes;
  if (!in_limits || header.file_bytes != tables_bytes + header.names_bytes ||
      header.file_bytes != image_.size()) {
    return data_loss("{}: the sample index has {} bytes; its header says {}", name, image_.size(),
                     header.file_bytes);
  }
  const Bytes objects = image_.subspan(sizeof(Header), objects_bytes);
  const Bytes rows = image_.subspan(sizeof(Header) + objects_bytes, rows_bytes);
  shard_table_ = image_.subspan(sizeof(Header) + objects_bytes + rows_bytes, shards_bytes);
  names_ = image_.subspan(tables_bytes);
  if (crc32c(objects) != header.objects_crc || crc32c(rows) != header.rows_crc ||
      crc32c(shard_table_) != header.shards_crc || crc32c(names_) != header.names_crc) {
    return data_loss("{}: the sample index is damaged (a checksum is wrong)", name);
  }
  samples_ = header.samples;
  fields_ = header.fields;
  objects_ = header.objects;
  parameters_ = header.parameters;
  object_table_ = objects.data();
  row_table_ = rows.data();
  return check_tables(name);
}

Status SampleIndex::check_tables(std::string_view name) const {
  std::string_view previous;
  for (uint64_t id = 0; id < objects_; ++id) {
    const ObjectRow object = load<ObjectRow>(object_table_ + id * sizeof(ObjectRow));
    const uint64_t text_bytes = uint64_t{object.name_bytes} + object.version_bytes;
    if (object.name_offset > names_.size() || text_bytes > names_.size() - object.name_offset ||
        object.name_bytes == 0) {
      return data_loss("{}: object {} of the sample index has no name", name, id);
    }
    const std::string_view text = name_in(names_, object);
    if (id > 0 && text <= previous) {
      return data_loss("{}: object {} of the sample index is out of order", name, id);
    }
    previous = text;
  }
  for (uint64_t i = 0; i < samples_ * fields_; ++i) {
    const SampleRow row = load<SampleRow>(row_table_ + i * sizeof(SampleRow));
    if (!row.is_missing() && (row.object >= objects_ || row.flags > (kLostRow | kTarHeaderRow) ||
                              row.offset_bytes > kMaxOffset || row.length_bytes > kMaxOffset)) {
      return data_loss("{}: row {} of the sample index points outside its tables", name, i);
    }
  }
  uint64_t left = samples_;
  for (const uint64_t samples : shards()) {
    if (samples > left) {
      return data_loss("{}: the shards of the sample index have more samples than there are", name);
    }
    left -= samples;
  }
  if (!shard_table_.empty() && left != 0) {
    return data_loss("{}: {} samples of the sample index are in no shard", name, left);
  }
  return ok_status();
}

uint64_t SampleIndex::checksum() const {
  return hash64({reinterpret_cast<const char*>(image_.data()), sizeof(Header)});
}

SampleRow SampleIndex::row(int64_t sample, int field) const {
  FOREBAY_CHECK(sample >= 0 && static_cast<uint64_t>(sample) < samples_ && field >= 0 &&
                static_cast<uint64_t>(field) < fields_);
  const uint64_t place = static_cast<uint64_t>(sample) * fields_ + static_cast<uint64_t>(field);
  return load<SampleRow>(row_table_ + place * sizeof(SampleRow));
}

IndexedObject SampleIndex::object(uint32_t id) const {
  FOREBAY_CHECK(id < objects_);
  const ObjectRow object = load<ObjectRow>(object_table_ + id * sizeof(ObjectRow));
  return {name_in(names_, object), object.size_bytes, object.modified_ns, version_in(names_, object)};
}

std::vector<uint64_t> SampleIndex::shards() const {
  std::vector<uint64_t> shards(shard_table_.size() / sizeof(uint64_t));
  std::ranges::copy(shard_table_, std::as_writable_bytes(std::span(shards)).begin());
  return shards;
}

Result<bool> SampleIndex::may_be_replaced(const storage::ObjectAddress& address) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat,
                           storage::stat_now(*address.store, address.key, opening()));
  uint64_t magic = kMagic;
  const uint64_t length = std::min<uint64_t>(stat.size_bytes, sizeof(magic));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes begin,
                           storage::read_now(*address.store, {.key = address.key, .length_bytes = length}));
  const bool is_zero = std::ranges::all_of(begin.bytes, [](std::byte byte) { return byte == std::byte{}; });
  return is_zero || std::memcmp(begin.bytes.data(), &magic, length) == 0;
}

Status SampleIndex::write(const storage::ObjectAddress& address) const {
  return storage::write_now(*address.store, address.key, image_).status();
}

uint32_t SampleIndexBuilder::add_object(std::string name, const storage::ObjectStat& stat) {
  objects_.push_back({std::move(name), stat.size_bytes, stat.modified_ns, stat.version});
  return static_cast<uint32_t>(objects_.size() - 1);
}

void SampleIndexBuilder::end_shard() {
  const auto samples = static_cast<uint64_t>(num_samples());
  shards_.push_back(samples - std::exchange(samples_in_shards_, samples));
}

Result<std::shared_ptr<const SampleIndex>> SampleIndexBuilder::finish(uint64_t parameters) {
  if (rows_.empty()) {
    return invalid_argument("an index without samples");
  }
  if (objects_.size() >= kMaxObjects) {
    return resource_exhausted("an index of {} objects; the limit is {}", objects_.size(), kMaxObjects);
  }
  std::vector<uint32_t> sorted(objects_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto by_name = [this](uint32_t a, uint32_t b) { return objects_[a].name < objects_[b].name; };
  if (!std::is_sorted(sorted.begin(), sorted.end(), by_name)) {
    std::sort(sorted.begin(), sorted.end(), by_name);
  }
  std::vector<uint32_t> new_id(objects_.size());
  std::vector<ObjectRow> table;
  table.reserve(objects_.size());
  std::string names;
  for (uint32_t place = 0; place < sorted.size(); ++place) {
    const Object& object = objects_[sorted[place]];
    if (place > 0 && object.name == objects_[sorted[place - 1]].name) {
      return invalid_argument("'{}' is in the index twice", object.name);
    }
    new_id[sorted[place]] = place;
    table.push_back({names.size(), static_cast<uint32_t>(object.name.size()),
                     static_cast<uint32_t>(object.version.size()), object.size_bytes, object.modified_ns});
    names += object.name;
    names += object.version;
  }
  for (SampleRow& row : rows_) {
    row.object = row.is_missing() ? kNoObject : new_id[row.object];
  }
  Header header;
  header.header_bytes = sizeof(Header);
  header.samples = rows_.size() / static_cast<size_t>(num_fields_);
  header.fields = static_cast<uint64_t>(num_fields_);
  header.objects = table.size();
  header.shards = shards_.size();
  header.names_bytes = names.size();
  header.file_bytes = sizeof(Header) + table_bytes(table).size() + table_bytes(rows_).size() +
                      table_bytes(shards_).size() + names.size();
  header.parameters = parameters;
  header.objects_crc = crc32c(table_bytes(table));
  header.rows_crc = crc32c(table_bytes(rows_));
  header.shards_crc = crc32c(table_bytes(shards_));
  header.names_crc = crc32c(std::as_bytes(std::span(names)));
  header.header_crc = header_crc(header);

  auto image = std::make_shared<std::vector<std::byte>>();
  image->reserve(header.file_bytes);
  for (const Bytes part : {std::as_bytes(std::span(&header, 1)), table_bytes(table), table_bytes(rows_),
                           table_bytes(shards_), std::as_bytes(std::span(names))}) {
    image->insert(image->end(), part.begin(), part.end());
  }
  const Bytes bytes(*image);
  return SampleIndex::from_image(bytes, std::move(image), "the index just made");
}

}  // namespace forebay::dataset
