#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "forebay/base/units.h"
#include "forebay/cli/caching/top_picture.h"
#include "forebay/cli/caching/top_sample.h"

namespace forebay::cli {
namespace {

TopSample sample_at(int64_t seconds, uint64_t bytes) {
  TopSample sample = {.time_ns = seconds * kSecond, .daemon_pid = 7, .up_s = static_cast<uint64_t>(seconds)};
  sample.counts = {{"read_bytes", bytes}, {"upstream_bytes", bytes / 2}, {"hits", bytes / 10}, {"misses", 0}};
  sample.processes = {{.pid = 12,
                       .program = "python",
                       .read_bytes = bytes,
                       .waiting = 3,
                       .longest_wait_ms = 1500,
                       .waits_for = "s3://b/\033[2Jk"}};
  return sample;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

TEST(Top, RatesAreWhatHappenedInBetween) {
  const TopSample before = sample_at(10, 1000);
  const TopSample now = sample_at(12, 5000);
  const TopChange change(before, now);
  EXPECT_EQ(change.rate("read_bytes"), 2000);
  EXPECT_EQ(change.rate("upstream_bytes"), 1000);
  EXPECT_EQ(change.rate("no such count"), 0);
  EXPECT_EQ(change.hit_share(), 1);
  EXPECT_EQ(change.process_rate(now.processes[0], &TopProcess::read_bytes), 2000);
}

TEST(Top, AnotherDaemonBeginsAnew) {
  TopSample now = sample_at(12, 500);
  EXPECT_EQ(TopChange(sample_at(10, 1000), now).rate("read_bytes"), 0);  // counts never fall
  now = sample_at(12, 5000);
  now.daemon_pid = 8;
  EXPECT_EQ(TopChange(sample_at(10, 1000), now).rate("read_bytes"), 0);
  EXPECT_EQ(TopChange(now, now).rate("read_bytes"), 0);
  EXPECT_EQ(TopChange(now, now).seconds(), 0);
}

TEST(Top, ThePictureShowsRatesAndWhoWaits) {
  const std::string text = text_of(draw_top(sample_at(10, 0), sample_at(11, 3 << 20), {200, 50}));
  EXPECT_NE(text.find("3.0 MiB/s"), std::string::npos) << text;
  EXPECT_NE(text.find("1.5 MiB/s"), std::string::npos) << text;
  EXPECT_NE(text.find("1.5 s"), std::string::npos) << text;
  EXPECT_NE(text.find("python"), std::string::npos) << text;
}

TEST(Top, ThePictureFitsAndHasNoControlCharacters) {
  const TopSample before = sample_at(10, 0);
  TopSample now = sample_at(11, uint64_t{1} << 60);
  now.processes.resize(100, now.processes[0]);
  for (const ScreenSize& size :
       {ScreenSize{200, 50}, ScreenSize{80, 24}, ScreenSize{10, 3}, ScreenSize{1, 1}}) {
    const std::vector<std::string> lines = draw_top(before, now, size);
    EXPECT_LE(lines.size(), size.rows);
    for (const std::string& line : lines) {
      EXPECT_LE(line.size(), size.columns);
      EXPECT_EQ(line.find_first_of("\033\n\r"), std::string::npos);
    }
  }
}

TEST(Top, WhatNoDaemonSaysIsRefused) {
  for (const char* const text :
       {"", "1", "{}", "{\"daemon\": 1, \"processes\": []}", "{\"daemon\": {}}", "["}) {
    EXPECT_EQ(parse_top_sample(text, 0).status().code(), StatusCode::kDataLoss) << text;
  }
  const Result<TopSample> odd = parse_top_sample(
      R"({"daemon": {"pid": "x", "up_s": -1}, "processes": [1, {"pid": 3, "waits_for": 4}], "hits": "y"})",
      5);
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->processes.size(), 1u);
  EXPECT_EQ(odd->count("hits"), 0u);
}

TEST(Top, JsonHasCountsAndRates) {
  const nlohmann::json json = nlohmann::json::parse(json_of_top(sample_at(10, 0), sample_at(12, 4000)));
  EXPECT_EQ(json["client_bytes_per_s"], 2000);
  EXPECT_EQ(json["counts"]["read_bytes"], 4000);
  EXPECT_EQ(json["processes"][0]["waiting"], 3);
}

}  // namespace
}  // namespace forebay::cli
