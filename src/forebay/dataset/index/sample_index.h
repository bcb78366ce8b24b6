// Where the bytes of every sample of a data set are: one table for all kinds of sources, stored as one run of
// bytes, in memory or mapped from a file. Rows have a fixed width, so a sample is found by arithmetic and an
// open index takes no memory of its own.
//
//   header | objects (fixed width, sorted by name) | rows (sample-major, one a field) | shards | names
//
// All numbers are little-endian. An object's version follows its name. Of a data set in shards, the samples
// are stored shard by shard, and it is noted how many each has. Every part has a CRC-32C. Opening a
// file that is truncated, damaged or of another format version gives data_loss; after that no row can point
// outside its tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// The object id of a field that the sample does not have.
inline constexpr uint32_t kNoObject = 0xffffffff;

/// Flag in SampleRow::flags: when the index was made, the data at this offset was truncated or damaged, or
/// the object was missing. Reading it fails.
inline constexpr uint32_t kLostRow = 1;

/// Flag in SampleRow::flags: the bytes are a tar header, which holds the field in two pieces.
inline constexpr uint32_t kTarHeaderRow = 2;

/// The size of an object that was missing when the index was made.
inline constexpr uint64_t kUnknownSize = 0xffffffffffffffff;

/// Numbers from here on are of samples of shards before which nobody knows how many others there are: see
/// number_in_shard().
inline constexpr int64_t kUncountedSample = int64_t{1} << 62;

/// Names a sample while other shards are being counted. `shard` below 2^22, `place` below 2^40.
inline int64_t number_in_shard(uint32_t shard, uint64_t place) {
  return kUncountedSample | int64_t{shard} << 40 | static_cast<int64_t>(place);
}

inline uint64_t shard_of_number(int64_t number) {
  return static_cast<uint64_t>(number & ~kUncountedSample) >> 40;
}
inline int64_t place_of_number(int64_t number) {
  return number & ((int64_t{1} << 40) - 1);
}

/// Where one field of one sample is stored.
struct SampleRow {
  uint32_t object = kNoObject;
  uint32_t flags = 0;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  int64_t label = 0;

  bool is_missing() const { return object == kNoObject; }
  bool is_lost() const { return (flags & kLostRow) != 0; }
};
static_assert(sizeof(SampleRow) == 32);

/// An object as it was when it was indexed.
struct IndexedObject {
  std::string_view name;  // relative to the source's root, or a whole path or URI
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;   // 0: unknown
  std::string_view version;  // the version that reads ask for; empty if the store has none

  bool was_there() const { return size_bytes != kUnknownSize; }
};

/// Samples by number: where their fields lie, and in which objects. Thread safe.
class SampleRows {
 public:
  virtual ~SampleRows() = default;

  /// How many samples are known: all of them, unless they are being found (growing_index.h).
  virtual int64_t size() const = 0;
  virtual int num_fields() const = 0;
  /// Whether there is, or is known, a sample of this number.
  virtual bool has(int64_t sample) const { return sample >= 0 && sample < size(); }
  /// Of a sample that it has, `field` in [0, num_fields()).
  virtual SampleRow row(int64_t sample, int field = 0) const = 0;
  virtual uint32_t num_objects() const = 0;
  /// An object that a row names. What it views lives as long as this.
  virtual IndexedObject object(uint32_t id) const = 0;
};

/// Immutable; thread safe.
class SampleIndex final : public SampleRows {
 public:
  /// Checks `image` and wraps it. It must stay unchanged while `owner` lives.
  static Result<std::shared_ptr<const SampleIndex>> from_image(Bytes image, std::shared_ptr<const void> owner,
                                                               std::string_view name);

  /// Maps the index, or reads it as an object if there is no local file. not_found if it does not exist. An
  /// index may only be replaced as a whole (by a new file); truncating a mapped one would kill the process.
  static Result<std::shared_ptr<const SampleIndex>> open(const storage::ObjectAddress& address);

  /// Whether the object is an index, however damaged, or something nobody could miss: empty, or all zeros.
  static Result<bool> may_be_replaced(const storage::ObjectAddress& address);

  /// Writes the image atomically: a reader sees the old index or the new one, whole.
  Status write(const storage::ObjectAddress& address) const;

  int64_t size() const override { return static_cast<int64_t>(samples_); }
  int num_fields() const override { return static_cast<int>(fields_); }
  /// A hash of what the index was made from: filters, extensions, its source index files.
  uint64_t parameters() const { return parameters_; }

  /// A hash of the whole image, from the checksums in its header. O(1).
  uint64_t checksum() const;

  SampleRow row(int64_t sample, int field = 0) const override;
  uint32_t num_objects() const override { return static_cast<uint32_t>(objects_); }
  IndexedObject object(uint32_t id) const override;
  /// How many samples each shard has, in the order in which they are stored; empty if they are not in shards.
  std::vector<uint64_t> shards() const;

  Bytes image() const { return image_; }

 private:
  SampleIndex() = default;
  Status check(std::string_view name);
  Status check_tables(std::string_view name) const;

  Bytes image_;
  std::shared_ptr<const void> owner_;
  uint64_t samples_ = 0;
  uint64_t fields_ = 0;
  uint64_t objects_ = 0;
  uint64_t parameters_ = 0;
  const std::byte* object_table_ = nullptr;
  const std::byte* row_table_ = nullptr;
  Bytes shard_table_;
  Bytes names_;
};

/// Collects objects and rows; not thread safe.
class SampleIndexBuilder {
 public:
  explicit SampleIndexBuilder(int num_fields = 1) : num_fields_(num_fields) {}

  /// Returns the id to use in rows; finish() renumbers. A name may be added only once.
  uint32_t add_object(std::string name, const storage::ObjectStat& stat);
  /// Rows are added sample by sample, one for each field.
  void add_row(const SampleRow& row) { rows_.push_back(row); }

  /// The samples added since the last call are those of a shard. Either every sample is in a shard or none.
  void end_shard();

  int64_t num_samples() const { return static_cast<int64_t>(rows_.size()) / num_fields_; }

  /// invalid_argument if there are no samples or an object was added twice.
  Result<std::shared_ptr<const SampleIndex>> finish(uint64_t parameters);

 private:
  struct Object {
    std::string name;
    uint64_t size_bytes;
    int64_t modified_ns;
    std::string version;
  };

  int num_fields_;
  std::vector<Object> objects_;
  std::vector<SampleRow> rows_;
  std::vector<uint64_t> shards_;
  uint64_t samples_in_shards_ = 0;
};

}  // namespace forebay::dataset
