#include "forebay/codec/testing/fuzz_image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  forebay::codec::testing::fuzz_image(data, size, forebay::codec::ImageFormat::kTiff);
  return 0;
}
