#include "forebay/control/sample_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/control/sample_order.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/storage/local/local_store.h"

namespace forebay::control {
namespace {

using dataset::testing::tar_archive;
using dataset::testing::tfrecord;

class SampleSourceTest : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    const std::string path = directory_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << content;
  }
  Result<std::shared_ptr<const dataset::IndexedSource>> samples(std::vector<std::string> extensions = {}) {
    return samples_in({.path = directory_.path(),
                       .store = storage::LocalStore::process_store(),
                       .prefix = directory_.path() + "/",
                       .index_file = {},
                       .extensions = std::move(extensions)});
  }
  /// The bytes that the order of the samples names, one after the other.
  static std::vector<std::string> contents(const std::shared_ptr<const dataset::IndexedSource>& samples) {
    std::vector<std::string> found;
    const std::unique_ptr<cache::PreloadSource> order = *sample_order(samples, {.seed = 3}, 0);
    for (cache::PreloadBatch batch = *order->next({}); !batch.requests.empty(); batch = *order->next({})) {
      for (const storage::BringRequest& request : batch.requests) {
        std::ifstream file(request.key);
        std::string bytes(request.length_bytes, '\0');
        file.seekg(static_cast<std::streamoff>(request.offset_bytes));
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        found.push_back(bytes);
      }
    }
    return found;
  }
  static std::vector<std::string> sorted(std::vector<std::string> texts) {
    std::ranges::sort(texts);
    return texts;
  }

  const TemporaryDirectory directory_;
};

TEST_F(SampleSourceTest, ArchivesAreTheirSamples) {
  put("b.tar", tar_archive({{"z.jpg", "Z"}, {"z.cls", "2"}}));
  put("a.tar", tar_archive({{"x.jpg", "X"}, {"x.cls", "0"}, {"y.jpg", "Y"}, {"y.cls", "1"}}));
  EXPECT_EQ(samples().status().code(), StatusCode::kInvalidArgument) << "which parts are wanted";
  const auto found = samples({"jpg", "cls"});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ((*found)->size(), 3);
  EXPECT_EQ(sorted(contents(*found)), (std::vector<std::string>{"0", "1", "2", "X", "Y", "Z"}));
}

TEST_F(SampleSourceTest, RecordsAreSamples) {
  put("1.tfrecord", tfrecord("one") + tfrecord("two"));
  put("2.tfrecord", tfrecord("three"));
  const auto found = samples();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ((*found)->size(), 3);
  EXPECT_EQ(contents(*found).size(), 3U);
}

TEST_F(SampleSourceTest, AnythingElseIsFilesInFolders) {
  put("cats/1.jpg", "C");
  put("dogs/2.jpg", "D");
  const auto found = samples();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ((*found)->size(), 2);
}

}  // namespace
}  // namespace forebay::control
