#include "forebay/dataset/tfrecord/tfrecord_index.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/tfrecord/crc32c.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kMaxOffset = uint64_t{1} << 60;
constexpr std::string_view kWhiteSpace = " \t\r";

bool cut_number(std::string_view* line, uint64_t* number) {
  line->remove_prefix(std::min(line->find_first_not_of(kWhiteSpace), line->size()));
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), *number);
  if (error != std::errc() || *number > kMaxOffset) {
    return false;
  }
  line->remove_prefix(static_cast<size_t>(end - line->data()));
  return line->empty() || kWhiteSpace.find(line->front()) != std::string_view::npos;
}

}  // namespace

Result<TfrecordScan> scan_tfrecord(const ByteSource& file, const std::string& name) {
  WindowReader reader(file);
  TfrecordScan found;
  const uint64_t size = file.size_bytes();
  uint64_t position = 0;
  while (position < size) {
    if (size - position < kTfrecordHeaderBytes) {
      found.records.push_back({position, kTfrecordHeaderBytes});
      break;
    }
    FOREBAY_ASSIGN_OR_RETURN(const Bytes header, reader.at(position, kTfrecordHeaderBytes));
    uint64_t length = 0;
    uint32_t stored = 0;
    std::memcpy(&length, header.data(), sizeof(length));
    std::memcpy(&stored, header.data() + sizeof(length), sizeof(stored));
    if (stored != masked_crc32c(header.first(sizeof(length))) || length > kMaxOffset) {
      found.damaged_at = position;
      found.damage = data_loss("{}: no TFRecord, or a damaged length, at {}", name, position);
      break;
    }
    position += kTfrecordHeaderBytes;
    found.records.push_back({position, length});
    const uint64_t left = size - position;
    if (left < kTfrecordFooterBytes || left - kTfrecordFooterBytes < length) {
      break;
    }
    position += length + kTfrecordFooterBytes;
  }
  return found;
}

Result<std::vector<TfrecordRange>> parse_tfrecord_index(std::string_view text, const std::string& name) {
  std::vector<TfrecordRange> records;
  for (uint64_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(kWhiteSpace) == std::string_view::npos) {
      continue;
    }
    uint64_t offset = 0;
    uint64_t size = 0;
    const bool is_whole = cut_number(&line, &offset) && cut_number(&line, &size) &&
                          line.find_first_not_of(kWhiteSpace) == std::string_view::npos;
    if (!is_whole || size < kTfrecordHeaderBytes + kTfrecordFooterBytes) {
      return data_loss("{}:{}: a line of a TFRecord index is \"offset size\"; this is not", name, number);
    }
    records.push_back({offset + kTfrecordHeaderBytes, size - kTfrecordHeaderBytes - kTfrecordFooterBytes});
  }
  return records;
}

}  // namespace forebay::dataset
