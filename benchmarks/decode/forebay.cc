// Forebay's codec: header, memory from its pool, pixels.
#include <cstdio>
#include <cstdlib>

#include "forebay/codec/image_decoder.h"
#include "harness/contender.h"

namespace {

forebay::tensor::Tensor decode(const std::string& data) {
  const forebay::Bytes bytes(reinterpret_cast<const std::byte*>(data.data()), data.size());
  forebay::Result<forebay::tensor::Tensor> image = forebay::codec::decode_image(bytes);
  if (!image.ok()) {
    std::fprintf(stderr, "%s\n", std::string(image.status().message()).c_str());
    std::exit(1);
  }
  return *std::move(image);
}

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {{"forebay", FOREBAY_VERSION}};
  const std::vector<std::string> files = contender::read_pictures(task.text.at("folder"));
  if (!task.check.empty()) {
    const forebay::tensor::Tensor image = decode(files.front());
    const std::span<const uint8_t> values = image.view().span<uint8_t>();
    contender::save(task, versions, {values.begin(), values.end()},
                    {image.shape()[0], image.shape()[1], image.shape()[2]});
    return 0;
  }
  contender::measure(task, 1, versions, [&](int) {
    for (const std::string& file : files) {
      decode(file);
    }
    return static_cast<int>(files.size());
  });
  return 0;
}
