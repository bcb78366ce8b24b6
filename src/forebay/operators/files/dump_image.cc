// dump_image: writes pictures as text (PPM, PGM) into the working directory, to look at while debugging.
#include <fmt/format.h>

#include "forebay/operators/describe.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/uri.h"

namespace forebay::operators {
namespace {

std::string portable_map(const Tensor& picture) {
  const int64_t height = picture.shape()[0];
  const int64_t row = picture.shape()[1] * picture.shape()[2];
  std::string text =
      fmt::format("{}\n{} {}\n255\n", picture.shape()[2] == 1 ? "P2" : "P3", picture.shape()[1], height);
  const uint8_t* value = picture.view().as<uint8_t>();
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t i = 0; i < row; ++i) {
      fmt::format_to(std::back_inserter(text), "{} ", *value++);
    }
    text += '\n';
  }
  return text;
}

struct DumpImage {
  std::string folder;
  std::string suffix;
  LayoutName input_layout = {"HWC"};

  Status prepare(const Arguments&) const {
    return input_layout.names == "HWC"
               ? ok_status()
               : invalid_argument("input_layout is '{}'; only HWC is written", input_layout.names);
  }

  Status run(Sample& sample) const {
    const Tensor& picture = sample.input(0);
    const Shape& shape = picture.shape();
    if (picture.dtype() != DType::kUint8 || shape.rank() != 3 || (shape[2] != 1 && shape[2] != 3)) {
      return invalid_argument("pictures of uint8, HWC, with 1 or 3 channels are written, not {}",
                              picture.spec().to_string());
    }
    const std::string name = fmt::format("{}-{}-0.ppm", sample.identity().index_in_batch, suffix);
    const std::string text = portable_map(picture);
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress file,
                             storage::default_registry().resolve(storage::join_path(folder, name)));
    FOREBAY_RETURN_IF_ERROR(
        storage::write_now(*file.store, file.key, std::as_bytes(std::span(text))).status());
    sample.forward(0, picture);
    return ok_status();
  }
};

}  // namespace

OperatorSpec dump_image() {
  return describe<DumpImage>("dump_image",
                             "Writes pictures as files of text (PPM), to look at while debugging.")
      .input("input", "Pictures, uint8, HWC.")
      .param("suffix", &DumpImage::suffix, "Part of the names: <place in the batch>-<suffix>-0.ppm.")
      .param("folder", &DumpImage::folder,
             "Where they are written, a path or URI; the working directory when empty.")
      .param("input_layout", &DumpImage::input_layout, "HWC, the only one that is written.")
      .outputs("The input.")
      .matches("DALI fn.dump_image")
      .build();
}

}  // namespace forebay::operators
