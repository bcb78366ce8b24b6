// Images of 100 Mpixel, encoded row by row: a smooth gradient, so that they are quick to make and small on
// disk.
#pragma once

#include <string>

namespace forebay::end_to_end {

struct LargeImage {
  int height = 8000;
  int width = 12500;
  bool is_progressive = false;  // JPEG only
};

void write_large_jpeg(const std::string& path, const LargeImage& image);
void write_large_png(const std::string& path, const LargeImage& image);

}  // namespace forebay::end_to_end
