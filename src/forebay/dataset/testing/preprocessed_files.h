// The files of COCO's preprocessed annotations in one piece, as the fuzzer takes them: for each the number of
// its name (1 byte), its size (2 bytes) and its content.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/dataset/coco/preprocessed_lists.h"

namespace forebay::dataset::testing {

using FilesOfLists = std::map<std::string, std::string, std::less<>>;

inline constexpr std::array<std::string_view, 18> kListFiles{
    "offsets.dat",        "boxes.dat",          "labels.dat",       "counts.dat",     "polygon_data.dat",
    "polygon_offset.dat", "polygons_count.dat", "vertices.dat",     "masks_rles.dat", "vertices_offset.dat",
    "vertices_count.dat", "masks_rles_idx.dat", "masks_offset.dat", "mask_count.dat", "heights.dat",
    "widths.dat",         "original_ids.dat",   "filenames.dat"};

inline std::string packed_files(const FilesOfLists& files) {
  std::string bytes;
  for (size_t number = 0; number < kListFiles.size(); ++number) {
    if (const auto file = files.find(kListFiles[number]); file != files.end()) {
      bytes += static_cast<char>(number);
      bytes += static_cast<char>(file->second.size() & 0xff);
      bytes += static_cast<char>(file->second.size() >> 8);
      bytes += file->second;
    }
  }
  return bytes;
}

inline FilesOfLists unpacked_files(std::string_view bytes) {
  FilesOfLists files;
  while (bytes.size() >= 3) {
    const auto number = static_cast<uint8_t>(bytes[0]);
    const size_t size = static_cast<uint8_t>(bytes[1]) + (size_t{static_cast<uint8_t>(bytes[2])} << 8);
    bytes.remove_prefix(3);
    const std::string_view content = bytes.substr(0, size);
    files[std::string(kListFiles[number % kListFiles.size()])] = content;
    bytes.remove_prefix(content.size());
  }
  return files;
}

/// Opens them; they must outlive it.
inline OpenList opener_of(const FilesOfLists& files) {
  return [&files](std::string_view name) -> Result<std::shared_ptr<const ByteSource>> {
    const auto file = files.find(name);
    if (file == files.end()) {
      return not_found("{}: no such file", name);
    }
    return std::make_shared<MemoryByteSource>(std::as_bytes(std::span(file->second)));
  };
}

}  // namespace forebay::dataset::testing
