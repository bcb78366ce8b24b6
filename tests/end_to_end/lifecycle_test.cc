// Pipelines that end while batches are in flight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "child_process.h"
#include "data_set.h"
#include "forebay/memory/host/host_pool.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::end_to_end {
namespace {

class LifecycleTest : public ::testing::Test {
 protected:
  LifecycleTest() : files_(write_files(folder_, small_images(40))) {
    std::string lines;
    for (size_t i = 0; i < files_.size(); ++i) {
      lines += files_[i] + " " + std::to_string(i) + "\n";
    }
    list_ = folder_.write("list.txt", lines);
  }

  TemporaryFolder folder_;
  std::vector<std::string> files_;
  std::string list_;
};

TEST_F(LifecycleTest, LeavingTheProcessWithBatchesInFlightIsSilent) {
  for (const char* how : {"return", "exit", "static", "leak"}) {
    for (int round = 0; round < 10; ++round) {
      const ProgramOutput output =
          output_of({FOREBAY_JOB_PROCESS, "--list", list_, "--threads", "4", "--depth", "6", "--leave", how});
      EXPECT_EQ(output.exit_code, 0) << how;
      EXPECT_THAT(output.lines, ::testing::IsEmpty()) << how;
    }
  }
}

TEST_F(LifecycleTest, ASessionThatGoesWithBatchesInFlightKeepsNothing) {
  std::vector<std::string> files;  // in memory: no read is under way when a task is not
  auto store = std::make_shared<storage::MemoryStore>();
  storage::default_registry().mount("mem://lifecycle/", store);
  for (int i = 0; i < 40; ++i) {
    const std::string image = small_image(i);
    ASSERT_TRUE(storage::write_now(*store, std::to_string(i), std::as_bytes(std::span(image))).ok());
    files.push_back("mem://lifecycle/" + std::to_string(i));
  }
  JobOptions job;
  job.returns_everything = true;
  const auto pipe = open_job(files_input(files), job);
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  pipeline::PlanOptions plan_options;
  plan_options.batch_size = 8;
  auto plan = pipeline::Plan::compile((*pipe)->graph(), plan_options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const uint64_t before = memory::process_host_pool().statistics().in_use_bytes;
  for (int delivered = 0; delivered < 4; ++delivered) {
    for (int round = 0; round < 5; ++round) {
      pipeline::SessionOptions options;
      options.engine = std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 4});
      options.num_threads = 4;
      options.prefetch_depth = 5;
      auto session = pipeline::Session::create(*plan, options);
      ASSERT_TRUE(session.ok()) << session.status();
      (*session)->prefetch();
      for (int batch = 0; batch < delivered; ++batch) {
        ASSERT_TRUE((*session)->run().ok());
      }
      session->reset();
      options.engine->shutdown();  // waits for what still runs
    }
  }
  EXPECT_EQ(memory::process_host_pool().statistics().in_use_bytes, before);
  EXPECT_TRUE(storage::default_registry().unmount("mem://lifecycle/").ok());
}

TEST_F(LifecycleTest, DeliveredBatchesOutliveTheirPipeline) {
  std::vector<pipeline::Delivery> held;
  std::vector<SampleHash> hashes;
  {
    const auto pipe = open_job(files_input(files_), {});
    ASSERT_TRUE(pipe.ok()) << pipe.status();
    for (int i = 0; i < 3; ++i) {
      auto delivery = (*pipe)->run();
      ASSERT_TRUE(delivery.ok()) << delivery.status();
      const auto batch = hashes_of(*delivery);
      hashes.insert(hashes.end(), batch.begin(), batch.end());
      held.push_back(*std::move(delivery));
    }
  }
  std::vector<SampleHash> again;
  for (const pipeline::Delivery& delivery : held) {
    const auto batch = hashes_of(delivery);
    again.insert(again.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(again, hashes);
}

}  // namespace
}  // namespace forebay::end_to_end
