#include "forebay/codec/testing/fuzz_audio.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)forebay::codec::testing::fuzz_audio(data, size);
  return 0;
}
