#include "forebay/dataset/parquet/column_values.h"

#include <algorithm>
#include <cstring>

#include "forebay/dataset/parquet/bit_numbers.h"

namespace forebay::dataset {
namespace {

Status too_few(uint64_t count) {
  return data_loss("a page ends before its {} values", count);
}

/// Takes as many lengths as there are values.
Result<std::vector<int64_t>> take_lengths(Bytes* content, uint64_t count) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, take_delta_numbers(content, count));
  if (lengths.size() < count) {
    return too_few(count);
  }
  return lengths;
}

/// Takes a value of a length from outside.
Result<Bytes> take_value(Bytes* content, int64_t length) {
  if (length < 0 || static_cast<uint64_t>(length) > content->size()) {
    return data_loss("a value of {} bytes in a page that has {} left", length, content->size());
  }
  const Bytes value = content->first(static_cast<size_t>(length));
  *content = content->subspan(value.size());
  return value;
}

}  // namespace

Bytes ColumnValues::value(uint64_t number) const {
  if (width_ > 0) {
    return values(number, 1);
  }
  const uint64_t begin = number == 0 ? 0 : ends_[number - 1];
  return Bytes(data_).subspan(begin, ends_[number] - begin);
}

Status ColumnValues::check_room(uint64_t more_bytes) const {
  if (more_bytes > most_bytes_ || size_bytes() > most_bytes_ - more_bytes) {
    return resource_exhausted("its values take more than the {} bytes that are allowed", most_bytes_);
  }
  return ok_status();
}

Status ColumnValues::add(Bytes value) {
  if (width_ > 0 && value.size() != width_) {
    return data_loss("a value of {} bytes where all have {}", value.size(), width_);
  }
  FOREBAY_RETURN_IF_ERROR(check_room(value.size() + sizeof(uint64_t)));
  data_.insert(data_.end(), value.begin(), value.end());
  if (width_ == 0) {
    ends_.push_back(data_.size());
  }
  return ok_status();
}

Status ColumnValues::append(ParquetCoding coding, Bytes content, uint64_t count) {
  if (count == 0) {
    return ok_status();
  }
  const bool is_number = type_ == ParquetType::kInt32 || type_ == ParquetType::kInt64;
  const bool is_text = type_ == ParquetType::kByteArray;
  switch (coding) {
    case ParquetCoding::kPlain:
      return type_ == ParquetType::kBoolean ? append_truths(content, count)
             : is_text                      ? append_texts(content, count)
                                            : append_plain(content, count);
    case ParquetCoding::kRuns:
      if (type_ == ParquetType::kBoolean) {
        return append_truth_runs(content, count);
      }
      break;
    case ParquetCoding::kDeltaNumbers:
      if (is_number) {
        return append_delta_numbers(content, count);
      }
      break;
    case ParquetCoding::kDeltaLengths:
      if (is_text) {
        return append_delta_lengths(content, count);
      }
      break;
    case ParquetCoding::kDeltaBytes:
      if (is_text || type_ == ParquetType::kFixedBytes) {
        return append_delta_bytes(content, count);
      }
      break;
    case ParquetCoding::kSplitStreams:
      if (width_ > 0 && type_ != ParquetType::kBoolean) {
        return append_split(content, count);
      }
      break;
    default:
      break;
  }
  return unimplemented("values of type {} in coding {}", static_cast<int>(type_), static_cast<int>(coding));
}

Status ColumnValues::append_plain(Bytes content, uint64_t count) {
  if (count > content.size() / width_) {
    return too_few(count);
  }
  FOREBAY_RETURN_IF_ERROR(check_room(count * width_));
  const Bytes values = content.first(count * width_);
  data_.insert(data_.end(), values.begin(), values.end());
  return ok_status();
}

Status ColumnValues::append_truths(Bytes content, uint64_t count) {
  if ((count + 7) / 8 > content.size()) {
    return too_few(count);
  }
  FOREBAY_RETURN_IF_ERROR(check_room(count));
  BitNumbers bits(content);
  for (uint64_t i = 0; i < count; ++i) {
    data_.push_back(static_cast<std::byte>(bits.next(1)));
  }
  return ok_status();
}

Status ColumnValues::append_truth_runs(Bytes content, uint64_t count) {
  if (content.size() < sizeof(uint32_t)) {
    return too_few(count);
  }
  FOREBAY_RETURN_IF_ERROR(check_room(count * sizeof(uint32_t)));
  std::vector<uint32_t> truths(count);
  FOREBAY_RETURN_IF_ERROR(decode_runs(content.subspan(sizeof(uint32_t)), 1, 1, truths));
  for (const uint32_t truth : truths) {
    data_.push_back(static_cast<std::byte>(truth));
  }
  return ok_status();
}

Status ColumnValues::append_texts(Bytes content, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t length = 0;
    if (content.size() < sizeof(length)) {
      return too_few(count);
    }
    std::memcpy(&length, content.data(), sizeof(length));
    content = content.subspan(sizeof(length));
    FOREBAY_ASSIGN_OR_RETURN(const Bytes value, take_value(&content, length));
    FOREBAY_RETURN_IF_ERROR(add(value));
  }
  return ok_status();
}

Status ColumnValues::append_delta_numbers(Bytes content, uint64_t count) {
  FOREBAY_RETURN_IF_ERROR(check_room(count * sizeof(int64_t)));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, take_lengths(&content, count));
  for (const int64_t number : numbers) {
    const Bytes bytes = std::as_bytes(std::span(&number, 1)).first(width_);
    data_.insert(data_.end(), bytes.begin(), bytes.end());
  }
  return ok_status();
}

Status ColumnValues::append_delta_lengths(Bytes content, uint64_t count) {
  FOREBAY_RETURN_IF_ERROR(check_room(count * sizeof(int64_t)));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, take_lengths(&content, count));
  for (const int64_t length : lengths) {
    FOREBAY_ASSIGN_OR_RETURN(const Bytes value, take_value(&content, length));
    FOREBAY_RETURN_IF_ERROR(add(value));
  }
  return ok_status();
}

/// Each value begins with so many bytes of the one before.
Status ColumnValues::append_delta_bytes(Bytes content, uint64_t count) {
  FOREBAY_RETURN_IF_ERROR(check_room(count * 2 * sizeof(int64_t)));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> shared, take_lengths(&content, count));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, take_lengths(&content, count));
  std::vector<std::byte> value;
  for (uint64_t i = 0; i < count; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(const Bytes rest, take_value(&content, lengths[i]));
    if (shared[i] < 0 || static_cast<uint64_t>(shared[i]) > value.size()) {
      return data_loss("a value shares {} bytes with one of {}", shared[i], value.size());
    }
    value.resize(static_cast<size_t>(shared[i]));
    value.insert(value.end(), rest.begin(), rest.end());
    FOREBAY_RETURN_IF_ERROR(add(value));
  }
  return ok_status();
}

/// The first bytes of all values, then the second ones.
Status ColumnValues::append_split(Bytes content, uint64_t count) {
  if (count > content.size() / width_) {
    return too_few(count);
  }
  FOREBAY_RETURN_IF_ERROR(check_room(count * width_));
  const size_t begin = data_.size();
  data_.resize(begin + count * width_);
  for (uint32_t stream = 0; stream < width_; ++stream) {
    const std::byte* const from = content.data() + stream * count;
    std::byte* const to = data_.data() + begin + stream;
    for (uint64_t i = 0; i < count; ++i) {
      to[i * width_] = from[i];
    }
  }
  return ok_status();
}

}  // namespace forebay::dataset
