#include "forebay/storage/listing/name_block.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "forebay/base/crc32c.h"
#include "forebay/storage/home/json_fields.h"
#include "forebay/storage/listing/key_guess.h"

namespace forebay::storage {
namespace {

constexpr std::array<int64_t, 4> kUnitsNs = {1'000'000'000, 1'000'000, 1000, 1};
constexpr size_t kDigestBytes = 16;
static_assert(2 * kDigestBytes == 32, "digits_ has room for them");
constexpr size_t kMaxNumberBytes = 10;

void put_number(std::string& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  bytes += static_cast<char>(value);
}

uint64_t zigzag(uint64_t value) {
  return (value << 1) ^ (value >> 63 != 0 ? ~uint64_t{0} : 0);
}
uint64_t unzigzag(uint64_t value) {
  return (value >> 1) ^ ((value & 1) != 0 ? ~uint64_t{0} : 0);
}

/// The digits that `version` begins with, as bytes; empty if these are no digest.
std::string digest_of(std::string_view version) {
  std::string digest;
  if (version.size() < 2 * kDigestBytes) {
    return digest;
  }
  for (size_t i = 0; i < 2 * kDigestBytes; i += 2) {
    const int high = hex_digit(version[i]);
    const int low = hex_digit(version[i + 1]);
    if (high < 0 || low < 0) {
      return {};
    }
    digest += static_cast<char>(high * 16 + low);
  }
  return digest;
}

// What follows a version's digits, or all of it: 2 * bytes + whether there are digits.
void put_version(std::string& bytes, std::string_view version) {
  const std::string digest = digest_of(version);
  const std::string_view rest = version.substr(2 * digest.size());
  put_number(bytes, 2 * rest.size() + (digest.empty() ? 0 : 1));
  bytes += digest;
  bytes += rest;
}

}  // namespace

NamedEntry entry_of(const ObjectStat& stat) {
  return {.key = stat.key,
          .size_bytes = stat.size_bytes,
          .modified_ns = stat.modified_ns,
          .version = stat.version};
}

Status check_entry_limits(const NamedEntry& entry) {
  if (entry.key.size() > kMaxNameBytes || entry.version.size() > kMaxNameBytes) {
    return invalid_argument("a name of {} bytes, and a version of {}; at most {} are allowed",
                            entry.key.size(), entry.version.size(), kMaxNameBytes);
  }
  if (entry.size_bytes > kMaxObjectBytes) {
    return invalid_argument("'{}' has {} bytes; at most {} are allowed", entry.key, entry.size_bytes,
                            kMaxObjectBytes);
  }
  return ok_status();
}

void NameBlockWriter::add(const NamedEntry& entry) {
  if (count_ == entries_.size()) {
    entries_.emplace_back();
  }
  Entry& kept = entries_[count_++];
  kept.key = entry.key;
  kept.version = entry.version;
  kept.size_bytes = entry.size_bytes;
  kept.modified_ns = entry.modified_ns;
  kept.is_removed = entry.is_removed;
  text_bytes_ += entry.key.size() + entry.version.size();
}

void NameBlockWriter::finish(std::string& bytes) {
  const std::span<const Entry> entries(entries_.data(), count_);
  const auto fits_all = [&](int64_t unit) {
    return std::ranges::all_of(entries, [unit](const Entry& entry) { return entry.modified_ns % unit == 0; });
  };
  const auto unit = std::ranges::find_if(kUnitsNs, fits_all);
  const size_t begin = bytes.size();
  bytes.append(sizeof(uint32_t), '\0');
  put_number(bytes, count_);
  put_number(bytes, static_cast<uint64_t>(unit - kUnitsNs.begin()));
  uint64_t time = 0;
  std::string_view before;
  for (const Entry& entry : entries) {
    const size_t shared = common_bytes(before, entry.key);
    put_number(bytes, shared);
    put_number(bytes, entry.key.size() - shared);
    bytes.append(entry.key, shared);
    put_number(bytes, 2 * entry.size_bytes + (entry.is_removed ? 1 : 0));
    const auto now = static_cast<uint64_t>(entry.modified_ns / *unit);
    put_number(bytes, zigzag(now - time));
    put_version(bytes, entry.version);
    time = now;
    before = entry.key;
  }
  const uint32_t crc = crc32c(std::as_bytes(std::span(bytes).subspan(begin + sizeof(crc))));
  std::memcpy(bytes.data() + begin, &crc, sizeof(crc));
  count_ = 0;
  text_bytes_ = 0;
}

bool is_whole_block(Bytes block) {
  uint32_t crc = 0;
  if (block.size() < sizeof(crc)) {
    return false;
  }
  std::memcpy(&crc, block.data(), sizeof(crc));
  return crc == crc32c(block.subspan(sizeof(crc)));
}

void NameBlockReader::open(Bytes block) {
  left_ = block.subspan(std::min(block.size(), sizeof(uint32_t)));
  time_ = 0;
  key_.clear();
  uint64_t unit = 0;
  is_broken_ = false;
  is_broken_ = !number(count_) || !number(unit) || unit >= kUnitsNs.size();
  if (is_broken_) {
    count_ = 0;
  } else {
    unit_ns_ = static_cast<uint64_t>(kUnitsNs[unit]);
  }
}

bool NameBlockReader::long_number(uint64_t& value) {
  value = 0;
  const size_t most = std::min(left_.size(), kMaxNumberBytes);
  for (size_t i = 0; i < most; ++i) {
    const auto byte = static_cast<uint64_t>(left_[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      left_ = left_.subspan(i + 1);
      return true;
    }
  }
  return broken();
}

bool NameBlockReader::text(size_t bytes, std::string_view& text) {
  if (bytes > left_.size() || bytes > kMaxNameBytes) {
    return broken();
  }
  text = {reinterpret_cast<const char*>(left_.data()), bytes};
  left_ = left_.subspan(bytes);
  return true;
}

bool NameBlockReader::version(Fields& fields) {
  uint64_t length = 0;
  if (!number(length)) {
    return false;
  }
  fields.has_digest = length % 2 != 0;
  return text(length / 2 + (fields.has_digest ? kDigestBytes : 0), fields.version);
}

bool NameBlockReader::read(Fields& fields) {
  if (count_ == 0 || is_broken_) {
    return false;
  }
  --count_;
  uint64_t shared = 0;
  uint64_t rest = 0;
  uint64_t size = 0;
  uint64_t time = 0;
  const bool is_read = number(shared) && number(rest) && text(rest, fields.rest) && number(size) &&
                       number(time) && version(fields);
  if (!is_read || shared > kMaxNameBytes) {
    return broken();
  }
  time_ += unzigzag(time);
  fields.shared = shared;
  fields.size_bytes = size / 2;
  fields.is_removed = size % 2 != 0;
  fields.modified_ns = static_cast<int64_t>(time_ * unit_ns_);
  return true;
}

void NameBlockReader::fill(const Fields& fields, std::string_view key, NamedEntry& entry) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  entry = {.key = key,
           .size_bytes = fields.size_bytes,
           .modified_ns = fields.modified_ns,
           .version = fields.version,
           .is_removed = fields.is_removed};
  if (!fields.has_digest) {
    return;
  }
  for (size_t i = 0; i < kDigestBytes; ++i) {
    const auto byte = static_cast<unsigned char>(fields.version[i]);
    digits_[2 * i] = kDigits[byte / 16];
    digits_[2 * i + 1] = kDigits[byte % 16];
  }
  entry.version = {digits_.data(), digits_.size()};
  if (const std::string_view rest = fields.version.substr(kDigestBytes); !rest.empty()) {
    version_ = entry.version;
    version_ += rest;
    entry.version = version_;
  }
}

bool NameBlockReader::next(NamedEntry& entry) {
  Fields fields;
  if (!read(fields)) {
    return false;
  }
  if (fields.shared > key_.size() || fields.shared + fields.rest.size() > kMaxNameBytes) {
    return broken();
  }
  key_.resize(fields.shared);
  key_ += fields.rest;
  fill(fields, key_, entry);
  return true;
}

// `same`: how many bytes the name before has in common with `key`, which it is less than. One that shares
// more with the name before is less than `key`, too; one that shares less is greater, as all behind it are.
bool NameBlockReader::find(std::string_view key, NamedEntry& entry) {
  size_t same = 0;
  for (Fields fields; read(fields);) {
    if (fields.shared < same) {
      return false;
    }
    if (fields.shared > same) {
      continue;
    }
    const std::string_view rest = key.substr(same);
    const size_t more = common_bytes(rest, fields.rest);
    same += more;
    if (more == rest.size() && more == fields.rest.size()) {
      fill(fields, key, entry);
      return true;
    }
    if (fields.rest.substr(more) > rest.substr(more)) {
      return false;
    }
  }
  return false;
}

}  // namespace forebay::storage
