// Small hand-made data sets for tests: tar archives, TFRecord files and their contents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace forebay::dataset::testing {

/// A ustar header block and the content, padded. `type` as in the header; the size is the content's.
std::string tar_member(std::string_view name, std::string_view content, char type = '0');
/// The members and the two closing blocks.
std::string tar_archive(const std::vector<std::pair<std::string, std::string>>& members);

/// The record around `data`, with correct checksums.
std::string tfrecord(std::string_view data);

/// Pieces of protocol buffers.
std::string varint(uint64_t value);
std::string bytes_field(uint32_t number, std::string_view body);
std::string int64_feature(const std::vector<int64_t>& values, bool packed = true);
std::string float_feature(const std::vector<float>& values, bool packed = true);
std::string string_feature(const std::vector<std::string>& values);
std::string example(const std::vector<std::pair<std::string, std::string>>& features);

}  // namespace forebay::dataset::testing
