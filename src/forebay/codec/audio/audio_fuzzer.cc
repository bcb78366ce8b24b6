#include "forebay/codec/testing/fuzz_audio.h"

/// libvorbis 1.3.7 forgets some KiB of a header that it refuses; nobody outside can free them.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's name
  return "leak:libvorbis";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)forebay::codec::testing::fuzz_audio(data, size);
  return 0;
}
