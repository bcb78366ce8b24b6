// The memory limit, measured from outside on processes of their own: resident memory grows by at most the
// limit (and what the user holds) plus a margin, whatever the images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "child_process.h"
#include "data_set.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/codec/testing/encode_jpeg.h"
#include "large_images.h"

namespace forebay::end_to_end {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMarginBytes = 64 * kMiB;

struct Outcome {
  std::set<int> delivered;
  std::vector<std::string> errors;
  size_t failed_batches = 0;
  int64_t grown_bytes = 0;
  int64_t held_bytes = 0;
  int exit_code = 0;
  std::string all;
};

// A sanitizer keeps what was freed and puts fences around each block: growth is its own then.
void expect_growth(const Outcome& outcome, int64_t limit_bytes) {
  if (!kIsSanitized) {
    EXPECT_LE(outcome.grown_bytes, limit_bytes + kMarginBytes) << outcome.all;
  }
}

Outcome run_job(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), FOREBAY_JOB_PROCESS);
  const ProgramOutput output = output_of(arguments);
  Outcome outcome;
  outcome.exit_code = output.exit_code;
  for (const std::string& line : output.lines) {
    const size_t space = line.find(' ');
    const std::string kind = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (kind == "sample") {
      outcome.delivered.insert(std::stoi(rest));
      continue;
    }
    outcome.all += line + "\n";
    if (kind == "error") {
      outcome.errors.push_back(rest);
    } else if (kind == "failed") {
      ++outcome.failed_batches;
    } else if (kind == "grown_bytes") {
      outcome.grown_bytes = std::stoll(rest);
    } else if (kind == "held_bytes") {
      outcome.held_bytes = std::stoll(rest);
    }
  }
  return outcome;
}

/// 160 samples, large ones among small ones. Made once; files that are in the set more than once are links.
class LargeSet {
 public:
  static constexpr int kSamples = 160;

  static const LargeSet& get() {
    static const LargeSet set;
    return set;
  }

  std::string list() const { return folder_.path() / "list.txt"; }

 private:
  LargeSet() {
    write_large_jpeg(path("baseline.jpg"), {});
    write_large_jpeg(path("progressive.jpg"), {.is_progressive = true});
    write_large_png(path("plain.png"), {});
    for (int size = 0; size < kMiddlingSizes; ++size) {
      write_large_jpeg(path(middling(size)),
                       {.height = 1000 + 500 * size, .width = 1500 + 700 * size, .is_progressive = true});
    }
    large_ = {{20, "baseline.jpg"}, {55, "progressive.jpg"}, {90, "plain.png"}, {91, "progressive.jpg"}};
    std::string lines;
    for (int i = 0; i < kSamples; ++i) {
      lines += file_of(i) + " " + std::to_string(i) + "\n";
    }
    folder_.write("list.txt", lines);
  }

  static constexpr int kMiddlingSizes = 5;  // 1.5 to 13 Mpixel

  static std::string middling(int size) { return "middling" + std::to_string(size) + ".jpg"; }
  std::string path(const std::string& name) const { return folder_.path() / name; }
  std::string file_of(int index) const {
    if (const auto found = large_.find(index); found != large_.end()) {
      return path(found->second);
    }
    return index % 3 == 0 ? path(middling(index / 3 % kMiddlingSizes))
                          : folder_.write(std::to_string(index) + ".jpg", small_image(index));
  }

  TemporaryFolder folder_;
  std::map<int, std::string> large_;
};

class BudgetTest : public ::testing::Test {
 protected:
  /// The first of them, each of which takes seconds; all of them when thorough.
  static std::vector<int64_t> first_of(std::vector<int64_t> all) {
    all.resize(is_thorough() ? all.size() : 1);
    return all;
  }

  static constexpr int kBatchSize = 8;

  /// What is too large is the error of its batch, whatever the policy; other batches are whole.
  static void expect_nothing_left_out(const Outcome& outcome) {
    EXPECT_EQ(outcome.delivered.size() + outcome.failed_batches * kBatchSize,
              static_cast<size_t>(LargeSet::kSamples));
    EXPECT_GE(outcome.errors.size(), outcome.failed_batches);
  }

  static std::vector<std::string> arguments(int64_t limit_bytes, int64_t threads) {
    return {"--list",       LargeSet::get().list(),
            "--batch-size", std::to_string(kBatchSize),
            "--goes-on",    "1",
            "--batches",    "20",
            "--size",       "224",
            "--threads",    std::to_string(threads),
            "--limit",      std::to_string(limit_bytes)};
  }
};

TEST_F(BudgetTest, OneAndFourGibibytesDeliverEverything) {
  for (const int64_t limit : first_of({1024 * kMiB, 4096 * kMiB})) {
    const Outcome outcome = run_job(arguments(limit, 4));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all;
    EXPECT_EQ(outcome.delivered.size(), static_cast<size_t>(LargeSet::kSamples)) << outcome.all;
    EXPECT_THAT(outcome.errors, ::testing::IsEmpty());
    expect_growth(outcome, limit);
    RecordProperty("grown_mib_of_" + std::to_string(limit / kMiB),
                   std::to_string(outcome.grown_bytes / kMiB));
  }
}

TEST_F(BudgetTest, QuarterOfAGibibyteDeliversOrNamesFileAndBytes) {
  for (const int64_t threads : first_of({8, 2})) {
    const int64_t limit = 256 * kMiB;
    const Outcome outcome = run_job(arguments(limit, threads));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all;
    expect_growth(outcome, limit);
    expect_nothing_left_out(outcome);
    for (const std::string& error : outcome.errors) {
      EXPECT_THAT(error, ::testing::ContainsRegex("progressive.jpg: .*needs [0-9]+ bytes"));
    }
    RecordProperty("grown_mib_with_" + std::to_string(threads), std::to_string(outcome.grown_bytes / kMiB));
  }
}

TEST_F(BudgetTest, HoldingEveryBatchBlocksNothing) {
  std::vector<std::string> all = arguments(256 * kMiB, 4);
  all.insert(all.end(), {"--hold", "1"});
  const Outcome outcome = run_job(all);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all;
  EXPECT_GE(outcome.held_bytes, static_cast<int64_t>(outcome.delivered.size()) * 224 * 224 * 3 * 4);
  expect_growth(outcome, 256 * kMiB + outcome.held_bytes);
}

TEST_F(BudgetTest, WithoutFusionWholeImagesCountToo) {
  for (const int64_t limit : first_of({256 * kMiB, 1024 * kMiB})) {
    std::vector<std::string> all = arguments(limit, 4);
    all.insert(all.end(), {"--fuse", "0"});
    const Outcome outcome = run_job(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all;
    expect_growth(outcome, limit);
    expect_nothing_left_out(outcome);
    for (const std::string& error : outcome.errors) {
      EXPECT_THAT(error,
                  ::testing::ContainsRegex("(progressive.jpg|baseline.jpg|plain.png): .*needs [0-9]+ bytes"));
    }
    EXPECT_TRUE(limit < 1024 * kMiB || outcome.errors.empty()) << outcome.all;
    RecordProperty("grown_mib_of_" + std::to_string(limit / kMiB),
                   std::to_string(outcome.grown_bytes / kMiB));
  }
}

TEST(DecompressionBombs, AreRefusedByALimitOneCanSet) {
  const TemporaryFolder folder;
  codec::testing::JpegOptions options{.height = 60000, .width = 40, .channels = 1};
  const auto tall = codec::testing::encode_jpeg(std::vector<uint8_t>(size_t{60000} * 40, 7), options);
  const std::string jpeg(reinterpret_cast<const char*>(tall.data()), tall.size());
  std::vector<std::string> files = {folder.write("bomb.jpg", jpeg),
                                    folder.write("small.jpg", small_image(1))};
  JobOptions job;
  job.pipeline.on_error = pipeline::OnError::kSkip;
  job.pipeline.batch_size = 2;
  job.max_pixels = 1'000'000;
  const auto pipe = open_job(files_input(files), job);
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  const auto delivery = (*pipe)->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  EXPECT_EQ(delivery->samples.size(), 1u);
  const auto errors = (*pipe)->session().errors().errors();
  ASSERT_GE(errors.size(), 1u);
  EXPECT_THAT(errors[0].context.origin.object, HasSubstr("bomb.jpg"));
  EXPECT_THAT(errors[0].cause, HasSubstr("2400000 pixels, more than the allowed 1000000"));
}

}  // namespace
}  // namespace forebay::end_to_end
