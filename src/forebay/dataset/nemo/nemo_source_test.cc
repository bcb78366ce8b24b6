// NeMo's manifests, and what is read of the files that they name.
#include "forebay/dataset/nemo/nemo_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/dataset/nemo/nemo_manifest.h"
#include "forebay/dataset/nemo/nemo_part.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using ::testing::HasSubstr;
using testing::MemorySet;

constexpr uint32_t kSpeechRate = 1000;

template <class Number>
std::string little(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

/// A WAV of one channel of 16 bits, whose samples are 0, 1, 2...
std::string counting_wav(int frames, const std::string& before = "") {
  std::string samples;
  for (int i = 0; i < frames; ++i) {
    samples += little(static_cast<int16_t>(i));
  }
  const std::string format = little<uint16_t>(1) + little<uint16_t>(1) + little(kSpeechRate) +
                             little(kSpeechRate * 2) + little<uint16_t>(2) + little<uint16_t>(16);
  const std::string inside = "WAVE" + before + "fmt " + little<uint32_t>(16) + format + "data" +
                             little(static_cast<uint32_t>(samples.size())) + samples;
  return "RIFF" + little(static_cast<uint32_t>(inside.size())) + inside;
}

Result<NemoEntries> parsed_nemo(const std::string& text, const NemoBounds& bounds = {}) {
  NemoEntries entries;
  FOREBAY_RETURN_IF_ERROR(parse_nemo_manifest(text, "m.json", bounds, &entries));
  return entries;
}

std::vector<double> seconds_of(const Record& record) {
  const std::span<const double> values = record.fields[1].view().span<double>();
  return {values.begin(), values.end()};
}

TEST(NemoManifestTest, EntriesAndTheirTexts) {
  const auto entries = parsed_nemo(
      "\xEF\xBB\xBF{\"audio_filepath\": \"a.wav\", \"text\": \"\xC3\xBC\", \"duration\": 2}\r\n\n"
      "{\"audio_filepath\": \"b.wav\", \"offset\": 1.5, \"text\": null, \"more\": {\"x\": [1]}}");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->entries.size(), 2);
  EXPECT_EQ(entries->entries[0].path, "a.wav");
  EXPECT_EQ(entries->entries[0].offset_s, kUnknownSeconds);
  EXPECT_EQ(entries->entries[0].duration_s, 2);
  EXPECT_EQ(entries->text(0), "\xC3\xBC");
  EXPECT_EQ(entries->entries[1].offset_s, 1.5);
  EXPECT_EQ(entries->text(1), "");
  EXPECT_EQ(entries->entries[1].number, 1);
}

TEST(NemoManifestTest, BoundsLeaveEntriesOut) {
  const std::string text =
      "{\"audio_filepath\": \"a\", \"duration\": 1}\n{\"audio_filepath\": \"b\", \"duration\": 2}\n"
      "{\"audio_filepath\": \"c\"}\n";
  EXPECT_EQ(parsed_nemo(text, {1.5, 0})->entries.size(), 1);
  EXPECT_EQ(parsed_nemo(text, {0, 1.5})->entries.size(), 2);
  EXPECT_EQ(parsed_nemo(text, {1.5, 0})->entries[0].number, 0);
}

TEST(NemoManifestTest, MinusOneIsNotKnown) {
  const auto entries = parsed_nemo("{\"audio_filepath\": \"a\", \"duration\": -1, \"offset\": -1.0}");
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(entries->entries[0].duration_s, kUnknownSeconds);
  EXPECT_EQ(entries->entries[0].offset_s, kUnknownSeconds);
}

TEST(NemoManifestTest, AnErrorNamesTheFieldAndWhatItHas) {
  const auto error_of = [](const std::string& line) {
    const Status status = parsed_nemo("\n" + line).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << line;
    return std::string(message(status));
  };
  EXPECT_EQ(
      error_of(R"({"audio_filepath": "a", "duration": -2})"),
      "m.json: line 2: `duration` is -2, a number of seconds is needed, from 0 on, or -1 if it is not known");
  EXPECT_EQ(error_of(R"({"audio_filepath": "a", "offset": "1"})"),
            "m.json: line 2: `offset` is \"1\", a number of seconds is needed, from 0 on, or -1 if it is not "
            "known");
  EXPECT_EQ(error_of(R"({"audio_filepath": 5})"),
            "m.json: line 2: `audio_filepath` is 5, a string is needed");
  EXPECT_EQ(error_of(R"({"audio_filepath": ""})"),
            "m.json: line 2: `audio_filepath` is empty; it names the sound's file");
  EXPECT_EQ(error_of(R"({"audio_filepath": "a\u0000b.wav"})"),
            "m.json: line 2: `audio_filepath` is \"a\\u0000b.wav\": a path has no NUL byte");
  EXPECT_THAT(error_of(R"({"audio_filepath": "a", "text": [")" + std::string(500, 'x') + "\"]}"),
              HasSubstr("`text` is [\"xxx"));
}

TEST(NemoSourceTest, AManifestsNameHasNoNul) {
  NemoOptions options;
  options.manifest_filepaths = {"m.json", std::string("a\0b", 3)};
  const Status status = make_nemo_source(options).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(status)), HasSubstr("`manifest_filepaths`[1] has a NUL byte"));
}

TEST(NemoManifestTest, ABrokenLineIsNamed) {
  const Status status = parsed_nemo("{\"audio_filepath\": \"a\"}\n\n{\"audio_filepath\"}\n").status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(message(status)), HasSubstr("m.json: line 3: no JSON object"));
}

TEST(NemoPartTest, FramesAreRoundedDownAndEndWithTheSound) {
  EXPECT_EQ(frames_of_part(1000, 100, 2.019, 1.5)->first, 201);
  EXPECT_EQ(frames_of_part(1000, 100, 2.019, 1.519)->count, 151);
  EXPECT_EQ(frames_of_part(1000, 100, 9.5, 1)->count, 50);
  EXPECT_EQ(frames_of_part(1000, 100, -1, -1)->count, 1000);
  EXPECT_EQ(frames_of_part(1000, 100, 10, 1).status().code(), StatusCode::kDataLoss);
}

TEST(NemoPartTest, AWavSaysWhereItsPartIs) {
  const std::string odd = "LIST" + little<uint32_t>(5) + "hello" + std::string(1, '\0');
  const std::string wav = counting_wav(5000, odd);
  const Bytes head = testing::bytes_of(wav).first(200);
  const auto part = wav_part(head, wav.size(), 1.5, 0.25);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->offset_bytes, wav.size() - 10000 + 3000);
  EXPECT_EQ(part->length_bytes, 500);
  std::string alone = part->header + wav.substr(part->offset_bytes, part->length_bytes);
  const auto again = wav_part(testing::bytes_of(alone), alone.size(), 0.1, -1);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->length_bytes, 300);
  EXPECT_FALSE(wav_part(head.first(30), wav.size(), 1.5, 0.25));
  EXPECT_FALSE(wav_part(head, wav.size() - 1, 1.5, 0.25)) << "cut off";
  EXPECT_FALSE(wav_part(head, wav.size(), 5.5, 0.25)) << "behind the end";
  alone.replace(alone.find("fmt ") + 20, 2, little<uint16_t>(3));
  EXPECT_FALSE(wav_part(testing::bytes_of(alone), alone.size(), 0.1, -1)) << "frames of an odd width";
}

TEST(NemoSourceTest, OfALongWavOnlyThePartIsRead) {
  MemorySet set;
  const std::string wav = counting_wav(200000);
  set.put("long.wav", wav);
  NemoOptions options;
  options.registry = &set.registry;
  options.manifest_filepaths = {
      set.put("m.json",
              "{\"audio_filepath\": \"long.wav\", \"offset\": 150, \"duration\": 2}\n"
              "{\"audio_filepath\": \"long.wav\", \"duration\": 2, \"text\": \"all\"}\n")};
  const auto source = make_nemo_source(options);
  ASSERT_TRUE(source.ok()) << source.status();
  set.store->forget_reads();
  const Result<Record> part = read_now(**source, 0);
  ASSERT_TRUE(part.ok()) << part.status();
  uint64_t bytes = 0;
  for (const auto& read : set.store->reads()) {
    bytes += read.length_bytes;
  }
  EXPECT_LT(bytes, 40000);
  EXPECT_THAT(testing::text_of(part->fields[0]), HasSubstr(wav.substr(44 + 300000, 4000)));
  EXPECT_EQ(part->fields[0].size_bytes(), 44 + 4000);
  EXPECT_EQ(seconds_of(*part), (std::vector<double>{-1, -1}));
  EXPECT_EQ(part->origin.offset_bytes, 44 + 300000);
  const Result<Record> whole = read_now(**source, 1);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(testing::text_of(whole->fields[0]), wav);
  EXPECT_EQ(seconds_of(*whole), (std::vector<double>{-1, -1}));
  EXPECT_EQ(testing::text_of(whole->fields[2]), "all");
}

class PartMemory {
 public:
  ReadFlags flags() {
    ReadFlags flags;
    flags.reserve = [this](uint64_t bytes) {
      asked_.push_back(bytes);
      return budget_->try_reserve(bytes);
    };
    return flags;
  }
  uint64_t working_bytes() const { return budget_->working_bytes(); }
  const std::vector<uint64_t>& asked() const { return asked_; }

  explicit PartMemory(uint64_t limit_bytes) : budget_(Budget::create(limit_bytes)) {}

 private:
  const std::shared_ptr<Budget> budget_;
  std::vector<uint64_t> asked_;
};

Result<Record> read_with(const Source& source, int64_t index, const ReadFlags& flags) {
  Result<Record> record = internal_error("not called");
  source.read(index, flags, [&](Result<Record> read) { record = std::move(read); });
  return record;
}

TEST(NemoSourceTest, OfAPartNoMoreMemoryIsReservedThanItTakes) {
  MemorySet set;
  set.put("long.wav", counting_wav(200000));
  set.put("long.flac", std::string(100000, 'x'));
  NemoOptions options;
  options.registry = &set.registry;
  options.manifest_filepaths = {
      set.put("m.json",
              "{\"audio_filepath\": \"long.wav\", \"offset\": 150, \"duration\": 2}\n"
              "{\"audio_filepath\": \"long.flac\", \"offset\": 1}\n{\"audio_filepath\": \"long.wav\"}\n")};
  const auto source = make_nemo_source(options);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->locate(0)->head_bytes, 32 << 10);
  EXPECT_EQ((*source)->locate(2)->head_bytes, std::nullopt);
  PartMemory memory(20000);
  Result<Record> part = read_with(**source, 0, memory.flags());
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(memory.working_bytes(), 4044) << "of the record";
  part = unavailable("gone");
  EXPECT_EQ(memory.working_bytes(), 0);
  const Result<Record> whole = read_with(**source, 1, memory.flags());
  EXPECT_EQ(whole.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(memory.asked(), ::testing::ElementsAre(4000, 4044, 100000));
}

// Whoever is told may ask for it at once, on another thread.
TEST(NemoSourceTest, APartThatIsRefusedMemoryHoldsNoneWhenItSaysSo) {
  MemorySet set;
  set.put("long.wav", counting_wav(200000));
  NemoOptions options;
  options.registry = &set.registry;
  options.manifest_filepaths = {
      set.put("m.json", R"({"audio_filepath": "long.wav", "offset": 150, "duration": 2})")};
  const auto source = make_nemo_source(options);
  ASSERT_TRUE(source.ok()) << source.status();
  PartMemory memory(5000);
  Status refusal;
  (*source)->read(0, memory.flags(), [&](const Result<Record>& record) {
    refusal = record.status();
    EXPECT_EQ(memory.working_bytes(), 0);
  });
  EXPECT_EQ(refusal.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(memory.asked(), ::testing::ElementsAre(4000, 4044));
}

TEST(NemoSourceTest, WhatIsNoWavIsReadAsAWhole) {
  MemorySet set;
  const std::string other(100000, 'x');
  set.put("long.flac", other);
  NemoOptions options;
  options.registry = &set.registry;
  options.manifest_filepaths = {
      set.put("m.json", "{\"audio_filepath\": \"long.flac\", \"offset\": 1, \"duration\": 2}\n")};
  const auto source = make_nemo_source(options);
  ASSERT_TRUE(source.ok()) << source.status();
  const Result<Record> record = read_now(**source, 0);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(testing::text_of(record->fields[0]), other);
  EXPECT_EQ(seconds_of(*record), (std::vector<double>{1, 2}));
}

TEST(NemoFuzzerTest, Seeds) {
  expect_seeds(
      "nemo_fuzzer", "manifest",
      "{\"audio_filepath\": \"a.wav\", \"offset\": 1.5, \"duration\": 2.25, \"text\": \"a text\"}\n");
  expect_seeds("nemo_fuzzer", "wav", counting_wav(20));
}

}  // namespace
}  // namespace forebay::dataset
