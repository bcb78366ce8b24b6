// Broken samples do not end an epoch unless asked to, and their errors have names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "data_set.h"

namespace forebay::end_to_end {
namespace {

using pipeline::OnError;
using pipeline::SampleError;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kImages = 120;

struct Epoch {
  std::vector<SampleHash> samples;
  std::vector<int> batch_sizes;
  std::vector<SampleError> errors;
  std::vector<int64_t> stand_ins;  // positions
};

struct How {
  OnError on_error = OnError::kSkip;
  int batch_size = 8;
  int threads = 4;
  bool fuse = true;
};

/// One epoch.
Epoch run_epoch(const Input& input, const How& how) {
  JobOptions options;
  options.pipeline.on_error = how.on_error;
  options.pipeline.batch_size = how.batch_size;
  options.pipeline.num_threads = how.threads;
  options.pipeline.fuse = how.fuse;
  Epoch run;
  const auto pipe = open_job(input, options);
  EXPECT_TRUE(pipe.ok()) << pipe.status();
  for (int taken = 0; pipe.ok() && taken < kImages; taken += how.batch_size) {
    const auto delivery = (*pipe)->run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    if (!delivery.ok()) {
      break;
    }
    const std::vector<SampleHash> batch = hashes_of(*delivery);
    run.samples.insert(run.samples.end(), batch.begin(), batch.end());
    run.batch_sizes.push_back(static_cast<int>(batch.size()));
    for (const pipeline::DeliveredSample& sample : delivery->samples) {
      if (sample.is_replacement) {
        run.stand_ins.push_back(sample.identity.position);
      }
    }
  }
  if (pipe.ok()) {
    run.errors = (*pipe)->session().errors().errors();
  }
  return run;
}

std::vector<std::string> lines_of(const std::vector<SampleError>& errors) {
  std::vector<std::string> lines;
  for (const SampleError& error : errors) {
    const ErrorContext& context = error.context;
    lines.push_back(fmt::format("{} {} {} {}+{} {}: {} ({})", context.epoch, context.position,
                                context.sample_index, context.origin.object, context.origin.offset_bytes,
                                context.operator_name, error.cause, error.action));
  }
  return lines;
}

/// The images, every tenth (or so) damaged in one of the ways.
struct BrokenSet {
  explicit BrokenSet(bool can_miss) : images(small_images(kImages)) {
    whole = images;
    for (int i = 0; i < kImages; i += 9) {
      const Damage damage = kDamages[broken.size() % std::size(kDamages)];
      broken[i] = damage == Damage::kMissing && !can_miss ? Damage::kTruncated : damage;
      images[i] = damaged(images[i], broken[i], static_cast<uint32_t>(i));
    }
  }
  std::vector<std::string> whole;
  std::vector<std::string> images;
  std::map<int, Damage> broken;
};

class BrokenSamplesTest : public ::testing::TestWithParam<std::string> {
 protected:
  BrokenSamplesTest() : set_(GetParam() == "files"), broken_(set_.broken) {
    if (GetParam() == "files") {
      input_ = files_input(write_files(folder_, set_.images));
      whole_ = files_input(write_files(whole_folder_, set_.whole));
      for (const auto& [index, damage] : broken_) {
        if (damage == Damage::kMissing) {
          std::filesystem::remove(folder_.path() / (std::to_string(index) + ".jpg"));
        }
      }
    } else if (GetParam() == "tar") {
      input_ = write_tar_shards(folder_, set_.images, 25);
      whole_ = write_tar_shards(whole_folder_, set_.whole, 25);
    } else {
      input_ = write_tfrecords(folder_, set_.images, 25);
      whole_ = write_tfrecords(whole_folder_, set_.whole, 25);
    }
  }

  TemporaryFolder folder_;
  TemporaryFolder whole_folder_;
  BrokenSet set_;
  std::map<int, Damage> broken_;
  Input input_;
  Input whole_;
};

TEST_P(BrokenSamplesTest, SkipGivesAllOthersAtTheirPlaces) {
  std::vector<SampleHash> expected = run_epoch(whole_, {}).samples;
  std::erase_if(expected, [&](const SampleHash& sample) { return broken_.contains(sample.sample_index); });
  for (const int batch_size : {5, 8, 40}) {
    for (const int threads : {1, 2, 8}) {
      const Epoch run = run_epoch(input_, {OnError::kSkip, batch_size, threads});
      EXPECT_EQ(run.stand_ins.size(), 0u);
      EXPECT_EQ(run.samples, expected) << batch_size << " a batch, " << threads << " threads";
      EXPECT_EQ(run.errors.size(), broken_.size());
    }
  }
}

TEST_P(BrokenSamplesTest, SkipWithBatchesOfOneLetsOneStandIn) {
  const Epoch run = run_epoch(input_, {OnError::kSkip, 1, 4});
  EXPECT_EQ(run.samples.size(), static_cast<size_t>(kImages));
  EXPECT_EQ(run.stand_ins.size(), broken_.size());
  EXPECT_EQ(run_epoch(input_, {OnError::kSkip, 1, 1}).samples, run.samples);
}

TEST_P(BrokenSamplesTest, ReplaceFillsEveryPlaceWithTheSameSamplesEachRun) {
  const Epoch first = run_epoch(input_, {OnError::kReplace, 8, 1});
  EXPECT_EQ(first.samples.size(), static_cast<size_t>(kImages));
  EXPECT_EQ(first.stand_ins.size(), broken_.size());
  for (const int batch_size : {1, 8, 24}) {
    for (const int threads : {2, 3, 8}) {
      const Epoch run = run_epoch(input_, {OnError::kReplace, batch_size, threads});
      EXPECT_EQ(run.samples, first.samples) << batch_size << " a batch, " << threads << " threads";
      EXPECT_EQ(lines_of(run.errors), lines_of(first.errors));
    }
  }
}

TEST_P(BrokenSamplesTest, ErrorsNameSampleObjectOffsetOperatorAndCause) {
  for (const OnError policy : {OnError::kSkip, OnError::kReplace}) {
    const Epoch run = run_epoch(input_, {policy, 8, 8});
    std::set<int64_t> named;
    std::set<uint64_t> offsets;
    for (const SampleError& error : run.errors) {
      EXPECT_TRUE(broken_.contains(static_cast<int>(error.context.sample_index))) << error.cause;
      named.insert(error.context.sample_index);
      offsets.insert(error.context.origin.offset_bytes);
      EXPECT_EQ(error.context.epoch, 0);
      EXPECT_GE(error.context.position, 0);
      EXPECT_THAT(error.context.origin.object, HasSubstr(folder_.path().string()));
      EXPECT_THAT(error.context.operator_name, AnyOf("reader", "decode", HasSubstr("decode"))) << error.cause;
      EXPECT_FALSE(error.cause.empty());
    }
    EXPECT_EQ(named.size(), broken_.size());
    EXPECT_EQ(offsets.size() > 1, GetParam() != "files") << "samples of a shard lie at offsets of their own";
  }
  EXPECT_EQ(lines_of(run_epoch(input_, {OnError::kSkip, 8, 1}).errors),
            lines_of(run_epoch(input_, {OnError::kSkip, 8, 8}).errors));
}

TEST_P(BrokenSamplesTest, RaiseNamesTheFirstAndThePipelineGoesOn) {
  const std::vector<SampleHash> whole = run_epoch(whole_, {}).samples;
  for (const int threads : {1, 8}) {
    JobOptions options;
    options.pipeline.num_threads = threads;
    const auto pipe = open_job(input_, options);
    ASSERT_TRUE(pipe.ok()) << pipe.status();
    for (size_t begin = 0; begin < kImages; begin += 8) {
      const auto delivery = (*pipe)->run();
      const auto first_broken =
          std::find_if(whole.begin() + begin, whole.begin() + begin + 8,
                       [&](const auto& s) { return broken_.contains(static_cast<int>(s.sample_index)); });
      if (first_broken == whole.begin() + begin + 8) {
        ASSERT_TRUE(delivery.ok()) << delivery.status();
        EXPECT_EQ(hashes_of(*delivery),
                  (std::vector<SampleHash>{whole.begin() + begin, whole.begin() + begin + 8}));
        continue;
      }
      ASSERT_FALSE(delivery.ok());
      const auto context = context_of(delivery.status());
      ASSERT_TRUE(context.has_value()) << delivery.status();
      EXPECT_EQ(context->sample_index, first_broken->sample_index);
      EXPECT_EQ(context->position, first_broken->position);
      EXPECT_THAT(std::string(message(delivery.status())), HasSubstr(context->origin.object));
    }
  }
}

TEST_P(BrokenSamplesTest, ResumeGoesOnAlike) {
  const Epoch whole = run_epoch(input_, {OnError::kReplace, 8, 2});
  JobOptions options;
  options.pipeline.on_error = OnError::kReplace;
  const auto first = open_job(input_, options);
  const auto second = open_job(input_, options);
  ASSERT_TRUE(first.ok() && second.ok());
  for (int batch = 0; batch < 7; ++batch) {
    ASSERT_TRUE((*first)->run().ok());
  }
  ASSERT_TRUE((*second)->session().restore((*first)->session().state()).ok());
  const auto delivery = (*second)->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  EXPECT_EQ(hashes_of(*delivery),
            (std::vector<SampleHash>{whole.samples.begin() + 56, whole.samples.begin() + 64}));
}

INSTANTIATE_TEST_SUITE_P(Sources, BrokenSamplesTest, ::testing::Values("files", "tar", "tfrecord"),
                         [](const auto& test) { return test.param; });

// Damage that a decoder may notice late or not at all: the outcome is the same all the same, whichever images
// a thread's decoder saw before.
TEST(DamageAnywhere, HasTheSameOutcomeInEveryRun) {
  const TemporaryFolder folder;
  std::vector<std::string> images = small_images(kImages);
  std::mt19937 random(5);
  for (std::string& image : images) {
    for (int flip = 0; flip < 2; ++flip) {
      char& byte = image[random() % image.size()];
      byte = static_cast<char>(byte ^ (1 << random() % 8));
    }
  }
  const Input input = files_input(write_files(folder, images));
  const Epoch first = run_epoch(input, {OnError::kSkip, 8, 1});
  EXPECT_GT(first.errors.size(), 5u);
  EXPECT_GT(first.samples.size(), 5u);
  for (const int threads : {2, 5, 8}) {
    const Epoch run = run_epoch(input, {OnError::kSkip, 8, threads});
    EXPECT_EQ(run.samples, first.samples) << threads << " threads";
    EXPECT_EQ(lines_of(run.errors), lines_of(first.errors)) << threads << " threads";
  }
  EXPECT_EQ(run_epoch(input, {OnError::kSkip, 8, 8, /*fuse=*/false}).samples, first.samples);
}

/// Cuts the file off in the middle after it was indexed, as when a copy is interrupted.
void cut_in_half(const std::filesystem::path& path) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
}

class CutShardTest : public ::testing::TestWithParam<std::string> {
 protected:
  Input write(const std::vector<std::string>& images) {
    return GetParam() == "tar" ? write_tar_shards(folder_, images, 30) : write_tfrecords(folder_, images, 30);
  }
  std::filesystem::path second_file() const {
    return folder_.path() / (GetParam() == "tar" ? "shard1.tar" : "part1.tfrecord");
  }
  TemporaryFolder folder_;
};

TEST_P(CutShardTest, AShardThatIsCutAfterOpeningIsNoLongerTheOneThatWasIndexed) {
  Input input = write(small_images(kImages));
  JobOptions options;
  options.pipeline.on_error = OnError::kSkip;
  options.pipeline.batch_size = 40;
  const auto pipe = open_job(input, options);
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  cut_in_half(second_file());
  size_t delivered = 0;
  for (int batch = 0; batch < 3; ++batch) {
    const auto delivery = (*pipe)->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    delivered += delivery->samples.size();
  }
  const auto errors = (*pipe)->session().errors().errors();
  EXPECT_EQ(delivered + errors.size(), static_cast<size_t>(kImages));
  EXPECT_EQ(errors.size(), 30u);  // old offsets are trusted nowhere in it
  for (const SampleError& error : errors) {
    EXPECT_EQ(error.context.origin.object, second_file().string()) << error.cause;
    EXPECT_THAT(error.cause, ::testing::HasSubstr("indexed"));
    EXPECT_GE(error.context.sample_index, 30);
    EXPECT_LT(error.context.sample_index, 60);
    EXPECT_EQ(error.context.operator_name, "reader");
  }
}

TEST_P(CutShardTest, AShardThatIsCutAlreadyEndsWithOneBrokenSample) {
  Input input = write(small_images(kImages));
  cut_in_half(second_file());
  JobOptions options;
  options.pipeline.on_error = OnError::kSkip;
  options.shuffles = false;
  const auto pipe = open_job(input, options);
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  const auto meta = (*pipe)->session().reader_meta("reader");
  ASSERT_TRUE(meta.ok()) << meta.status();
  EXPECT_LT(meta->epoch_size, kImages);
  int64_t delivered = 0;
  while (delivered + 1 < meta->epoch_size) {
    const auto delivery = (*pipe)->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    delivered +=
        std::ranges::count_if(delivery->samples, [](const auto& s) { return s.identity.epoch == 0; });
  }
  const auto errors = (*pipe)->session().errors().errors();
  ASSERT_GE(errors.size(), 1u);
  EXPECT_EQ(errors[0].context.origin.object, second_file().string());
  EXPECT_GT(errors[0].context.origin.offset_bytes, 0u);
  EXPECT_GE(errors[0].context.origin.offset_bytes + errors[0].context.origin.size_bytes,
            std::filesystem::file_size(second_file()));
}

INSTANTIATE_TEST_SUITE_P(Sources, CutShardTest, ::testing::Values("tar", "tfrecord"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace forebay::end_to_end
