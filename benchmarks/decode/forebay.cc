// Forebay's codec: header, memory from its pool, pixels.
#include <cstdio>
#include <cstdlib>

#include "forebay/codec/image_decoder.h"
#include "harness/contender.h"

namespace {

namespace codec = forebay::codec;

template <class T>
T value_of(forebay::Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
    std::exit(1);
  }
  return *std::move(result);
}

// The whole picture, or the middle half of its height and width.
forebay::tensor::Tensor decode(const std::string& data, bool is_window) {
  const forebay::Bytes bytes(reinterpret_cast<const std::byte*>(data.data()), data.size());
  codec::ImageDecodeOptions options;
  if (is_window) {
    const codec::ImageHeader header = value_of(codec::read_image_header(bytes));
    const codec::ImageSize size = codec::oriented_size(header, options);
    options.window = codec::Window{size.height / 4, size.width / 4, size.height / 2, size.width / 2};
  }
  return value_of(codec::decode_image(bytes, options));
}

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {{"forebay", FOREBAY_VERSION}};
  const bool is_window = task.number.contains("window");
  const std::vector<std::string> files = contender::read_pictures(task.text.at("folder"));
  if (!task.check.empty()) {
    const forebay::tensor::Tensor image = decode(files.front(), is_window);
    const std::span<const uint8_t> values = image.view().span<uint8_t>();
    contender::save(task, versions, {values.begin(), values.end()},
                    {image.shape()[0], image.shape()[1], image.shape()[2]});
    return 0;
  }
  contender::measure(task, 1, versions, [&](int) {
    for (const std::string& file : files) {
      decode(file, is_window);
    }
    return static_cast<int>(files.size());
  });
  return 0;
}
