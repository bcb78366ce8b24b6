// A record of MXNet's im2rec: numbers about a picture, then its bytes.
//
//   flag (4 bytes) | label (4) | two ids (16) | flag > 0: as many labels (4 each), instead of the one |
//   picture
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

struct ImageRecord {
  std::vector<float> labels;
  uint64_t image_offset = 0;  // behind the record's data
  uint64_t image_bytes = 0;
};

/// The data of a record, from its stored bytes, which may go on behind it.
struct RecordIoData {
  Bytes bytes;         // in the stored bytes, or in `joined`
  std::string joined;  // where the record has several parts
};

/// data_loss for a malformed record.
Result<RecordIoData> recordio_data(Bytes stored);
Result<ImageRecord> parse_image_record(Bytes data);

}  // namespace forebay::dataset
