#include "forebay/dataset/recordio/image_record.h"

#include <cstring>
#include <optional>

#include "forebay/dataset/recordio/recordio_index.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kLabelOffset = 4;
constexpr uint64_t kImageHeaderBytes = 24;

/// Cuts the first part off `left`: its data.
Result<Bytes> next_part(Bytes& left, RecordIoPart& part, bool is_first) {
  const auto found = left.size() < kRecordIoHeaderBytes ? std::nullopt : recordio_part(left);
  if (!found || found->begins_record() != is_first) {
    return data_loss("a damaged RecordIO record");
  }
  part = *found;
  left = left.subspan(kRecordIoHeaderBytes);
  if (part.data_bytes > left.size()) {
    return data_loss("a RecordIO record of {} bytes where {} are left", part.data_bytes, left.size());
  }
  const Bytes data = left.first(part.data_bytes);
  left = left.subspan(std::min<uint64_t>(left.size(), part.stored_bytes() - kRecordIoHeaderBytes));
  return data;
}

}  // namespace

Result<RecordIoData> recordio_data(Bytes stored) {
  RecordIoData record;
  RecordIoPart part;
  FOREBAY_ASSIGN_OR_RETURN(record.bytes, next_part(stored, part, true));
  if (part.ends_record()) {
    return record;
  }
  const auto append = [&record](Bytes data) {
    record.joined.append(reinterpret_cast<const char*>(data.data()), data.size());
  };
  append(record.bytes);
  while (!part.ends_record()) {
    append(std::as_bytes(std::span(&kRecordIoMagic, 1)));
    FOREBAY_ASSIGN_OR_RETURN(const Bytes data, next_part(stored, part, false));
    append(data);
  }
  record.bytes = std::as_bytes(std::span(record.joined));
  return record;
}

Result<ImageRecord> parse_image_record(Bytes data) {
  if (data.size() < kImageHeaderBytes) {
    return data_loss("a record of {} bytes, too few for the header of a picture", data.size());
  }
  uint32_t count = 0;
  std::memcpy(&count, data.data(), sizeof(count));
  const Bytes behind = data.subspan(kImageHeaderBytes);
  if (count > behind.size() / sizeof(float)) {
    return data_loss("a record of {} bytes that says it has {} labels", data.size(), count);
  }
  ImageRecord record;
  record.labels.resize(count > 0 ? count : 1);
  const std::byte* const labels = count > 0 ? behind.data() : data.data() + kLabelOffset;
  for (size_t i = 0; i < record.labels.size(); ++i) {
    std::memcpy(&record.labels[i], labels + i * sizeof(float), sizeof(float));
  }
  record.image_offset = kImageHeaderBytes + count * sizeof(float);
  record.image_bytes = data.size() - record.image_offset;
  return record;
}

}  // namespace forebay::dataset
