// Where every sample of a data set lies: one table for all kinds of sources, as one run of bytes, in memory
// or mapped from a file. Rows have a fixed width, so a sample is found by arithmetic and an open index costs
// no memory of its own.
//
//   header | objects (fixed width, sorted by name) | rows (sample-major, one a field) | names
//
// All numbers are little-endian; an object's version lies behind its name; every part has a CRC-32C. A file
// that is cut, damaged or of another version is data_loss when it is opened; after that no row can lead
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

/// An object id that stands for "this sample has no such field".
inline constexpr uint32_t kNoObject = 0xffffffff;

/// In SampleRow::flags: what lies at the offset was cut off or damaged, or the object was not there, when the
/// index was made. Its read fails.
inline constexpr uint32_t kLostRow = 1;

/// The size of an object that was not there when the index was made.
inline constexpr uint64_t kUnknownSize = 0xffffffffffffffff;

/// One field of one sample, as it is stored.
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

/// What an object was when it was indexed.
struct IndexedObject {
  std::string_view name;  // relative to the source's root, or a whole path or URI
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;   // 0: unknown
  std::string_view version;  // what reads ask for; empty when the store has none

  bool was_there() const { return size_bytes != kUnknownSize; }
};

/// Immutable; thread safe.
class SampleIndex {
 public:
  /// Checks and takes `image`, which stays as it is as long as `owner` lives.
  static Result<std::shared_ptr<const SampleIndex>> from_image(Bytes image, std::shared_ptr<const void> owner,
                                                               std::string_view name);

  /// Maps the file, or reads the object where there is no file. not_found when there is none. An index is
  /// only ever replaced as a whole (a new file); one that is cut while it is mapped would kill the process.
  static Result<std::shared_ptr<const SampleIndex>> open(const storage::ObjectAddress& address);

  /// Whether what lies there is an index, however damaged, or nothing that anybody could miss: empty, or
  /// zeros.
  static bool may_be_replaced(const storage::ObjectAddress& address);

  /// Writes the image so that a reader sees the old one or the new one, whole.
  Status write(const storage::ObjectAddress& address) const;

  int64_t size() const { return static_cast<int64_t>(samples_); }
  int num_fields() const { return static_cast<int>(fields_); }
  /// A hash of what the index was made with: filters, extensions, the index files it came from.
  uint64_t parameters() const { return parameters_; }

  /// `sample` in [0, size()), `field` in [0, num_fields()).
  SampleRow row(int64_t sample, int field = 0) const;

  uint32_t num_objects() const { return static_cast<uint32_t>(objects_); }
  IndexedObject object(uint32_t id) const;

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
  Bytes names_;
};

/// Collects objects and rows; not thread safe.
class SampleIndexBuilder {
 public:
  explicit SampleIndexBuilder(int num_fields = 1) : num_fields_(num_fields) {}

  /// The id to use in rows; finish() renumbers. The same name may be added once only.
  uint32_t add_object(std::string name, const storage::ObjectStat& stat);
  /// Rows come sample by sample, one for each field.
  void add_row(const SampleRow& row) { rows_.push_back(row); }

  int64_t num_samples() const { return static_cast<int64_t>(rows_.size()) / num_fields_; }

  /// invalid_argument without samples, or when an object was added twice.
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
};

}  // namespace forebay::dataset
