// libjpeg-turbo alone: decodes the rows and columns of a random window (crop and skip), and nothing else. No
// resize, no normalisation, files already in memory: what is left for everybody who decodes with
// libjpeg-turbo.
#include <cmath>
#include <cstdio>
#include <random>

#include "harness/contender.h"
// jpeglib.h needs cstdio before it.
#include <jpeglib.h>

namespace {

struct Window {
  unsigned top, left, height, width;
};

// As RandomResizedCrop draws it: 0.08 to 1 of the area, aspect ratio 3/4 to 4/3.
Window random_window(unsigned height, unsigned width, std::mt19937& random) {
  std::uniform_real_distribution<double> area(0.08, 1.0);
  std::uniform_real_distribution<double> log_ratio(std::log(3.0 / 4.0), std::log(4.0 / 3.0));
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double pixels = area(random) * height * width;
    const double ratio = std::exp(log_ratio(random));
    const unsigned w = std::lround(std::sqrt(pixels * ratio));
    const unsigned h = std::lround(std::sqrt(pixels / ratio));
    if (w >= 1 && h >= 1 && w <= width && h <= height) {
      return {static_cast<unsigned>(random() % (height - h + 1)),
              static_cast<unsigned>(random() % (width - w + 1)), h, w};
    }
  }
  const unsigned side = std::min(height, width);
  return {(height - side) / 2, (width - side) / 2, side, side};
}

void decode_window(const std::string& data, std::vector<unsigned char>& row, std::mt19937& random) {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(data.data()), data.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  const Window window = random_window(info.output_height, info.output_width, random);
  JDIMENSION left = window.left;
  JDIMENSION width = window.width;
  jpeg_crop_scanline(&info, &left, &width);
  row.resize(static_cast<size_t>(width) * 4);
  jpeg_skip_scanlines(&info, window.top);
  unsigned char* line = row.data();
  for (unsigned y = 0; y < window.height; ++y) {
    jpeg_read_scanlines(&info, &line, 1);
  }
  jpeg_abort_decompress(&info);
  jpeg_destroy_decompress(&info);
}

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {
      {"libjpeg-turbo", std::to_string(LIBJPEG_TURBO_VERSION_NUMBER)}};
  if (!task.check.empty()) {
    contender::decline(task, versions);
    return 0;
  }
  const std::vector<std::string> files = contender::read_pictures(task.data);
  contender::measure(task, static_cast<int>(task.number.at("threads")), versions, [&](int thread) {
    std::mt19937 random(thread + 1);
    std::vector<unsigned char> row;
    for (const std::string& file : files) {
      decode_window(file, row, random);
    }
    return static_cast<int>(files.size());
  });
  return 0;
}
