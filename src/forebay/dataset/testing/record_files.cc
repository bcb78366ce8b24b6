#include "forebay/dataset/testing/record_files.h"

#include <cstring>
#include <numeric>
#include <span>

#include "fmt/format.h"
#include "forebay/dataset/tfrecord/masked_crc32c.h"

namespace forebay::dataset::testing {
namespace {

template <class T>
std::string raw(const T& value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

std::string tar_member(std::string_view name, std::string_view content, char type) {
  std::string block(512, '\0');
  const auto put = [&block](size_t offset, std::string_view text) {
    block.replace(offset, text.size(), text);
  };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, fmt::format("{:011o}", content.size()));
  put(136, "00000000000");
  put(148, "        ");
  put(156, std::string_view(&type, 1));
  put(257, std::string_view("ustar\00000", 8));
  const unsigned sum = std::accumulate(
      block.begin(), block.end(), 0u, [](unsigned total, char c) { return total + static_cast<uint8_t>(c); });
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  block += content;
  block.resize((block.size() + 511) / 512 * 512, '\0');
  return block;
}

std::string tar_archive(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive;
  for (const auto& [name, content] : members) {
    archive += tar_member(name, content);
  }
  return archive + std::string(1024, '\0');
}

std::string tfrecord(std::string_view data) {
  const std::string length = raw<uint64_t>(data.size());
  return length + raw(masked_crc32c(as_bytes(length))) + std::string(data) +
         raw(masked_crc32c(as_bytes(data)));
}

std::string varint(uint64_t value) {
  std::string bytes;
  while (value >= 0x80) {
    bytes += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return bytes + static_cast<char>(value);
}

std::string bytes_field(uint32_t number, std::string_view body) {
  return varint(number << 3 | 2) + varint(body.size()) + std::string(body);
}

std::string int64_feature(const std::vector<int64_t>& values, bool packed) {
  std::string list;
  for (const int64_t value : values) {
    list += (packed ? "" : varint(1 << 3)) + varint(static_cast<uint64_t>(value));
  }
  return bytes_field(3, packed ? bytes_field(1, list) : list);
}

std::string float_feature(const std::vector<float>& values, bool packed) {
  std::string list;
  for (const float value : values) {
    list += (packed ? "" : varint(1 << 3 | 5)) + raw(value);
  }
  return bytes_field(2, packed ? bytes_field(1, list) : list);
}

std::string string_feature(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) {
    list += bytes_field(1, value);
  }
  return bytes_field(1, list);
}

std::string example(const std::vector<std::pair<std::string, std::string>>& features) {
  std::string map;
  for (const auto& [name, feature] : features) {
    map += bytes_field(1, bytes_field(1, name) + bytes_field(2, feature));
  }
  return bytes_field(1, map);
}

}  // namespace forebay::dataset::testing
