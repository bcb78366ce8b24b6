// Where the records of a TFRecord file are, either from its length fields or from an index file made by
// tfrecord2idx.
//
//   record = length (8 bytes) | masked CRC-32C of the length (4) | data | masked CRC-32C of the data (4)
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

inline constexpr uint64_t kTfrecordHeaderBytes = 12;
inline constexpr uint64_t kTfrecordFooterBytes = 4;

/// The data of one record.
struct TfrecordRange {
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

struct TfrecordScan {
  std::vector<TfrecordRange> records;
  std::optional<uint64_t> damaged_at;  // offset after which nothing can be found any more
  Status damage;                       // data_loss with that offset
};

/// Walks from length to length until one has a wrong checksum. If the file is truncated, the last record
/// extends past its end; if it is truncated within a length field, the last record begins there. Truncation
/// between two records cannot be detected. Errors are those of reading the file, and invalid_argument if it
/// is compressed as a whole.
Result<TfrecordScan> scan_tfrecord(const ByteSource& file, const std::string& name);
/// The same; `take` gets each record that another one may follow as it is found.
Result<TfrecordScan> scan_tfrecord(const ByteSource& file, const std::string& name,
                                   absl::FunctionRef<void(const TfrecordRange&)> take);

/// Parses lines "offset size" of whole records. data_loss naming the line for anything else.
Result<std::vector<TfrecordRange>> parse_tfrecord_index(std::string_view text, const std::string& name);

/// The index file that tfrecord2idx writes.
std::string tfrecord_index_text(const std::vector<TfrecordRange>& records);

}  // namespace forebay::dataset
