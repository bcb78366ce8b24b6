// Sound files: what they say and hold, their parts, and what damage is called.
#include "forebay/codec/audio/audio_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "forebay/codec/testing/encode_audio.h"
#include "forebay/codec/testing/ogg_pages.h"

namespace forebay::codec {
namespace {

using tensor::DType;
using tensor::Tensor;
using testing::AudioOptions;
using ::testing::HasSubstr;
using testing::test_audio;

using AudioBytes = std::vector<std::byte>;

Result<Tensor> part_of_sound(const AudioBytes& bytes, DType dtype, int64_t first, int64_t frames) {
  FOREBAY_ASSIGN_OR_RETURN(const auto file, AudioFile::open(bytes));
  FOREBAY_RETURN_IF_ERROR(file->seek(first));
  FOREBAY_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate({{frames, file->header().channels}, dtype, {}}));
  FOREBAY_RETURN_IF_ERROR(file->read(out.mutable_view()));
  return out;
}

Result<Tensor> whole_sound(const AudioBytes& bytes, DType dtype = DType::kFloat) {
  FOREBAY_ASSIGN_OR_RETURN(const auto file, AudioFile::open(bytes));
  return part_of_sound(bytes, dtype, 0, file->header().frames);
}

std::string sound_error(const AudioBytes& bytes) {
  const Status status = whole_sound(bytes).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  return std::string(message(status));
}

AudioBytes cut_sound(AudioBytes bytes, size_t size) {
  bytes.resize(size);
  return bytes;
}

void put_u32(AudioBytes* bytes, size_t at, uint32_t number) {
  std::memcpy(bytes->data() + at, &number, sizeof(number));
}

class AudioKindTest : public ::testing::TestWithParam<std::string> {};

TEST_P(AudioKindTest, SaysWhatItIsAndHoldsTheSamples) {
  const int channels = GetParam() == "wav ima" ? 1 : 2;
  const int rate = GetParam() == "ogg opus" ? 48000 : 22050;
  const std::vector<float> sound = testing::test_sound(3000, channels);
  const AudioBytes bytes = testing::encode_audio(sound, {GetParam(), rate, channels});
  const auto file = AudioFile::open(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->header().rate_hz, rate);
  EXPECT_EQ((*file)->header().channels, channels);
  EXPECT_GE((*file)->header().frames, 3000);
  EXPECT_LT((*file)->header().frames, 3000 + 2400);  // what a frame of MP3 adds
  const auto decoded = whole_sound(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  const std::span<const float> values = decoded->view().span<float>();
  const float bound = GetParam() == "wav u8" ? 1 / 60.0f : 1 / 16000.0f;
  for (size_t i = 0; testing::is_lossless_audio(GetParam()) && i < sound.size(); ++i) {
    ASSERT_NEAR(values[i], sound[i], bound) << i;
  }
}

TEST_P(AudioKindTest, APartIsThatPartOfTheWhole) {
  const int channels = GetParam() == "wav ima" ? 1 : 2;
  const int rate = GetParam() == "ogg opus" ? 48000 : 22050;
  const AudioBytes bytes = test_audio(9000, {GetParam(), rate, channels});
  const auto whole = whole_sound(bytes);
  ASSERT_TRUE(whole.ok()) << whole.status();
  const auto part = part_of_sound(bytes, DType::kFloat, 4321, 1000);
  ASSERT_TRUE(part.ok()) << part.status();
  // MP3 and Opus decode from a little before, and are not there yet to the last bit.
  const bool is_exact = testing::is_lossless_audio(GetParam()) || GetParam() == "wav ulaw";
  const auto values = part->view().span<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], whole->view().span<float>()[4321 * channels + i], is_exact ? 0 : 0.02) << i;
  }
}

// Nothing that was cut off passes for a shorter sound.
TEST_P(AudioKindTest, WhatIsCutOffIsNamed) {
  const int rate = GetParam() == "ogg opus" ? 48000 : 16000;
  const AudioBytes bytes = test_audio(40000, {GetParam(), rate, 1});
  for (const size_t missing : {size_t{2}, size_t{9}, bytes.size() / 10, bytes.size() / 2, bytes.size() - 60,
                               bytes.size() - 30, bytes.size() - 14}) {
    const auto sound = whole_sound(cut_sound(bytes, bytes.size() - missing));
    EXPECT_EQ(sound.status().code(), StatusCode::kDataLoss) << missing << " of " << bytes.size();
  }
}

TEST_P(AudioKindTest, NoCutAndNoFlippedBitEndsTheProcess) {
  const AudioBytes bytes = test_audio(700, {GetParam(), GetParam() == "ogg opus" ? 48000 : 16000, 1});
  for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 40) {
    (void)whole_sound(cut_sound(bytes, size));
  }
  for (size_t at = 0; at < std::min<size_t>(bytes.size(), 300); ++at) {
    AudioBytes other = bytes;
    other[at] ^= std::byte{0x81};
    (void)whole_sound(other);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AudioKindTest, ::testing::ValuesIn(testing::audio_kinds()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST(AudioFileTest, IntegersAreThoseOfTheFile) {
  const std::vector<float> sound{0.0f, 0.5f, -1.0f, 0.25f};
  const AudioBytes bytes = testing::encode_audio(sound, {"wav s16", 8000, 1});
  const auto small = whole_sound(bytes, DType::kInt16);
  ASSERT_TRUE(small.ok()) << small.status();
  const auto large = whole_sound(bytes, DType::kInt32);
  ASSERT_TRUE(large.ok()) << large.status();
  for (size_t i = 0; i < sound.size(); ++i) {
    EXPECT_NEAR(small->view().span<int16_t>()[i], sound[i] * 32767, 1);
    EXPECT_EQ(large->view().span<int32_t>()[i], small->view().span<int16_t>()[i] * 65536);
  }
}

TEST(AudioFileTest, NamesTheFormat) {
  EXPECT_THAT((*AudioFile::open(test_audio(20, {"flac s24"})))->format_name(), HasSubstr("FLAC"));
  EXPECT_THAT((*AudioFile::open(test_audio(20, {"flac s24"})))->format_name(), HasSubstr("24 bit"));
}

TEST(AudioFileTest, ManyChannels) {
  for (const int channels : {8, 255, 1000}) {
    const AudioBytes bytes = test_audio(20, {"wav s16", 16000, channels});
    const auto sound = whole_sound(bytes);
    ASSERT_TRUE(sound.ok()) << channels << ": " << sound.status();
    EXPECT_EQ(sound->shape(), (tensor::Shape{20, channels}));
  }
}

TEST(AudioFileTest, WhatIsNoSound) {
  EXPECT_THAT(sound_error({}), HasSubstr("empty"));
  EXPECT_THAT(sound_error(AudioBytes(5)), HasSubstr("5 bytes are too few"));
  EXPECT_THAT(sound_error(AudioBytes(4000)), HasSubstr("no known format"));
}

TEST(AudioFileTest, AFileThatIsCutOff) {
  const AudioBytes wav = test_audio(1000, {"wav s16"});
  EXPECT_THAT(sound_error(cut_sound(wav, 1044)), HasSubstr("its header says 2000 bytes of samples"));
  EXPECT_THAT(sound_error(cut_sound(wav, 40)), HasSubstr("cut off"));
  const AudioBytes aiff = test_audio(1000, {"aiff s16"});
  EXPECT_THAT(sound_error(cut_sound(aiff, aiff.size() - 9)), HasSubstr("its header says"));
  const AudioBytes au = test_audio(1000, {"au s16"});
  EXPECT_THAT(sound_error(cut_sound(au, au.size() - 9)), HasSubstr("says 2000 bytes"));
  const AudioBytes flac = test_audio(20000, {"flac s16"});
  EXPECT_THAT(sound_error(cut_sound(flac, flac.size() / 2)), HasSubstr("cut off or damaged"));
  const AudioBytes ogg = test_audio(60000, {"ogg vorbis"});
  EXPECT_THAT(sound_error(cut_sound(ogg, ogg.size() - 1)), HasSubstr("the last page of Ogg"));
  EXPECT_THAT(sound_error(cut_sound(ogg, ogg.size() / 2)), HasSubstr("cut off"));
}

TEST(AudioFileTest, AStreamOfUnknownLengthEndsWhereItEnds) {
  for (const uint32_t length : {0xFFFFFFFFu, 0xFFFFFFDBu, 0x7FFFFFFFu}) {
    AudioBytes wav = test_audio(1000, {"wav s16"});
    put_u32(&wav, 40, length);
    const auto sound = whole_sound(wav);
    ASSERT_TRUE(sound.ok()) << length << ": " << sound.status();
    EXPECT_EQ(sound->shape()[0], 1000) << length;
  }
}

TEST(AudioFileTest, ARecordingThatWasNeverFinished) {
  AudioBytes wav = test_audio(1000, {"wav s16"});
  put_u32(&wav, 40, 0);
  EXPECT_THAT(sound_error(wav), HasSubstr("never finished"));
  const auto nothing = whole_sound(test_audio(0, {"wav s16"}));
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_EQ(nothing->shape()[0], 0);
}

TEST(AudioFileTest, HeadersThatCannotBe) {
  AudioBytes wav = test_audio(100, {"wav s16"});
  put_u32(&wav, 24, 0);  // Hz
  EXPECT_FALSE(AudioFile::open(wav).ok());
  AudioBytes flac = test_audio(5000, {"flac s16"});
  flac[21] |= std::byte{0x0F};  // the 36 bits of the length
  for (size_t at = 22; at < 26; ++at) {
    flac[at] = std::byte{0xFF};
  }
  EXPECT_THAT(sound_error(flac), HasSubstr("cannot hold"));
}

TEST(AudioFileTest, Limits) {
  const AudioBytes wav = test_audio(1000, {"wav s16", 16000, 2});
  const auto file = AudioFile::open(wav);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(AudioFile::check_limits(1000, 2, DType::kFloat, {8000}).ok());
  EXPECT_TRUE(AudioFile::check_limits(1000, 1, DType::kFloat, {4000}).ok());
  const Status status = AudioFile::check_limits(1000, 2, DType::kFloat, {7999});
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(status)), HasSubstr("`max_bytes`"));
  EXPECT_EQ((*file)->seek(1001).code(), StatusCode::kOutOfRange);
}

/// A Vorbis stream of 191 bytes whose only codebook has 2^22 entries, with right checksums.
AudioBytes vorbis_with_a_large_codebook() {
  constexpr std::string_view kHex =
      "4f67675300020000000000000000010000000000000059e7ff90011e01766f726269730000000001401f000000000000000000"
      "0000000000"
      "66014f6767530000000000000000000001000000010000000907049802113603766f726269730100000078000000000105766f"
      "7262697300"
      "42435601000000402b000010000000200000400000000000000000000000000000000000000000000000000000024f67675300"
      "0440000000"
      "00000000010000000200000016aa8bed02020200000000";
  AudioBytes file;
  for (size_t i = 0; i + 1 < kHex.size(); i += 2) {
    const std::string digits(kHex.substr(i, 2));
    file.push_back(static_cast<std::byte>(std::stoi(digits, nullptr, 16)));
  }
  return file;
}

// libvorbis takes 8 bytes of the stack for each entry.
TEST(AudioFileTest, ACodebookThatNoEncoderMakesIsRefused) {
  EXPECT_THAT(sound_error(vorbis_with_a_large_codebook()), HasSubstr("codebook 0 has"));
}

/// Changes a number in the header of the last page of an Ogg; its checksum is right again.
AudioBytes with_last_page(AudioBytes ogg, size_t at, uint32_t number) {
  const std::string_view text(reinterpret_cast<const char*>(ogg.data()), ogg.size());
  put_u32(&ogg, text.rfind("OggS") + at, number);
  testing::set_ogg_checksums({reinterpret_cast<uint8_t*>(ogg.data()), ogg.size()});
  return ogg;
}

// libsndfile seeks without end behind a hole in front of the only page with audio.
TEST(AudioFileTest, PagesOfOpusThatAreMissingOrCannotBeWhereTheySay) {
  constexpr size_t kPositionAt = 6;
  constexpr size_t kNumberAt = 18;
  const AudioBytes opus = test_audio(300, {"ogg opus", 8000, 1});
  ASSERT_TRUE(whole_sound(opus).ok()) << whole_sound(opus).status();
  EXPECT_THAT(sound_error(with_last_page(opus, kNumberAt, 77)),
              HasSubstr("page 2 of the Opus stream is missing"));
  const AudioBytes longer = test_audio(90000, {"ogg opus", 8000, 1});
  EXPECT_THAT(sound_error(with_last_page(longer, kPositionAt, 1)), HasSubstr("the one before at"));
  EXPECT_THAT(sound_error(with_last_page(longer, kPositionAt + 4, 1)), HasSubstr("the one before at"));
  AudioBytes damaged = longer;
  damaged[damaged.size() / 2] ^= std::byte{0xFF};
  EXPECT_THAT(sound_error(damaged), HasSubstr("is missing or damaged"));
}

/// Two files in a row, whose streams get these serial numbers, and right checksums.
AudioBytes chain_of_oggs(AudioBytes first, AudioBytes second, std::pair<uint32_t, uint32_t> serials) {
  constexpr size_t kSerialAt = 14;
  const auto with_serial = [](AudioBytes* file, uint32_t serial) {
    const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(file->data()), file->size());
    testing::for_each_ogg_page(bytes, [&](const testing::OggPage& page) {
      std::memcpy(page.header.data() + kSerialAt, &serial, sizeof(serial));
    });
    testing::set_ogg_checksums(bytes);
  };
  with_serial(&first, serials.first);
  with_serial(&second, serials.second);
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class OggChainTest : public ::testing::TestWithParam<std::string> {};

// As libsndfile has it, and what uses it.
TEST_P(OggChainTest, OfStreamsWithNumbersOfTheirOwnTheFirstIsRead) {
  const AudioBytes first = test_audio(48000, {GetParam(), 48000, 1});
  const AudioBytes second = test_audio(96000, {GetParam(), 48000, 1});
  const auto alone = whole_sound(first);
  const auto chained = whole_sound(chain_of_oggs(first, second, {7, 0xFFFFFFF9}));
  ASSERT_TRUE(alone.ok()) << alone.status();
  ASSERT_TRUE(chained.ok()) << chained.status();
  ASSERT_EQ(chained->shape(), alone->shape());
  EXPECT_TRUE(std::ranges::equal(chained->bytes(), alone->bytes()));
}

// libsndfile finds the length of the second in them: it would read half of what is there, or end at the first
// with an error that blames the file's end.
TEST_P(OggChainTest, StreamsOfOneNumberAreRefused) {
  const AudioBytes longer = test_audio(96000, {GetParam(), 48000, 1});
  const AudioBytes shorter = test_audio(48000, {GetParam(), 48000, 1});
  const auto refused = HasSubstr("several streams of the serial number 4294967289");
  EXPECT_THAT(sound_error(chain_of_oggs(shorter, longer, {0xFFFFFFF9, 0xFFFFFFF9})), refused);
  EXPECT_THAT(sound_error(chain_of_oggs(longer, shorter, {0xFFFFFFF9, 0xFFFFFFF9})), refused);
}

INSTANTIATE_TEST_SUITE_P(Codecs, OggChainTest, ::testing::Values("ogg opus", "ogg vorbis"),
                         [](const auto& kind) { return kind.param.substr(kind.param.find(' ') + 1); });

}  // namespace
}  // namespace forebay::codec
