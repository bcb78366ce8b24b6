#include "forebay/codec/testing/fuzz_audio.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);  // libFuzzer's own

/// Of an Ogg mostly what is in a page, in its place, so that what is in it gets as far as the decoders.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  constexpr unsigned kOneInAnyWay = 8;
  const std::span<uint8_t> body =
      forebay::codec::testing::body_of_ogg_page({data, size}, seed / kOneInAnyWay);
  if (body.empty() || seed % kOneInAnyWay == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  (void)LLVMFuzzerMutate(body.data(), body.size(), body.size());
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)forebay::codec::testing::fuzz_audio(data, size);
  return 0;
}
