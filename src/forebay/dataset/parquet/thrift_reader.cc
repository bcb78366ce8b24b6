#include "forebay/dataset/parquet/thrift_reader.h"

namespace forebay::dataset {
namespace {

constexpr int kDeepestStruct = 64;

/// In lists truths are bytes.
bool is_truth(uint8_t type) {
  return type == ThriftReader::kTrue || type == ThriftReader::kFalse;
}

}  // namespace

uint8_t ThriftReader::byte() {
  if (failed_ || position_ >= bytes_.size()) {
    failed_ = true;
    return 0;
  }
  return static_cast<uint8_t>(bytes_[position_++]);
}

uint64_t ThriftReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t next = byte();
    value |= uint64_t{next & 0x7Fu} << shift;
    if ((next & 0x80) == 0) {
      return failed_ ? 0 : value;
    }
  }
  failed_ = true;
  return 0;
}

int64_t ThriftReader::zigzag() {
  const uint64_t value = varint();
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

void ThriftReader::skip_bytes(uint64_t count) {
  if (failed_ || count > bytes_.size() - position_) {
    failed_ = true;
    return;
  }
  position_ += count;
}

void ThriftReader::structure(absl::FunctionRef<void(int16_t id, uint8_t type)> field) {
  if (++depth_ > kDeepestStruct) {
    failed_ = true;
  }
  int16_t id = 0;
  while (!failed_) {
    const uint8_t head = byte();
    if (head == 0) {
      break;
    }
    const uint8_t delta = head >> 4;
    id = delta == 0 ? static_cast<int16_t>(zigzag()) : static_cast<int16_t>(id + delta);
    if (!failed_) {
      field(id, head & 0x0F);
    }
  }
  --depth_;
}

void ThriftReader::list(uint8_t type, uint8_t element, absl::FunctionRef<void()> each) {
  const uint8_t head = type == kList || type == kSet ? byte() : 0;
  const uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
  const uint8_t found = head & 0x0F;
  const bool fits = found == element || (is_truth(found) && is_truth(element)) || count == 0;
  if (failed_ || (type != kList && type != kSet) || !fits || count > bytes_.size() - position_) {
    failed_ = true;
    return;
  }
  for (uint64_t i = 0; i < count && !failed_; ++i) {
    each();
  }
}

int64_t ThriftReader::integer(uint8_t type) {
  switch (type) {
    case kByte:
      return static_cast<int8_t>(byte());
    case kI16:
    case kI32:
    case kI64:
      return zigzag();
    default:
      failed_ = true;
      return 0;
  }
}

bool ThriftReader::boolean(uint8_t type) {
  failed_ = failed_ || !is_truth(type);
  return type == kTrue;
}

std::string ThriftReader::text(uint8_t type) {
  if (type != kBinary) {
    failed_ = true;
    return {};
  }
  return text_element();
}

std::string ThriftReader::text_element() {
  const uint64_t size = varint();
  const size_t begin = position_;
  skip_bytes(size);
  return failed_ ? std::string() : std::string(reinterpret_cast<const char*>(bytes_.data()) + begin, size);
}

void ThriftReader::skip_elements(uint8_t type) {
  const uint8_t head = byte();
  const uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
  if (failed_ || type == kMap || count > bytes_.size() - position_) {
    failed_ = true;  // no metadata of Parquet has maps
    return;
  }
  const uint8_t element = head & 0x0F;
  for (uint64_t i = 0; i < count && !failed_; ++i) {
    if (is_truth(element)) {
      skip_bytes(1);
    } else {
      skip(element);
    }
  }
}

void ThriftReader::skip(uint8_t type) {
  switch (type) {
    case kTrue:
    case kFalse:
      return;
    case kByte:
      return skip_bytes(1);
    case kI16:
    case kI32:
    case kI64:
      varint();
      return;
    case kDouble:
      return skip_bytes(8);
    case kBinary:
      return skip_bytes(varint());
    case kList:
    case kSet:
    case kMap: {
      if (++depth_ > kDeepestStruct) {
        failed_ = true;
      } else {
        skip_elements(type);
      }
      --depth_;
      return;
    }
    case kStruct:
      return structure([this](int16_t, uint8_t field) { skip(field); });
    default:
      failed_ = true;
  }
}

}  // namespace forebay::dataset
