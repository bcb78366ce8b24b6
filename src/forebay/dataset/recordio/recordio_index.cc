#include "forebay/dataset/recordio/recordio_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "forebay/dataset/index/index_words.h"
#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {

std::optional<RecordIoPart> recordio_part(Bytes header) {
  uint32_t words[2];
  static_assert(sizeof(words) == kRecordIoHeaderBytes);
  std::memcpy(words, header.data(), sizeof(words));
  RecordIoPart part;
  part.position = words[1] >> 29;
  part.data_bytes = words[1] & ((uint32_t{1} << 29) - 1);
  return words[0] == kRecordIoMagic && part.position <= 3 ? std::optional(part) : std::nullopt;
}

Result<RecordIoScan> scan_recordio(const ByteSource& file, const std::string& name) {
  return scan_recordio(file, name, [](const RecordIoRange&) {});
}

Result<RecordIoScan> scan_recordio(const ByteSource& file, const std::string& name,
                                   absl::FunctionRef<void(const RecordIoRange&)> take) {
  WindowReader reader(file);
  RecordIoScan found;
  const uint64_t size = file.size_bytes();
  uint64_t begin = 0;  // of the record
  uint64_t position = 0;
  while (position < size) {
    if (size - position < kRecordIoHeaderBytes) {
      found.records.push_back({begin, position + kRecordIoHeaderBytes - begin});
      break;
    }
    FOREBAY_ASSIGN_OR_RETURN(const Bytes header, reader.at(position, kRecordIoHeaderBytes));
    const std::optional<RecordIoPart> part = recordio_part(header);
    if (!part || part->begins_record() != (position == begin)) {
      found.damaged_at = begin;
      found.damage = data_loss("{}: not a RecordIO file, or a damaged record, at byte {}", name, position);
      break;
    }
    const uint64_t data_end = position + kRecordIoHeaderBytes + part->data_bytes;
    position += part->stored_bytes();
    if (part->ends_record()) {
      found.records.push_back({begin, std::max(data_end, std::min(position, size)) - begin});
      begin = position;
      if (position < size) {
        take(found.records.back());
      }
    } else if (position >= size) {  // its next part is lost
      found.records.push_back({begin, position + kRecordIoHeaderBytes - begin});
    }
  }
  return found;
}

Result<std::vector<uint64_t>> parse_recordio_index(std::string_view text, const std::string& name) {
  std::vector<uint64_t> offsets;
  for (uint64_t number = 1; !text.empty(); ++number) {
    std::string_view line = next_line(&text);
    std::string_view words = line;
    if (next_word(&words).empty()) {
      continue;
    }
    const std::optional<uint64_t> key = next_number(&line);
    const std::optional<uint64_t> offset = key ? next_number(&line) : std::nullopt;
    if (!offset || !next_word(&line).empty()) {
      return data_loss("{}:{}: not a line \"key offset\", of which the index of a RecordIO file is made",
                       name, number);
    }
    offsets.push_back(*offset);
  }
  std::ranges::sort(offsets);
  const auto repeated = std::ranges::unique(offsets);
  offsets.erase(repeated.begin(), repeated.end());
  return offsets;
}

std::string recordio_index_text(const std::vector<RecordIoRange>& records) {
  std::string text;
  for (size_t key = 0; key < records.size(); ++key) {
    text += fmt::format("{}\t{}\n", key, records[key].offset_bytes);
  }
  return text;
}

}  // namespace forebay::dataset
