#include "forebay/dataset/parquet/bit_numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace forebay::dataset {
namespace {

constexpr uint64_t low_bits(int bits) {
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

/// Eight bytes from `offset` on; zeros behind the end.
uint64_t eight_bytes_at(Bytes bytes, uint64_t offset) {
  uint64_t word = 0;
  if (offset + sizeof(word) <= bytes.size()) {
    std::memcpy(&word, bytes.data() + offset, sizeof(word));
  } else if (offset < bytes.size()) {
    std::memcpy(&word, bytes.data() + offset, bytes.size() - offset);  // copy: fewer than 8 bytes
  }
  return word;
}

}  // namespace

uint64_t BitNumbers::next(int bits) {
  const uint64_t byte = bit_ / 8;
  const int shift = static_cast<int>(bit_ % 8);
  uint64_t word = eight_bytes_at(bytes_, byte) >> shift;
  if (shift + bits > 64) {
    word |= eight_bytes_at(bytes_, byte + 8) << (64 - shift);
  }
  bit_ += static_cast<uint64_t>(bits);
  return word & low_bits(bits);
}

Result<uint64_t> take_varint(Bytes* bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < std::min<size_t>(bytes->size(), 10); ++i) {
    const auto byte = static_cast<uint64_t>((*bytes)[i]);
    value |= (byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) {
      *bytes = bytes->subspan(i + 1);
      return value;
    }
  }
  return data_loss("a number that does not end");
}

int bits_of(uint32_t most) {
  return static_cast<int>(std::bit_width(most));
}

Status decode_runs(Bytes bytes, int bits, uint32_t most, std::span<uint32_t> out) {
  if (bits == 0 && most == 0) {
    std::ranges::fill(out, 0u);  // there is nothing to say
    return ok_status();
  }
  const auto value_bytes = static_cast<size_t>((bits + 7) / 8);
  while (!out.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t head, take_varint(&bytes));
    const uint64_t count = head >> 1;
    if (count == 0) {
      return data_loss("a run of no numbers");
    }
    if ((head & 1) == 0) {
      if (bytes.size() < value_bytes) {
        return data_loss("numbers end within a run");
      }
      const auto value = static_cast<uint32_t>(BitNumbers(bytes.first(value_bytes)).next(bits));
      const size_t taken = std::min<uint64_t>(count, out.size());
      if (value > most) {
        return data_loss("number {} where {} is the largest", value, most);
      }
      std::ranges::fill(out.first(taken), value);
      bytes = bytes.subspan(value_bytes);
      out = out.subspan(taken);
      continue;
    }
    if (count > (uint64_t{1} << 32)) {
      return data_loss("a run of {} groups of numbers", count);
    }
    const size_t taken = std::min<uint64_t>(count * 8, out.size());
    const uint64_t run_bytes = count * static_cast<uint64_t>(bits);
    const uint64_t needed_bytes = (taken * static_cast<uint64_t>(bits) + 7) / 8;
    if (needed_bytes > bytes.size()) {
      return data_loss("numbers end within a run");
    }
    BitNumbers numbers(bytes);
    for (size_t i = 0; i < taken; ++i) {
      out[i] = static_cast<uint32_t>(numbers.next(bits));
      if (out[i] > most) {
        return data_loss("number {} where {} is the largest", out[i], most);
      }
    }
    bytes = bytes.subspan(std::min<uint64_t>(run_bytes, bytes.size()));
    out = out.subspan(taken);
  }
  return ok_status();
}

Result<std::vector<int64_t>> take_delta_numbers(Bytes* bytes, uint64_t most_count) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t block, take_varint(bytes));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t parts, take_varint(bytes));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t count, take_varint(bytes));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t first, take_varint(bytes));
  const bool is_sound = block > 0 && block <= (1 << 20) && block % 128 == 0 && parts > 0 && parts <= 1024 &&
                        block % parts == 0 && (block / parts) % 32 == 0;
  if (!is_sound || count > most_count) {
    return data_loss("{} differences in blocks of {} in {} parts, where {} values are expected", count, block,
                     parts, most_count);
  }
  const auto unzigzag = [](uint64_t value) { return (value >> 1) ^ (~(value & 1) + 1); };
  std::vector<int64_t> values;
  values.reserve(count);
  uint64_t value = unzigzag(first);
  if (count > 0) {
    values.push_back(static_cast<int64_t>(value));
  }
  const uint64_t part = block / parts;
  while (values.size() < count) {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t least_coded, take_varint(bytes));
    const uint64_t least = unzigzag(least_coded);
    if (bytes->size() < parts) {
      return data_loss("differences end within a block");
    }
    const Bytes widths = bytes->first(parts);
    *bytes = bytes->subspan(parts);
    for (uint64_t i = 0; i < parts && values.size() < count; ++i) {
      const auto bits = static_cast<int>(widths[i]);
      const uint64_t part_bytes = bits > 64 ? ~uint64_t{0} : part * static_cast<uint64_t>(bits) / 8;
      if (part_bytes > bytes->size()) {
        return data_loss("differences of {} bits end within a block", bits);
      }
      BitNumbers numbers(bytes->first(part_bytes));
      const uint64_t taken = std::min(part, count - values.size());
      for (uint64_t k = 0; k < taken; ++k) {
        value += least + numbers.next(bits);
        values.push_back(static_cast<int64_t>(value));
      }
      *bytes = bytes->subspan(part_bytes);
    }
  }
  return values;
}

}  // namespace forebay::dataset
