// Where the records of a RecordIO file (dmlc-core's, of MXNet) are, either from the file itself or from an
// index file made by im2rec or rec2idx.
//
//   record = one part, or several between which the magic word stood in the data
//   part   = magic word (4 bytes) | which part (3 bits), length (29 bits) | data | zeros up to a multiple of
//   4
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

inline constexpr uint32_t kRecordIoMagic = 0xced7230a;
inline constexpr uint64_t kRecordIoHeaderBytes = 8;

/// The beginning of a part.
struct RecordIoPart {
  uint32_t position = 0;  // 0: a whole record; 1: the first part, 2: a middle one, 3: the last
  uint64_t data_bytes = 0;

  bool begins_record() const { return position <= 1; }
  bool ends_record() const { return position == 0 || position == 3; }
  /// With header and zeros.
  uint64_t stored_bytes() const { return kRecordIoHeaderBytes + (data_bytes + 3) / 4 * 4; }
};

/// `header`: kRecordIoHeaderBytes. Nothing if they are no header.
std::optional<RecordIoPart> recordio_part(Bytes header);

/// A record with its headers.
struct RecordIoRange {
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

/// Where the record behind one that is whole begins: zeros lie between them.
constexpr uint64_t end_of(const RecordIoRange& record) {
  return (record.offset_bytes + record.size_bytes + 3) / 4 * 4;
}

struct RecordIoScan {
  std::vector<RecordIoRange> records;
  std::optional<uint64_t> damaged_at;  // offset after which nothing can be found any more
  Status damage;                       // data_loss with that offset
};

/// Walks from part to part. If the file is truncated, the last record extends past its end. Errors are those
/// of reading the file.
Result<RecordIoScan> scan_recordio(const ByteSource& file, const std::string& name);
/// The same; `take` gets each record that another one may follow as it is found.
Result<RecordIoScan> scan_recordio(const ByteSource& file, const std::string& name,
                                   absl::FunctionRef<void(const RecordIoRange&)> take);

/// Parses lines "key offset": the offsets in rising order, each once, as DALI takes them. data_loss naming
/// the line for anything else.
Result<std::vector<uint64_t>> parse_recordio_index(std::string_view text, const std::string& name);

/// The index file that rec2idx writes.
std::string recordio_index_text(const std::vector<RecordIoRange>& records);

}  // namespace forebay::dataset
