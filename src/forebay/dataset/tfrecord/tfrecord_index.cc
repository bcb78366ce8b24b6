#include "forebay/dataset/tfrecord/tfrecord_index.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "forebay/dataset/compression/compressed_file.h"
#include "forebay/dataset/index/index_words.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/tfrecord/masked_crc32c.h"

namespace forebay::dataset {
namespace {

/// Longer records are damage: no object is so large.
constexpr uint64_t kMaxRecordBytes = uint64_t{1} << 60;

}  // namespace

Result<TfrecordScan> scan_tfrecord(const ByteSource& file, const std::string& name) {
  return scan_tfrecord(file, name, [](const TfrecordRange&) {});
}

Result<TfrecordScan> scan_tfrecord(const ByteSource& file, const std::string& name,
                                   absl::FunctionRef<void(const TfrecordRange&)> take) {
  WindowReader reader(file);
  TfrecordScan found;
  const uint64_t size = file.size_bytes();
  uint64_t position = 0;
  while (position < size) {
    if (size - position < kTfrecordHeaderBytes) {
      FOREBAY_RETURN_IF_ERROR(position == 0 ? check_not_compressed(file, name, true) : ok_status());
      found.records.push_back({position, kTfrecordHeaderBytes});
      break;
    }
    FOREBAY_ASSIGN_OR_RETURN(const Bytes header, reader.at(position, kTfrecordHeaderBytes));
    uint64_t length = 0;
    uint32_t stored = 0;
    std::memcpy(&length, header.data(), sizeof(length));
    std::memcpy(&stored, header.data() + sizeof(length), sizeof(stored));
    if (stored != masked_crc32c(header.first(sizeof(length))) || length > kMaxRecordBytes) {
      FOREBAY_RETURN_IF_ERROR(position == 0 ? check_not_compressed(file, name, length > size) : ok_status());
      found.damaged_at = position;
      found.damage =
          data_loss("{}: not a TFRecord file, or a damaged record length, at byte {}", name, position);
      break;
    }
    position += kTfrecordHeaderBytes;
    found.records.push_back({position, length});
    const uint64_t left = size - position;
    if (left < kTfrecordFooterBytes || left - kTfrecordFooterBytes < length) {
      break;
    }
    position += length + kTfrecordFooterBytes;
    take(found.records.back());
  }
  return found;
}

Result<std::vector<TfrecordRange>> parse_tfrecord_index(std::string_view text, const std::string& name) {
  std::vector<TfrecordRange> records;
  for (uint64_t number = 1; !text.empty(); ++number) {
    std::string_view line = next_line(&text);
    std::string_view words = line;
    if (next_word(&words).empty()) {
      continue;
    }
    const std::optional<uint64_t> offset = next_number(&line);
    const std::optional<uint64_t> size = offset ? next_number(&line) : std::nullopt;
    if (!size || !next_word(&line).empty() || *size < kTfrecordHeaderBytes + kTfrecordFooterBytes) {
      return data_loss("{}:{}: not a line \"offset size\", of which the index of a TFRecord file is made",
                       name, number);
    }
    records.push_back({*offset + kTfrecordHeaderBytes, *size - kTfrecordHeaderBytes - kTfrecordFooterBytes});
  }
  return records;
}

std::string tfrecord_index_text(const std::vector<TfrecordRange>& records) {
  std::string text;
  for (const TfrecordRange& record : records) {
    text += fmt::format("{} {}\n", record.offset_bytes - kTfrecordHeaderBytes,
                        kTfrecordHeaderBytes + record.size_bytes + kTfrecordFooterBytes);
  }
  return text;
}

}  // namespace forebay::dataset
