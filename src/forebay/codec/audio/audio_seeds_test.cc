// Seeds of the fuzzer of sound: a file of each kind, and what is broken in typical ways.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/codec/testing/encode_audio.h"
#include "forebay/codec/testing/fuzz_audio.h"

namespace forebay::codec {
namespace {

std::string audio_seed(const std::string& name, const std::vector<std::byte>& made) {
  return kept_seed("audio_fuzzer", name, {reinterpret_cast<const char*>(made.data()), made.size()});
}

Status decoded_seed(const std::string& seed) {
  return testing::fuzz_audio(reinterpret_cast<const uint8_t*>(seed.data()), seed.size());
}

TEST(AudioFuzzerTest, SeedsAreDecoded) {
  for (const std::string& kind : testing::audio_kinds()) {
    const int rate = kind == "ogg opus" ? 48000 : 16000;
    const int channels = kind == "wav ima" || kind.starts_with("ogg") || kind == "mp3" ? 1 : 2;
    const std::vector<std::byte> made = testing::test_audio(300, {kind, rate, channels});
    std::string name = kind;
    std::ranges::replace(name, ' ', '_');
    const std::string seed = audio_seed(name, made);
    ASSERT_FALSE(seed.empty()) << kind << "; FOREBAY_WRITE_SEEDS=1 writes it";
    EXPECT_TRUE(decoded_seed(seed).ok()) << kind << ": " << decoded_seed(seed);
    std::vector<std::byte> damaged = made;
    damaged[std::min<size_t>(damaged.size() / 2, 60)] ^= std::byte{0xFF};
    damaged.resize(damaged.size() * 3 / 4);
    (void)decoded_seed(audio_seed(name + ".damaged", damaged));
  }
}

// A changed byte of an Ogg's last page reaches the decoder.
TEST(AudioFuzzerTest, ChangedPagesOfOggAreDecoded) {
  std::vector<std::byte> made = testing::test_audio(3000, {"ogg vorbis", 16000, 1});
  const auto decoded = [&] {
    return testing::fuzz_audio(reinterpret_cast<const uint8_t*>(made.data()), made.size());
  };
  ASSERT_TRUE(decoded().ok()) << decoded();
  made.back() ^= std::byte{0xFF};
  EXPECT_FALSE(testing::decode_all_and_a_part(made).ok()) << "its checksum is wrong";
  EXPECT_TRUE(decoded().ok()) << decoded();
}

}  // namespace
}  // namespace forebay::codec
